import type { Field } from "../../contract/field-spec.ts";
import { UsageError } from "../errors/cli-errors.ts";
import type { LineIssues } from "./line-issues.ts";

/**
 * Commands and flags that users expect and that do not exist, and arguments that they leave out, with the hint on what to use.
 * A command that exists has one for all its unknown flags. A flag without a command is one of all commands that have --query.
 */
export const wrongGuesses: Readonly<Record<string, string>> = {
  "--jq": "pipe --json to jq, or use --query <jmespath>",
  "--csv": "use -o csv",
  "--sort": "use --query 'sort_by(@, &<field>)', and --all if there are pages",
  "--sort-by": "use --query 'sort_by(@, &<field>)', and --all if there are pages",
  "--order-by": "use --query 'sort_by(@, &<field>)', and --all if there are pages",
  "--count": "use --query 'length(@)', and --all if there are pages",
  "wcs login": "use wcs auth login",
  "wcs signin": "use wcs auth login",
  "wcs logout": "use wcs auth logout",
  "wcs signout": "use wcs auth logout",
  "wcs password": "use wcs users password",
  "wcs passwd": "use wcs users password",
  "wcs use": "use wcs profile use",
  "wcs status": "use wcs auth status",
  "wcs backup": "use wcs db backup",
  "wcs restore": "use wcs db restore",
  "wcs migrate": "use wcs db migrate",
  "wcs log": "use wcs audit list",
  "wcs logs": "use wcs audit list",
  "wcs calendar": "use wcs events calendar",
  "wcs listen": "use wcs webhooks listen",
  "wcs plan": "use wcs diff",
  "wcs send": "use wcs conversations send",
  "wcs version": "use wcs --version",
  "wcs find": "use wcs names find",
  "wcs whatis": "use wcs names find",
  "wcs trigger": "use wcs webhooks test",
  "wcs resend": "use wcs webhooks resend",
  "wcs replay": "use wcs webhooks resend",
  "wcs health": "use wcs doctor",
  "wcs ping": "use wcs doctor",
  "wcs check": "use wcs doctor",
  "wcs undo": "use wcs audit list",
  "wcs recipes": "use wcs help tasks",
  "wcs examples": "use wcs help tasks",
  "wcs tutorial": "use wcs help tasks",
  "wcs docs": "use wcs help tasks",
  "wcs man": "use wcs help tasks",
  "wcs onboarding": "use wcs help tasks",
  "wcs offboarding": "use wcs help tasks",
  "wcs jq": "use wcs help formatting",
  "wcs csv": "use wcs help formatting",
  "wcs json": "use wcs help formatting",
  "wcs output": "use wcs help formatting",
  "wcs query": "use wcs help formatting",
  "wcs errors": "use wcs help exit-codes",
  "wcs times": "use wcs help calendar",
  "wcs dates": "use wcs help calendar",
  "wcs member": "use wcs groups member <command>",
  "wcs members": "use wcs groups member <command>",
  "wcs department": "use wcs units department <command>",
  "wcs departments": "use wcs units department <command>",
  "wcs wcs": "write the command without wcs",
  "wcs feed": "use wcs posts list --show-in-feed",
  "wcs inbox": "use wcs conversations list",
  "wcs import": "use wcs users import, wcs units import, wcs events import or wcs apply",
  "wcs me": "use wcs users get me",
  "wcs message": "use wcs conversations send",
  "wcs messages": "use wcs conversations messages <conversation>",
  "wcs notifications": "use wcs counters list",
  "wcs search": "use wcs names find <name>, wcs users search <words> or wcs conversations search <words>",
  "wcs alias set": "flags of the command follow --",
  "wcs 2fa": "use wcs auth 2fa enable, or wcs users reset-2fa <user>",
  "wcs auth 2fa reset": "use wcs users reset-2fa <user>",
  "wcs auth me": "use wcs auth status or wcs whoami",
  "wcs auth reset-2fa": "use wcs users reset-2fa <user>",
  "wcs auth switch": "use wcs profile use <profile>",
  "wcs auth whoami": "use wcs auth status or wcs whoami",
  "wcs config": "use wcs profile list for the targets, wcs settings list for the instance; see wcs help configuration",
  "wcs profile current": "use wcs profile show",
  "wcs users password-reset": "use wcs users password <user>",
  "wcs users reset": "use wcs users password <user>, or wcs users reset-2fa <user>",
  "wcs users reset-password": "use wcs users password <user>",
  "wcs auth login --email": "use --username <email>",
  "wcs auth login --token": "set WCS_TOKEN; a token needs no login",
  "wcs auth login --with-token": "set WCS_TOKEN; a token needs no login",
  "wcs users admin": "use wcs users update <user> --admin",
  "wcs users birthdays --unit": "wcs users update me --settings-show-birthdays unit shows those of your own unit only",
  "wcs users create --name": "use --first-name and --last-name",
  "wcs users import --welcome":
    "afterwards, use wcs users list --no-has-password --all -t '{id}' | wcs users welcome -",
  "wcs users invite": "use wcs users create --welcome, or wcs users welcome <user>",
  "wcs users list --active": "deactivated users are listed only with --inactive",
  "wcs users list --no-active": "use --inactive --all --query '[?!active]'",
  "wcs users list --last-login": "use wcs audit list --operation auth.authenticate",
  "wcs users list --name": "search with wcs users search <words>",
  "wcs users list --role": "use --user-type <user-type>",
  "wcs users list --search": "search with wcs users search <words>",
  "wcs users membership add --role": "use --user-types <user-type,...>",
  "wcs users membership set --role": "use --user-types <user-type,...>",
  "wcs users move": "use wcs users membership set <user> --unit <unit>",
  "wcs users units": "use wcs users membership list <user>",
  "wcs users update --active": "use wcs users reactivate <user> or wcs users deactivate <user>",
  "wcs users update --department": "use wcs users membership set <user> --department <department>",
  "wcs users update --name": "use --first-name and --last-name",
  "wcs users update --password": "use wcs users password <user>",
  "wcs users update --unit": "use wcs users membership set <user> --unit <unit>",
  "wcs users update --user-type": "use wcs users membership set <user> --user-types <user-type,...>",
  "wcs users update --user-types": "use wcs users membership set <user> --user-types <user-type,...>",
  "wcs units department list": "use wcs units get <unit> --fields departments",
  "wcs units members": "use wcs users list --unit <unit>",
  "wcs units search": "use wcs names find <name> --kinds units, or wcs units list --name <name>",
  "wcs units update --parent": "use wcs units move <unit> --parent <unit>",
  "wcs usertypes assign": "use wcs users membership set <user> --user-types <user-type,...>",
  "wcs usertypes create --abilities": "each ability has a flag, as in --abilities-news",
  "wcs usertypes update --abilities": "each ability has a flag, as in --abilities-news and --no-abilities-news",
  "wcs posts create --type": "use --content-type <news|debate|event>",
  "wcs posts create --to":
    "use --visibility-units <unit,...>, or --visibility-units-falldown <unit,...> to include the units below",
  "wcs posts create --at": "use --publish-on <time>",
  "wcs posts create --schedule": "use --publish-on <time>",
  "wcs posts list --drafts": "use --status draft",
  "wcs posts list --scheduled": "use --status scheduled",
  "wcs posts publish": "use wcs posts update <post> --publish-status",
  "wcs posts schedule": "use wcs posts update <post> --publish-on <time>",
  "wcs posts unpublish": "use wcs posts update <post> --no-publish-status",
  "wcs posts update --unpin": "use --unset pinned",
  "wcs events list --from": "use --start <time>",
  "wcs events list --to": "use --end <time>",
  "wcs events create --share-with": "use --shares <user,...>",
  "wcs events invite": "use wcs events update <event> --units <unit,...>",
  "wcs events attendees": "use wcs events participants <event>",
  "wcs events resend": "use wcs webhooks resend <webhook> <entry>",
  "wcs events rsvp": "use wcs events participants <event>",
  "wcs events trigger": "use wcs webhooks test <webhook>",
  "wcs events update --share-with": "use --shares <user,...>",
  "wcs groups add": "use wcs groups member add <group> <user>",
  "wcs groups join": "use wcs groups member add <group> me",
  "wcs groups leave": "use wcs groups member remove <group> me",
  "wcs groups list --member": "use wcs users get <user> --fields memberGroups",
  "wcs settings reset": "use wcs settings set <name> --default",
  "wcs settings unset": "use wcs settings set <name> --default",
  "wcs tokens renew": "use wcs tokens create, then wcs tokens revoke <token>",
  "wcs tokens rotate": "use wcs tokens create, then wcs tokens revoke <token>",
  "wcs webhooks create --url": "use --uri <url>; --url is the instance",
  "wcs webhooks disable": "use wcs webhooks update <webhook> --no-active",
  "wcs webhooks log <entry>": "list the entries with wcs webhooks logs <webhook>",
  "wcs webhooks resend <entry>": "list the entries with wcs webhooks logs <webhook>",
  "wcs webhooks test --trigger": "the test event is webhook.test; a change of a user or unit sends the others",
  "wcs webhooks enable": "use wcs webhooks update <webhook> --active",
};

interface Line {
  readonly path: readonly string[];
  readonly line: { readonly words: readonly string[] };
}

/** Missing flags, by the flags that users give by mistake instead. */
const meantFlags: Readonly<Record<string, string>> = { "wcs webhooks create --url": "--uri" };

/** Adds an issue about missing arguments and flags that no other issue is about. */
export function noteMissing(
  line: Line,
  missing: readonly { readonly word: string; readonly field: Field | undefined }[],
  issues: LineIssues,
): void {
  const left = missing.filter(({ word }) => !issues.concerns(word));
  const described = left.map(({ word, field }) => {
    const form = field?.format === "unix-time" ? "like '2026-12-31 14:00'" : field?.values?.join(", ");
    return form ? `${word} (${form})` : word;
  });
  if (left.length === 0) return;
  const words = left.map(({ word }) => word);
  issues.add(new UsageError(`missing ${described.join(", ")}`, { hint: guessIn(line, words) }), words);
}

/** Returns the hint for a flag that was given instead of a missing one, or for a missing argument. */
function guessIn({ path, line }: Line, missing: readonly string[]): string | undefined {
  const inCommand = (word: string) => `wcs ${path.join(" ")} ${word.split("=")[0]}`;
  const wrong = line.words.map(inCommand).find((each) => missing.includes(meantFlags[each] ?? ""));
  return wrongGuesses[wrong ?? inCommand(missing.at(-1) ?? "")];
}
