export const formats = ["table", "json", "ndjson", "csv", "yaml"] as const;
export type OutputFormat = (typeof formats)[number];

/** Values of the global and output options, which may stand anywhere on the line. */
export interface Globals {
  readonly profile?: string;
  readonly db?: string;
  readonly url?: string;
  readonly as?: string;
  readonly timeout?: string;
  readonly caFile?: string;
  readonly output?: OutputFormat;
  readonly json?: true;
  readonly fields?: string;
  readonly query?: string;
  readonly template?: string;
  readonly raw?: true;
  readonly header: boolean;
  readonly tz?: string;
  readonly quiet?: true;
  readonly verbose?: true;
  readonly color: boolean;
  readonly input: boolean;
}

interface GlobalOption {
  readonly flags: string;
  readonly description: string;
}

export const outputOptions: readonly [GlobalOption, ...GlobalOption[]] = [
  { flags: "-o, --output <format>", description: "Output format: table, json, ndjson, csv or yaml" },
  { flags: "--json", description: "Same as -o json" },
  { flags: "--fields <a,b.c>", description: "Fields to print" },
  { flags: "--query <jmespath>", description: "Filter the output with a JMESPath expression" },
  { flags: "-t, --template <text>", description: "Print a line per item, as in '{id} {unit.name}'" },
  { flags: "--raw", description: "Print the API response unchanged" },
  { flags: "--no-header", description: "Omit the header line; of a single item, print the values only" },
  { flags: "--tz <zone>", description: "Time zone for times, as in Europe/Berlin (default: this machine's)" },
];

export const globalOptions: readonly GlobalOption[] = [
  { flags: "--profile <name>", description: "Profile to use [WCS_PROFILE]" },
  { flags: "--db <path>", description: "SQLite file, or postgres:// URL without a password [WCS_DB]" },
  { flags: "--url <url>", description: "Base URL of an instance [WCS_URL]" },
  { flags: "--as <user>", description: "With --db: act as this user, by name, e-mail address, reference or ID" },
  { flags: "--timeout <time>", description: "Maximum time to wait for a response, as in 30s or 2m (default: 30s)" },
  { flags: "--ca-file <path>", description: "Certificate authorities to trust (PEM), in place of the default ones" },
  { flags: "--no-input", description: "Never prompt" },
  { flags: "--no-color", description: "Disable colour [NO_COLOR]" },
  { flags: "-q, --quiet", description: "Print only errors to stderr" },
  { flags: "-v, --verbose", description: "Log API calls to stderr" },
  { flags: "-h, --help", description: "Show this help" },
];

export const versionOption = [
  "-V, --version",
  "Show the version; with --verbose, also those of Node and SQLite",
] as const;

/** Returns the names in the notation of an option: `-o` and `--output` of `-o, --output <format>`. */
export const optionNames = (flags: string): string[] => flags.replace(/ [<[].*/, "").split(", ");

/** Global and output flags that take a value. The router skips their values to find the command. */
export const valuedGlobals: ReadonlySet<string> = new Set(
  [...outputOptions, ...globalOptions]
    .filter(({ flags }) => flags.includes("<"))
    .flatMap(({ flags }) => optionNames(flags)),
);
