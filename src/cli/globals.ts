export const formats = ["table", "json", "ndjson", "csv", "yaml"] as const;
export type Format = (typeof formats)[number];

/** The options that every command takes, wherever they stand on the line. */
export interface Globals {
  readonly profile?: string;
  readonly db?: string;
  readonly url?: string;
  readonly as?: string;
  readonly timeout?: string;
  readonly caFile?: string;
  readonly output?: Format;
  readonly json?: true;
  readonly fields?: string;
  readonly query?: string;
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
  readonly choices?: readonly string[];
}

/** What is said to a person's eyes or a program: shown in the help of commands that print data. */
export const outputOptions: readonly GlobalOption[] = [
  { flags: "-o, --output <format>", description: "table, json, ndjson, csv or yaml", choices: formats },
  { flags: "--json", description: "Short for -o json" },
  { flags: "--fields <a,b.c>", description: "Only these fields" },
  { flags: "--query <jmespath>", description: "Filter what is printed by a JMESPath expression" },
  { flags: "--raw", description: "The response as the API gave it" },
  { flags: "--no-header", description: "Rows without the line of names" },
  { flags: "--tz <zone>", description: "Show times in this zone of the IANA database" },
];

export const globalOptions: readonly GlobalOption[] = [
  { flags: "--profile <name>", description: "Profile to use [WCS_PROFILE]" },
  { flags: "--db <path>", description: "SQLite file or postgres:// URL without a password to work on [WCS_DB]" },
  { flags: "--url <url>", description: "Instance to work on [WCS_URL]" },
  { flags: "--as <user>", description: "With a database: act as this e-mail address or ID" },
  { flags: "--timeout <time>", description: "How long to wait, as in 30s or 2m" },
  { flags: "--ca-file <path>", description: "Further certificate authorities to trust (PEM)" },
  { flags: "--no-input", description: "Ask nothing" },
  { flags: "--no-color", description: "No colour [NO_COLOR]" },
  { flags: "-q, --quiet", description: "Nothing on stderr but errors" },
  { flags: "-v, --verbose", description: "Say on stderr what is called" },
  { flags: "-h, --help", description: "Show this help" },
];

/** Flags that are followed by a value, as far as that matters before the command is known. */
export const valuedGlobals: ReadonlySet<string> = new Set(
  [...outputOptions, ...globalOptions]
    .filter(({ flags }) => flags.includes("<"))
    .flatMap(({ flags }) => flags.replace(/ <.*/, "").split(", ")),
);
