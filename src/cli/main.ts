import { BrokenPipe, type Failure, failureOf, Interrupted, ReportedElsewhere } from "./errors/cli-errors.ts";
import { version } from "./session/version.ts";
import { sanitizeLine, sanitizeText } from "./terminal/sanitize.ts";
import { openTerminal, type Terminal } from "./terminal/terminal.ts";

/** Milliseconds that unawaited work may continue after a command. */
const maxLinger = 500;

/** Runs the command line of the process. Ctrl-C ends the process by the signal on a terminal, and by `exit` elsewhere. */
export async function main(argv: readonly string[], exit: (code: number) => void): Promise<void> {
  nameTimeZone(process.env);
  // On Windows this would be the title of the window, and macOS would register the process as an application.
  if (process.platform === "linux") process.title = ["wcs", ...argv.slice(2)].join(" ");
  const terminal = await openTerminal(process);
  const { signals } = terminal;
  signals.take(() => {
    signals.repeat();
    exit(130);
  });
  const code = await execute(argv.slice(2), terminal);
  process.exitCode = code;
  if (code === 130) signals.repeat();
  // A lookup of a name that hangs cannot be aborted, and would keep the process running for minutes.
  setTimeout(() => process.stdout.writableLength === 0 && exit(code), maxLinger).unref();
}

/** Replaces the path of a time zone, which libc takes, by its name, since Node would use the zone without summer time. */
function nameTimeZone(env: NodeJS.ProcessEnv): void {
  if (env.TZ?.includes("/zoneinfo/")) env.TZ = env.TZ.replace(/^:?\/usr\/share\/zoneinfo\//, "");
}

/** Runs a command line on a terminal, reports errors, and returns the exit code. */
export async function execute(args: readonly string[], terminal: Terminal): Promise<number> {
  try {
    if (args.length === 1 && (args[0] === "--version" || args[0] === "-V")) await terminal.write(`${version}\n`);
    else await (await import("./run-line.ts")).runLine(args, terminal);
    return 0;
  } catch (error) {
    return report(error, args, terminal);
  }
}

async function report(error: unknown, args: readonly string[], terminal: Terminal): Promise<number> {
  if (error instanceof BrokenPipe) return 0;
  if (error instanceof Interrupted) return 130;
  if (error instanceof ReportedElsewhere) return error.exit;
  const failure = failureOf(error);
  const { exit, ...shown } = failure;
  if (wantsJson(args)) terminal.writeError(`${sanitizeText(JSON.stringify({ error: shown }))}\n`);
  else terminal.writeError(await textOf(failure, terminal));
  if (terminal.env.WCS_DEBUG === "1" && error instanceof Error)
    terminal.writeError(`${sanitizeText(error.stack ?? "")}\n`);
  return exit;
}

/** Looks for a JSON output option without parsing the line, since the parser may be what failed. */
function wantsJson(args: readonly string[]): boolean {
  return args.some((arg, at) => {
    if (arg === "--json") return true;
    const format = arg === "-o" || arg === "--output" ? args[at + 1] : /^(?:-o|--output=)(.+)$/.exec(arg)?.[1];
    return format === "json" || format === "ndjson";
  });
}

async function textOf({ message, hint, usage }: Failure, terminal: Terminal): Promise<string> {
  const paint = await terminal.errorPaint();
  const lines = [`${paint.error("error:")} ${sanitizeLine(message)}`];
  if (hint) lines.push(`${paint.dim("hint:")} ${sanitizeLine(hint)}`);
  if (usage) lines.push(`${paint.dim("usage:")} ${usage}`);
  return `${lines.join("\n")}\n`;
}
