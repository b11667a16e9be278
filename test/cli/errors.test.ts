import { spawnSync } from "node:child_process";
import { readFileSync, writeFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { bin, finished, newHome, start, useHome } from "./support.ts";

const home = useHome();

const notAUrl =
  /^error: The URL of the database is not valid\.\nhint: Write the path of a file, or postgres:.*percent-encoded\.\n$/i;

const notABase =
  /^error: The URL of an instance must not have a query, a fragment or credentials\.\nhint: .*\.com\.\n$/;

const itemsOnly =
  /^error: --query: the list is an array here, not in 'data'\.\nhint: Begin with \[\], as in '\[\]\.id'\.\n$/;

/** Lines with their exit code and stderr. */
const cases: readonly (readonly [line: string, code: number, stderr: RegExp])[] = [
  ["nonsense", 2, /^error: Unknown command 'wcs nonsense'\.\nusage: wcs <command>; see wcs --help\n$/],
  ["unist", 2, /^error: Unknown command 'wcs unist'\.\nhint: Did you mean 'wcs units'\?\n$/],
  ["login", 2, /^error: Unknown command 'wcs login'\.\nhint: Did you mean 'wcs auth login'\?\n$/],
  ["logout", 2, /hint: Did you mean 'wcs auth logout'\?/],
  ["version", 2, /hint: Use wcs --version\./],
  ["users list --help=foo", 2, /^error: --help takes no value\.\nusage: /],
  ["users list --all=5", 2, /^error: --all takes no value\.\nusage: /],
  ["events files get E1", 2, /^error: <id> of the file must be an integer, not 'E1'\.\n$/],
  ["users get ref:", 6, /^error: <id>: there is no reference after ref:\.\n/],
  ["audit list --since 1h", 2, /, not '1h'\.\nhint: Write -1h for the past, \+1h for the future\.\n$/],
  [
    "units create --name @home --parent 1",
    2,
    /: no such file: home\.\nhint: Write @@ for a text that begins with @\.\n$/,
  ],
  ["webhooks listen --forward-to http://127.0.0.1:1 --triggers ,", 2, /^error: --triggers must not be empty\.\n/],
  ["names find ,", 3, /must name at least one text\.\n/],
  ["backup", 2, /hint: Did you mean 'wcs db backup'\?/],
  ["logs", 2, /hint: Did you mean 'wcs audit --help'\?/],
  ["print users", 2, /^error: Unknown command 'wcs print'\.\nhint: Did you mean 'wcs users list'\?\n$/],
  ["suspend user 1", 2, /hint: Did you mean 'wcs users deactivate'\?/],
  ["undelete user 1", 2, /hint: Did you mean 'wcs users reactivate'\?/],
  ["users activate 1", 2, /hint: Did you mean 'wcs users reactivate'\?/],
  ["users undelete 1", 2, /hint: Did you mean 'wcs users reactivate'\?/],
  ["units undelete 2", 2, /^error: Unknown command 'wcs units undelete'\.\nusage: /],
  ["posts unpublish 1", 2, /hint: Use wcs posts update <post> --no-publish-status\.\n/],
  ["db enable", 2, /^error: Unknown command 'wcs db enable'\.\nusage: /],
  ["restore user 5", 2, /hint: Did you mean 'wcs users --help'\?/],
  [
    "users restore 5",
    2,
    /^error: Unknown command 'wcs users restore'\.\nusage: wcs users <command>; see wcs users --help\n$/,
  ],
  ["users backup", 2, /hint: Did you mean 'wcs db backup'\?/],
  ["restore wcs-backup.db", 2, /hint: Did you mean 'wcs db restore'\?/],
  ["remove member 5", 2, /^error: Unknown command 'wcs remove'\.\nusage: /],
  ["departments remove 2 5", 2, /hint: Did you mean 'wcs units department'\?/],
  ["new user", 2, /hint: Did you mean 'wcs users create'\?/],
  ["set alias me", 2, /hint: Did you mean 'wcs alias set'\?/],
  ["list", 2, /^error: Unknown command 'wcs list'\.\nusage: /],
  ["reset user 1", 2, /hint: Use wcs users password <user>, or wcs users reset-2fa <user>\./],
  ["webhooks remove 1", 2, /hint: Did you mean 'wcs webhooks delete'\?/],
  ["auth tokens 3", 2, /hint: Did you mean 'wcs tokens'\?/],
  ["rotate webhook 1", 2, /hint: Did you mean 'wcs webhooks rotate-secret'\?/],
  ["endpoint create", 2, /hint: Did you mean 'wcs webhooks create'\?/],
  ["news list", 2, /hint: Did you mean 'wcs posts list'\?/],
  ["people", 2, /hint: Did you mean 'wcs users --help'\?/],
  ["help recipes", 2, /hint: Use wcs help tasks\./],
  ["help csv", 2, /hint: Use wcs help formatting\./],
  ["help roles", 2, /hint: Did you mean 'wcs usertypes --help'\?/],
  ["trigger user.create", 2, /hint: Use wcs webhooks test\./],
  ["events resend 1", 2, /hint: Did you mean 'wcs webhooks resend'\?/],
  ["users list --jq .[].id", 2, /hint: Pipe --json to jq, or use --query <jmespath>\.\n/],
  ["users list --sort-by email", 2, /hint: Use --query 'sort_by\(@, &<field>\)', and --all if there are pages\.\n/],
  ["users list --no-active", 2, /hint: Use --inactive --all --query '\[\?!active\]'\.\n/],
  ["users list -L 3", 2, /^error: Unknown option '-L'\.\nhint: Did you mean --limit\?\n$/],
  ["users list --debug", 2, /hint: Did you mean --verbose\?/],
  ["users list -o tsv", 2, /hint: Leave out -o: outside a terminal, rows are tab-separated\.\n/],
  ["webhooks listen --forward-to http://127.0.0.1:1 --events user.create", 2, /hint: Did you mean --triggers\?/],
  ["webhooks logs 1 --tail", 2, /hint: Did you mean --follow\?/],
  ["webhooks listen localhost:3000/hook", 2, /hint: Quote a text with spaces, and give other values by their flags, /],
  ["webhooks listen --forward-to localhost:3000/hook", 2, /hint: Write http:\/\/localhost:3000\/hook\.\n/],
  ["users create bo@example.com", 2, /but got 1\.\nhint: Quote a text with spaces, /],
  ["users import - -t {id}", 2, /^error: --template needs --json here\.\nhint: For the result of each row, use -o /],
  ["users import - -o ndjson --query [].id", 2, /"message":"--query needs --json here\."/],
  ["units rename Sales Shops", 2, /hint: Did you mean 'wcs units update'\?/],
  ["users block 1", 2, /hint: Did you mean 'wcs users deactivate'\?/],
  ["users move 1 Sales", 2, /hint: Use wcs users membership set <user> --unit <unit>\./],
  ["wcs units list", 2, /^error: Unknown command 'wcs wcs'\.\nhint: Write the command without wcs\.\n$/],
  ["users create --name Bo", 2, /Use --first-name and --last-name/i],
  ["groups add Chess 1", 2, /hint: Use wcs groups member add <group> <user>\.\n/],
  ["posts comment 12", 2, /hint: Did you mean 'wcs posts comments list 12'\?/],
  ["groups create Chess", 2, /but got 1\.\nhint: Quote .* as in --name .*\nusage: wcs groups create /],
  ["webhooks update 1 --active false", 2, /but got 2\.\nhint: .* --active=false\.\nusage: /],
  ["export -o org.yaml", 2, /hint: Give the file as the argument, without -o\.\n/],
  ["users list -o users.csv", 2, /hint: Write to the file with > users\.csv\.\n/],
  ["users list -o a&b.csv", 2, /hint: Write to the file with > 'a&b\.csv'\.\n/],
  ["settings set smtp x", 2, /hint: Did you mean 'mail\.smtp_url'\?/],
  ["settings set m x", 2, /hint: Settings are /],
  [
    "conversations send Nobody Hi",
    6,
    /hint: Give the conversation by title or ID\. .* To write to a user, use --to USER\.\n/,
  ],
  ["units lst", 2, /hint: Did you mean 'wcs units list'\?/],
  ["units updt 2", 2, /hint: Did you mean 'wcs units update'\?/],
  ["users avatar 12", 2, /^error: Unknown command 'wcs users avatar 12'\.\nusage: /],
  ["users membership ad", 2, /hint: Did you mean 'wcs users membership add'\?/],
  ["units del", 2, /hint: Did you mean 'wcs units delete'\?/],
  ["posts comments create", 2, /hint: Did you mean 'wcs posts comments add'\?/],
  ["units list --limt 3", 2, /^error: Unknown option '--limt'\.\nhint: Did you mean --limit\?\n$/],
  [
    "users update 1 --unit 2",
    2,
    /^error: Unknown option '--unit'\.\nhint: Use wcs users membership set <user> --unit <unit>\.\n$/,
  ],
  ["users update 1 --department IT", 2, /hint: Use wcs users membership set <user> --department <department>\.\n/],
  ["search Bo", 2, /hint: Use wcs names find <name>, /],
  ["feed", 2, /^error: Unknown command 'wcs feed'\.\nhint: Use wcs posts list --show-in-feed\.\n$/],
  ["events calendar --start today", 2, /^error: Unknown option '--start'\.\nhint: Use --from <date>\.\n$/],
  ["events list --from today", 2, /^error: Unknown option '--from'\.\nhint: Use --start <time>\.\n$/],
  ["messages 5", 2, /hint: Did you mean 'wcs conversations messages'\?\n$/],
  [
    "search Ann",
    2,
    /hint: Use wcs names find <name>, wcs users search <words> or wcs conversations search <words>\.\n$/,
  ],
  ["auth 2fa reset 1", 2, /^error: Unknown command 'wcs auth 2fa reset'\.\nhint: Use wcs users reset-2fa <user>\.\n$/],
  ["users update 1 --xyz 2", 2, /^error: Unknown option '--xyz'\.\nusage: /],
  [
    "units update 4 --parent 2",
    2,
    /^error: Unknown option '--parent'\.\nhint: Use wcs units move <unit> --parent <unit>\.\n$/,
  ],
  [
    "units search Sales",
    2,
    /^error: Unknown command 'wcs units search'\.\nhint: Use wcs names find <name> --kinds units, /,
  ],
  ["names search Sales", 2, /^error: Unknown command 'wcs names search'\.\nhint: Did you mean 'wcs names find'\?\n$/],
  [
    "usertypes update 1 --abilities news",
    2,
    /^error: Unknown option '--abilities'\.\nhint: Each ability has a flag, as in --abilities-news /,
  ],
  ["users membership set 1 2 --unti 3", 2, /hint: Did you mean --unit\?/],
  ["units list --zzz=secret", 2, /^error: Unknown option '--zzz'\.\nusage: wcs units list \[options\]\n$/],
  [
    "posts create --all-units",
    2,
    /^error: Unknown option '--all-units'\.\nhint: Did you mean --visibility-all-units\?\n$/,
  ],
  [
    "auth sessions list",
    2,
    /^error: Unknown command 'wcs auth sessions'\.\nhint: Did you mean 'wcs sessions list'\?\n$/,
  ],
  ["units list -o xml --raw", 2, /^error: --output must be one of table, json, ndjson, csv, yaml, not 'xml'\.\n/],
  ["tokens get ci", 6, /^error: <id>: no token is called ci\.\nhint: Give the token by name or ID\. /],
  ["conversations update 1 --mute-rule 2h", 2, /^error: --mute-rule must be one of always, 1h, 8h, 1w, not '2h'\.\n/],
  ["webhooks logs 1 --event webhook.test", 6, /^error: There is no webhook 1\.\n/],
  ["api GET /units?limit=1.5", 3, /^error: limit must be an integer\.\n/],
  ["units list --limit=true", 2, /^error: --limit must be/],
  ["units list --zzz", 2, /^error: Unknown option '--zzz'\.\nusage: wcs units list \[options\]\n$/],
  ["units --zzz", 2, /^error: Unknown option '--zzz'\.\nusage: wcs units <command> \[options\]\n$/],
  ["--zzz", 2, /^error: Unknown option '--zzz'\./],
  ["units list extra", 2, /^error: Too many arguments\./],
  [
    "events participants list 1",
    2,
    /^error: Too many arguments\. Expected 1 argument but got 2\.\nhint: Quote a text /,
  ],
  ["posts vote 1 Canteen", 6, /^error: There is no post 1\.\n$/],
  ["units list --limit=", 2, /^error: --limit must not be empty\.\n$/],
  ["webhooks update 1 --active --fields id", 2, /^error: --fields: this command prints no fields\.\n$/],
  [
    "users password 1 --password secret",
    2,
    /^error: Unknown option '--password'\.\nhint: Did you mean --password-stdin\?\n$/,
  ],
  ["units list --key=secret\nkey", 2, /^error: Unknown option '--key'\.\nusage: /],
  [
    "users password 1 --password-stdin --password-file x",
    2,
    /^error: --password-stdin and --password-file cannot be used together[.;]/,
  ],
  ['tokens create --name t --data {"scopes":[]}', 3, /^error: scopes in --data must have at least 1 item\.\n$/],
  [
    'users create --first-name A --last-name B --email a@example.com --data {"unit":"DE"}',
    3,
    /^error: unit in --data must be an integer\.\n$/,
  ],
  ["settings set timezone UTC --default", 2, /^error: <value> and --default cannot be used together\.\n$/],
  ["units list --limit", 2, /^error: Option '--limit <n>' argument missing\./],
  ["units list --limit abc", 2, /^error: --limit must be an integer, not 'abc'\.\n$/],
  ["units get abc", 6, /^error: <id>: no unit is called abc\.\nhint: Give the unit by name, reference or ID\. /],
  ["users list --cursor nonsense", 3, /^error: --cursor .*without a cursor\.\n/],
  ["api GET /users/reference/%zz", 2, /^error: %zz in the path is not percent-encoded UTF-8\.\nhint: /],
  ["posts mute 1 --for constructor", 2, /^error: --for must be one of always, 1h, 8h, 1w, not 'constructor'\.\n/],
  ["events get abc", 6, /^error: <id>: no event is called abc\.\nhint: Give the event by title or ID\. /],
  [
    "units create --unit-type floor --name x --parent 1",
    2,
    /^error: --unit-type must be one of unit, department, not 'floor'\.\n$/,
  ],
  ["units update 2 --geo-lat north", 2, /^error: --geo-lat must be a number, not 'north'\.\n$/],
  [
    `units update 2 --opening-hours-closed ${"[".repeat(65)}${"]".repeat(65)}`,
    2,
    /^error: --opening-hours-closed must not be nested deeper than 64 levels\.\n$/,
  ],
  [
    "units update 2 --opening-hours-closed {a:1}",
    2,
    /^error: --opening-hours-closed must be JSON: expected property name or '}' at line 1, column 2\.\n$/,
  ],
  ["users create --data hunter2", 2, /^error: --data must be JSON: unexpected token 'h'\.\n$/],
  ['users create --data {"a":1,}', 2, /^error: --data must be JSON: expected .* at line 1, column 8\.\n$/],
  ["users create --data [", 2, /^error: --data must be JSON: unexpected end\.\n$/],
  ["units update 2 --data []", 2, /^error: --data must be a JSON object/],
  ["units update 2 --unset name", 2, /^error: --unset: 'name' cannot be cleared\./],
  [
    "units update 2 --reference x --unset reference",
    2,
    /^error: --reference and --unset reference cannot be used together\.\n$/,
  ],
  [
    'units update 2 --data {"id":3}',
    2,
    /^error: <id> and id in --data are different\.\nhint: Leave one of them out\.\n$/,
  ],
  [
    "units update 2 --addresses-company-city Y --unset addresses",
    2,
    /^error: --addresses-company-city and --unset addresses cannot be used together\.\n$/,
  ],
  ["webhooks update 2 --unset triggers", 2, /^error: Unknown option '--unset'\./],
  ["settings set languages en,xx", 3, /^error: languages\.1 is not a language: xx\.\n$/],
  ["tokens create --name ci --scopes read,nope", 3, /^error: --scopes must be read, write, .*, not 'nope'\.\n$/],
  ["units update 2 --description @/no/such", 2, /^error: --description: no such file: \/no\/such\.\nhint: Write @@ /],
  ["units get", 2, /^error: Missing <id>\.\n$/],
  ["settings set", 2, /^error: Missing <key>\.\nusage: /],
  ["users create", 2, /^error: Missing --first-name, --last-name, --email, --unit\.\n$/],
  [
    "events create --title E",
    2,
    /^error: Missing --type \(chain, unit, user\), --start \(like '2026-12-31 14:00'\), --end \(like '2026-12-31 14:00'\)\.\n$/,
  ],
  ["webhooks recover 1", 2, /^error: Missing --since \(like '2026-12-31 14:00'\)\.\n$/],
  [
    "events create --title E --type user",
    2,
    /^error: Missing --start \(like '2026-12-31 14:00'\), --end \(like '2026-12-31 14:00'\)\.\n$/,
  ],
  ["events create --title E --start +1h", 2, /^error: Missing --type \(chain, unit, user\), --end \(like .*\)\.\n$/],
  ["events create --title E --type user --end +90m", 2, /^error: --end \+90m is relative to --start: pass both\.\n$/],
  [
    "events create --title E --type user --end 2030-01-05",
    2,
    /^error: Missing --start \(like '2026-12-31 14:00'\)\.\n$/,
  ],
  [
    "events create --title E --type user --start x",
    2,
    /^error: --start must be a time [^;]*; missing --end \(like .*\)\.\n/,
  ],
  ["events create --title E --type user --all-day", 2, /^error: Missing --date\.\n$/],
  ["units get 2 --reference SALES", 2, /^error: <id> and --reference cannot be used together\.\n$/],
  ["units list --db a --url http://b", 2, /^error: --db and --url cannot be used together\.\n$/],
  ["units list --db=", 2, /^error: --db must not be empty\.\n$/],
  ["init --db=", 2, /^error: --db must not be empty\.\n$/],
  ["units list --url=", 2, /^error: --url must not be empty\.\n$/],
  ["units list --profile=", 2, /^error: --profile must not be empty\.\n$/],
  ["units list --as=", 2, /^error: --as must not be empty\.\n$/],
  ["units list --ca-file=", 2, /^error: --ca-file must not be empty\.\n$/],
  ["units list --db .", 2, /^error: --db: \. is a folder, not the file of a database\.\n$/],
  ["init --db .", 2, /^error: --db: \. is a folder, not the file of a database\.\n$/],
  ["units list --fields=", 2, /^error: --fields names no field\.\nhint: Write fields with commas, as in id,name\.\n$/],
  ["units get 2 --fields ,", 2, /^error: --fields names no field\./],
  ["units list --raw --fields id", 2, /^error: --raw and --fields cannot be used together\.\n$/],
  ["units list --raw -o yaml", 2, /^error: --raw and -o yaml cannot be used together\.\n$/],
  ["units create --name Raw --parent 1 --raw --query id", 2, /^error: --raw and --query cannot be used together\.\n$/],
  ["units list --profile nobody", 2, /^error: Unknown profile 'nobody'\./],
  ["units list --db http://example.com", 2, /hint: Use --url\./],
  ["units list --db postgres:w1", 2, notAUrl],
  ["units list --db postgres://u@host:abc/db", 2, notAUrl],
  ["units list --db Postgres://u@host/db", 2, notAUrl],
  ["units list --db postgres://u@ss/word@host/db", 2, notAUrl],
  ["units list --db sqlite:///var/lib/wcs.db", 2, notAUrl],
  ["units list --url example.com", 2, /^error: 'example.com' is not the URL of an instance\./],
  ["profile add far --url https://u:s3cret@example.com", 2, notABase],
  [
    "profile add near --db wcs.db --as ann@example.com",
    2,
    /^error: --as is not saved in a profile\.\nhint: .* wcs auth login --profile near\.\n$/,
  ],
  ["units list --url https://u:s3/cret@example.com", 2, notABase],
  ["units list --url https://example.com/?token=s3cret", 2, notABase],
  ["units list --url http://127.0.0.1:1 --as ada@example.com", 2, /^error: --as cannot be used with an instance/],
  ["units list --url http://127.0.0.1:1 --timeout never", 2, /^error: --timeout must be a duration/],
  [
    "posts create --content-type event --title T --body B",
    2,
    /^error: Missing --event-datetime-start \(like '2026-12-31 14:00'\)\.\nhint: --event-/,
  ],
  ["users list --below", 2, /^error: --below requires --unit\.\n$/],
  [
    "units import new.csv -o csv",
    2,
    /^error: -o csv needs --dry-run here\.\nhint: For the result of each row, use --res/,
  ],
  [
    "users import new.csv -o yaml",
    2,
    /^error: -o yaml needs --dry-run here\.\nhint: For the result of each row, use --res/,
  ],
  ["users membership remove 1 1", 2, /^error: Needs a confirmation\.\nhint: Pass --yes to confirm\.\n$/],
  ["groups member remove 1 1", 2, /^error: Needs a confirmation\./],
  ["conversations participants remove 1 1", 2, /^error: Needs a confirmation\./],
  ["users list --query data[].id", 2, itemsOnly],
  ["api GET /users --query data[].id", 2, itemsOnly],
  [
    "events create --title E --type user --start now --end +1h --recurrence FREQ=DAILY",
    2,
    /^error: --recurrence must be JSON: unexpected token 'F'\.\nhint: Use --repeat or --rrule to write it without JSON\.\n$/,
  ],
  ["posts create --content-type news --title T --body B --poll-choices A,B", 2, /\nhint: Use --choice to write it /],
  ["posts create --content-type news --title T --choice A --choice B", 3, /^error: --poll-question is required\.\n$/],
  [
    "posts create --content-type event --title T --event-datetime-start tomorrow --tz Moon",
    2,
    /^error: --tz: unknown time zone 'Moon'\.\nhint: List /,
  ],
  ["posts create --content-type news --title T --repeat daily", 3, /^error: --repeat is allowed for posts/],
  ["posts create --content-type news --title T --poll-question Q --choice A", 3, /^error: --choice must have at least/],
  ['users update 1 --data {"titel":"x"}', 3, /^error: titel is not a field .*\nhint: Did you mean title\?\n$/],
  ['units update 2 --data {"contact":{"fone":"1"}}', 3, /\nhint: Did you mean contact\.phone\?\n$/],
  ["units --limit 5", 2, /^error: Unknown command 'wcs units 5'\.\nhint: Write --limit after the command\.\nusage: /],
  ["import x", 2, /hint: Did you mean 'wcs users import' or 'wcs units import' or 'wcs events import'\?/],
  ["export users.csv", 2, /^error: users\.csv would be YAML\.\nhint: wcs users export and wcs units export write CSV/],
  ["sessions revoke 3", 2, /hint: Did you mean 'wcs sessions end'\?/],
  ["users revoke 3", 2, /^error: Unknown command 'wcs users revoke'\.\nusage: /],
  ["config set x y", 2, /hint: Use wcs profile list for the targets, wcs settings list for the instance; /],
  ["signin", 2, /hint: Use wcs auth login\./],
  ["use local", 2, /hint: Use wcs profile use\./],
  ["auth refresh", 2, /hint: Did you mean 'wcs auth renew'\?/],
  ["auth whoami", 2, /hint: Use wcs auth status or wcs whoami\.\n/],
  ["auth reset-2fa 2", 2, /hint: Use wcs users reset-2fa <user>\.\n/],
  ["users reset-password 2", 2, /hint: Use wcs users password <user>\.\n/],
  ["users purge 2", 2, /^error: Unknown command 'wcs users purge'\.\nusage: /],
  ["--quiet foobar", 2, /^error: Unknown command 'wcs foobar'\.\nusage: /],
  ["users export --filter x", 2, /^(?!.*--query)/s],
  ["files get 1 --fields id", 2, /^error: Unknown option '--fields'\.\nusage: wcs files get /],
  ["users avatar get 1 --raw", 2, /^error: Unknown option '--raw'\.\nusage: wcs users avatar get /],
  ["users export --query [].id", 2, /^error: Unknown option '--query'\.\nusage: wcs users export /],
  ["users export --jq .", 2, /^error: Unknown option '--jq'\.\nusage: wcs users export /],
  ["export --csv", 2, /^error: Unknown option '--csv'\.\nusage: wcs export /],
  ["alias set mail users list --csv", 2, /hint: Flags of the command follow --/],
  ["units export -t {id}", 2, /^error: Unknown option '-t'\./],
  ["export --fields id", 2, /^error: Unknown option '--fields'\./],
  ["events export --raw", 2, /^error: Unknown option '--raw'\./],
  ["conversations export 1 --query [].id", 2, /^error: Unknown option '--query'\./],
  [
    "alias set mail users list --fields email",
    2,
    /^error: Unknown option '--fields'\.\nhint: Flags of the command follow --/,
  ],
  ["alias set mail users list --no-header", 2, /^error: Unknown option '--no-header'\.\nhint: Flags of the command/],
  ["alias set mail users list -q", 2, /^error: Unknown option '-q'\.\nhint: Flags of the command/],
  ["users list --page 2", 2, /^error: Unknown option '--page'\.\nhint: Did you mean --all\?\n$/],
  ["users get - 3", 2, /^error: <id>: - stands for the lines of stdin, and nothing else can be given with it\.\n$/],
  ["alias set mail users list --profile local", 2, /^error: Unknown option '--profile'\.\nhint: Flags of the command/],
  ["alias set mail users list --dry-rnu", 2, /hint: Did you mean --dry-run\?/],
  ["tokens delete 3", 2, /hint: Did you mean 'wcs tokens revoke'\?/],
  ["tokens deactivate 3", 2, /^error: Unknown command 'wcs tokens deactivate'\.\nusage: /],
  ["webhooks replay 3 1", 2, /hint: Did you mean 'wcs webhooks resend'\?/],
  ["users units ada@example.com", 2, /hint: Use wcs users membership list <user>\.\n/],
  ["posts publish 3", 2, /hint: Use wcs posts update <post> --publish-status\.\n/],
  ["users list --active", 2, /hint: Deactivated users are listed only with --inactive\.\n/],
  ["users list --format csv", 2, /hint: Did you mean --output\?/],
  ["users delete --force 2", 2, /hint: Did you mean --yes\?/],
  ["audit list --path users/1", 3, /^error: --path must begin with a slash, like \/users\/12\.\n$/],
  [
    "settings set tokens.lifetime 1h",
    2,
    /integer, not '1h'\.\nhint: Lifetime of an access token \(seconds, default 86400\)/,
  ],
  ["units delete 2", 2, /^error: Cannot be undone\.\nhint: Pass --yes to confirm\.\n$/],
  ["units create --name= --parent 1", 3, /^error: --name must not be blank\.\n$/],
  ["units create --name x --parent 99", 3, /^error: --parent is not an existing unit/],
  ["users create --first-name= --last-name x --email nope --unit 1", 3, /^error: --first-name .*; --email .*\n$/],
  ["units list --limit 3 --cursor nonsense", 3, /--cursor/],
  ["units list --url http://127.0.0.1:1", 8, /^error: .*refused the connection/],
  ["units get 99", 6, /^error: There is no unit 99\.\nhint: A number is an ID; /],
  ["units list --db /no/such.db", 6, /^error: There is no database at \/no\/such.db\./],
  ["units create --name x --parent 1 --reference SALES", 7, /reference/],
  ["units delete 1 --yes", 7, /^error: The root unit cannot be deleted\.\n$/],
  ["usres list", 2, /hint: Did you mean 'wcs users'\?/],
  ["users delete 1 --yes", 7, /^error: /],
  [
    "users list --as 99",
    6,
    /^error: There is no user 99\.\nhint: Pass --as with the name, reference, e-mail address or ID of an active user\.\n$/,
  ],
  [
    "tokens create --name ci --scopes user.import",
    3,
    /: user\.import; use read, write, an operation like users\.import, /,
  ],
  ["help exit-code", 2, /^error: Unknown topic 'exit-code'\.\nhint: Did you mean 'wcs help exit-codes'\?\n$/],
  ["help nonsense", 2, /^error: Unknown command 'wcs nonsense'\./],
  ["completion tcsh", 2, /^error: Unknown command 'wcs completion tcsh'/],
  ["completion install tcsh", 2, /^error: <shell> must be one of bash, zsh, fish, powershell/],
  ["api FETCH /users", 2, /^error: <method> must be GET/],
  ["api GET /nothing", 6, /^error: This path does not exist\.\n/],
  ["settings get base_ulr", 2, /hint: Did you mean 'base_url'\?/],
];

it.each(cases)("wcs %s: exit %i", async (line, code, stderr) => {
  const result = await home().sit(line.split(" "));
  expect(result.stderr).toMatch(stderr);
  expect(result.code).toBe(code);
  expect(result.stdout).toBe("");
});

it.each(["users list", "top --once"])("wcs %s --ca-file: exit 2 for a file without a certificate", async (line) => {
  const file = home().path("ca.pem");
  writeFileSync(file, "-----BEGIN PRIVATE KEY-----\n");
  expect(await home().sit([...line.split(" "), "--url", "https://127.0.0.1:1", "--ca-file", file])).toMatchObject({
    code: 2,
    stderr: `error: --ca-file: ${file} contains no certificate in PEM format.\n`,
  });
});

it.each([" postgres://u:s3cret@host/db", '"postgres://u:s3cret@host/db"', "postgresql+psycopg://u:s3cret@host/db"])(
  "WCS_DB=%j is refused, and its password is not shown",
  async (url) => {
    const { code, stderr } = await home().sit(["units", "list"], { env: { WCS_DB: url } });
    expect(stderr).toMatch(notAUrl);
    expect(code).toBe(2);
  },
);

it("a token that no header can hold is explained, with the variable that it came from", async () => {
  const line = ["users", "list", "--url", "http://127.0.0.1:1"];
  const { code, stderr } = await home().sit(line, { env: { WCS_TOKEN: "wcs_abc\n" } });
  expect({ code, stderr }).toEqual({
    code: 4,
    stderr:
      "error: The token has a space or line break in it.\n" +
      "hint: Check the token in WCS_TOKEN, or create another one with wcs tokens create.\n",
  });
});

it("the token of a profile that no header can hold is explained, with the command that signs in to the profile", async () => {
  const { sit, path } = newHome();
  const add = ["profile", "add", "far away", "--url", "http://127.0.0.1:1"];
  expect(await sit(add)).toMatchObject({ code: 0 });
  expect(await sit(add)).toMatchObject({
    code: 7,
    stderr: "error: Profile 'far away' already exists.\nhint: Remove it with wcs profile remove 'far away'.\n",
  });
  const file = path("config/config.json");
  const config = JSON.parse(readFileSync(file, "utf8"));
  config.profiles["far away"].token = "wcs abc";
  writeFileSync(file, JSON.stringify(config));
  expect(await sit(["users", "list", "--profile", "far away"])).toMatchObject({
    code: 4,
    stderr:
      "error: The token has a space or line break in it.\nhint: Sign in with wcs auth login --profile 'far away'\n",
  });
});

it("a local profile whose user cannot act any more is an error with the command that repairs it", async () => {
  const { sit, path } = home();
  const person = ["--first-name", "Cy", "--last-name", "B", "--email", "cy@example.com"];
  await sit(["users", "create", ...person, "--unit", "1", "--admin"]);
  const cy = ["--as", "cy@example.com"];
  expect(await sit(["users", "deactivate", "1", "--yes", ...cy])).toMatchObject({ code: 0 });
  const active = "Pass --as with the name, reference, e-mail address or ID of an active user";
  const again = `wcs profile remove local && wcs profile add local --db ${path("data/wcs/wcs.db")}`;
  expect(await sit(["units", "list"])).toMatchObject({
    code: 4,
    stderr:
      "error: User ada@example.com is deactivated. Profile local acts as this user.\n" +
      `hint: ${active}, or let the profile act as the first administrator: ${again}\n`,
  });
  expect(await sit(["units", "list", "--as", "ada@example.com"])).toMatchObject({
    code: 4,
    stderr: `error: User ada@example.com is deactivated.\nhint: ${active}.\n`,
  });
  expect(await sit(["users", "reactivate", "1", ...cy])).toMatchObject({ code: 0 });
  expect(await sit(["users", "delete", "cy@example.com", "--yes"])).toMatchObject({ code: 0 });
});

it.each(["--json", "-o json", "-ojson", "--output=ndjson"])("with %s an error is an object on stderr", async (flag) => {
  const create = `users create --first-name= --last-name x --email e@x.org --unit 1 ${flag}`.split(" ");
  const { stderr, stdout, code } = await home().sit(create);
  expect({ stdout, code }).toEqual({ stdout: "", code: 3 });
  expect(JSON.parse(stderr)).toEqual({
    error: {
      code: "validation_failed",
      message: "--first-name must not be blank.",
      fields: { first_name: ["must not be blank"] },
    },
  });
  const usage = await home().sit(["units", "list", "--limt", "3", ...flag.split(" ")]);
  expect(JSON.parse(usage.stderr).error).toMatchObject({ code: "usage", hint: "Did you mean --limit?" });
});

it("without a target: exit 2, with a hint", async () => {
  const { code, stderr } = await home().sit(["units", "list"], { env: { WCS_CONFIG_DIR: home().path("none") } });
  expect(code).toBe(2);
  expect(stderr).toMatch(
    /^error: No target selected\. Use --db, --url or --profile\.\nhint: .*wcs init.*wcs auth login/,
  );
});

it("help after a group shows the help of the group; help before a command, that of the command", async () => {
  for (const [line, same] of [
    ["webhooks help", "webhooks --help"],
    ["webhooks help create", "webhooks create --help"],
    ["auth 2fa help", "auth 2fa --help"],
  ] as const) {
    const { code, stdout } = await home().wcs(line.split(" "));
    expect({ code, stdout }).toEqual({ code: 0, stdout: (await home().wcs(same.split(" "))).stdout });
  }
});

it("not signed in: exit 4", async () => {
  const { code, stderr } = await home().sit(["units", "list"], { env: { WCS_TOKEN: "forged" } });
  expect(code).toBe(4);
  expect(stderr).toMatch(/hint: Check the token in WCS_TOKEN/);
});

it("forbidden: exit 5", async () => {
  await home().sit("users create --first-name Bo --last-name Low --email bo@example.com --unit 2".split(" "));
  const { code } = await home().sit(["settings", "list", "--as", "bo@example.com"]);
  expect(code).toBe(5);
});

it("an unexpected failure prints one sentence, and its stack only with WCS_DEBUG=1", async () => {
  // A folder in place of the configuration file is an unexpected failure.
  const env = { WCS_DB: home().path("broken.db") };
  writeFileSync(home().path("broken.db"), "this is not a database at all, not by far");
  const { code, stderr } = await home().sit(["units", "list"], { env });
  expect(code).not.toBe(0);
  expect(stderr.trim().split("\n").length).toBeLessThanOrEqual(2);
  expect(stderr).not.toMatch(/ at .*\.ts/);
  const debugged = await home().sit(["units", "list"], { env: { ...env, WCS_DEBUG: "1" } });
  expect(debugged.stderr).toMatch(/ at /);
});

describe("an interruption", () => {
  it("Ctrl-C ends a command at once: exit 130", async () => {
    const child = start(["serve", "--port", "0", "--db", home().path("data/wcs/wcs.db")], home().env);
    const reading = start(["units", "update", "2", "--description", "-"], home().env);
    const serving = finished(child);
    const waiting = finished(reading);
    child.stdout?.once("data", () => child.kill("SIGINT"));
    // More than the socket to stdin holds: when all is written, the command is reading and waits for the end.
    await new Promise((resolve) => reading.stdin?.write("x".repeat(5_000_000), resolve));
    reading.kill("SIGINT");
    expect(await waiting).toMatchObject({ code: 130, stdout: "", stderr: "" });
    expect((await serving).code).toBe(0);
  });

  it("Ctrl-C at a question: exit 130, and nothing was changed", async () => {
    const { code } = await home().sit(["units", "delete", "2", "--transfer", "1"], { answers: ["^C"] });
    expect(code).toBe(130);
    expect((await home().sit(["units", "get", "2"])).code).toBe(0);
  });
});

describe("global options", () => {
  it("can be anywhere on the line", async () => {
    const expected = await home().sit(["units", "get", "2", "--fields", "id,name", "--json"]);
    expect(expected.code).toBe(0);
    for (const line of [
      "--json --fields id,name units get 2",
      "units --json get --fields id,name 2",
      "units -o json get 2 --fields=id,name",
    ]) {
      expect(await home().sit(line.split(" ")), line).toEqual(expected);
    }
  });

  it("--quiet leaves out notes, but not errors", async () => {
    const quiet = await home().sit(["users", "policy", "accept", "-q"]);
    expect(quiet).toEqual({ code: 0, stdout: "", stderr: "" });
    expect((await home().sit(["units", "get", "99", "-q"])).stderr).toMatch(/^error: /);
  });

  it("--dry-run says so, says what would be done without it, and changes nothing", async () => {
    const made = await home().sit(["units", "create", "--name", "Dry", "--parent", "1", "-n", "--json"]);
    expect(JSON.parse(made.stdout).name).toBe("Dry");
    expect(made.stderr).toBe("Dry run: nothing was changed.\n");
    const { stdout } = await home().sit(["units", "list", "--query", "[].name"]);
    expect(stdout).not.toContain("Dry");
    const removed = await home().sit(["units", "delete", "2", "--transfer", "1", "--dry-run"]);
    const said = "Without --dry-run: Deleted unit 2.\nDry run: nothing was changed.\n";
    expect(removed).toEqual({ code: 0, stdout: "", stderr: said });
  });
});

it.skipIf(process.platform === "win32")("a relative path in a folder that was deleted: says so", () => {
  const folder = home().path("deleted");
  const line = `mkdir "$1" && cd "$1" && rmdir "$1" && exec "$2" "$3" users list --db wcs.db`;
  const { status, stderr } = spawnSync("sh", ["-c", line, "sh", folder, process.execPath, bin], {
    encoding: "utf8",
    env: home().env,
  });
  expect([status, stderr]).toEqual([
    1,
    "error: The current folder does not exist any more.\nhint: Change to another folder, then run the command again.\n",
  ]);
});

it("without a folder for temporary files: says what to set", async () => {
  const { code, stderr } = await home().spawn(["demo"], { env: { TMPDIR: home().path("missing") } });
  expect([code, stderr]).toEqual([
    1,
    "error: No folder for temporary files can be made.\nhint: Set TMPDIR to a folder that you can write to.\n",
  ]);
});

it.each(["Europe/Berlin", "/usr/share/zoneinfo/Europe/Berlin", ":/usr/share/zoneinfo/Europe/Berlin"])(
  "TZ=%s is a time zone with summer time",
  async (zone) => {
    const times = ["--start", "2027-07-03 02:15", "--end", "2027-07-03 03:15"];
    const line = ["events", "create", "--title", "Run", "--type", "user", ...times, "-n", "--json"];
    const { stdout, stderr } = await finished(start(line, { ...home().env, TZ: zone }));
    expect(stderr).toBe("Dry run: nothing was changed.\n");
    expect(JSON.parse(stdout)).toMatchObject({ dates: [{ start: Date.parse("2027-07-03T00:15:00Z") / 1000 }] });
  },
);
