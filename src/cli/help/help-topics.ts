import { topicTitles } from "./topic-titles.ts";

const tasks = `The lines work in this order on the database of wcs init --demo; people.csv, the profiles staging and production, and
the URL of the webhook are yours. -n (--dry-run) checks a change without making it.

Add a user; import a list of users, and send them a link to set a password
  wcs users create --first-name Bo --last-name Ek --email bo@example.com --unit Sales --user-types Employee --welcome
  wcs users import people.csv --dry-run
  wcs users import people.csv
  wcs users list --no-has-password --all -t '{id}' | wcs users welcome -

Deactivate a user who leaves: sessions and API tokens end; administrators can change the groups, posts, events and webhooks
  wcs users get bo@example.com --fields memberGroups,memberUnits
  wcs users export-data bo@example.com --to bo
  wcs users deactivate bo@example.com --yes

Find a mistake, and undo it
  wcs audit list --since -1h
  wcs users reactivate bo@example.com

Move all users of a unit; check an update of many users; rename and move a unit
  wcs users list --unit Sales -o csv | wcs batch - -- users membership set {id} Sales --unit 'Sales Japan'
  wcs users list --unit Sales --below -o csv | wcs batch - --dry-run -- users update {id} --title Seller
  wcs units update 'Sales Japan' --name 'Sales Asia'
  wcs units move 'Sales Asia' --parent Engineering

Find who has an ability in a unit, and through which memberships
  wcs users list --ability user --ability-unit 'Sales Denmark'
  wcs users get soren.dahl@example.com --query 'memberUnits[].{unit: unit.name, abilities: abilities}'

Find who changed users in the last week, who changed this user, and who signed in
  wcs audit list --since -7d --operation 'users.*'
  wcs audit list --user bo@example.com
  wcs audit list --operation auth.authenticate --since -7d

Find users without a password, deactivated users, and names that several users have
  wcs users list --no-has-password
  wcs users list --inactive --all --query '[?!active]' --fields id,name,email
  wcs users list --all -t '{name}' | sort | uniq -d

Compare two profiles, and copy user types and units; an export has no passwords, secrets or settings
  wcs export --profile staging | wcs diff - --profile production --exit-code
  wcs export --profile staging --only usertypes,units | wcs apply - --profile production

Use a webhook in a script: create it once, test it, wait for a callback, resend failed ones, replace the secret
  wcs webhooks create --name ci --uri https://ci.example.com/hook --triggers user.create --if-not-exists
  wcs webhooks test ci
  wcs webhooks logs ci --wait --since -1m --status 2xx --timeout 60s
  wcs webhooks recover ci --since -2d
  wcs webhooks rotate-secret ci --yes

Publish a post tomorrow in a unit and all below it, ask readers to confirm it, list those who have not, and publish it again as unseen
  wcs posts create --content-type news --title Canteen --visibility-units-falldown Sales --publish-on 'tomorrow 8:00'
  wcs posts update Canteen --body 'It opens.' --confirm-enabled
  wcs posts list --status scheduled
  wcs posts get Canteen --fields confirm
  wcs posts readers Canteen --status unconfirmed --all
  wcs posts republish Canteen --yes

Create an event, and list the answers to its invitation
  wcs events create --type unit --units Sales --title Party --start 'friday 18:00' --end +3h
  wcs events participants Party -o csv

Create a token for a script, replace it, and check tokens, webhooks and the instance
  wcs tokens create --name nightly --scopes read --expires-at +90d
  wcs tokens create --name nightly-2 --scopes read --expires-at +90d
  wcs tokens revoke nightly --yes
  wcs doctor
`;

const environment = `Target and credentials. Flags take precedence:
  WCS_PROFILE          name of a profile
  WCS_DB               SQLite file or postgres:// URL; the URL may contain a password
  WCS_URL              base URL of an instance
  WCS_TOKEN            access token or API token, used instead of a stored login and never stored
  WCS_USERNAME         e-mail address to sign in with for one command, with WCS_PASSWORD; nothing is stored
  WCS_PASSWORD         with WCS_USERNAME the password to sign in with; else that of auth login and init, and the new
                       one of users password and auth password reset
                       With WCS_URL, the token and the password are sent to that instance only
  PGPASSWORD           PostgreSQL password for URLs without one; default: PGPASSFILE or ~/.pgpass (mode 0600)

Behaviour:
  WCS_CONFIG_DIR       directory of the configuration
  WCS_PAGER, PAGER     pager for long tables; default: less; empty or cat disables it
  NO_COLOR             disables colour
  FORCE_COLOR, CLICOLOR_FORCE
                       enable colour without a terminal
  TERM=dumb            disables colour, pager and progress
  CI                   disables prompts
  WCS_DEBUG=1          prints stack traces of unexpected failures
  WCS_COMPLETION_TIMEOUT
                       milliseconds that the completion of a name may take (default 150)
  HTTP_PROXY, HTTPS_PROXY, NO_PROXY
  NODE_EXTRA_CA_CERTS  PEM file of certificate authorities to trust beside the default ones; also for wcs serve

Databases and wcs serve:
  WCS_SETTING_<KEY>    overrides a setting; dots become underscores: WCS_SETTING_BASE_URL,
                       WCS_SETTING_MAIL_SMTP_URL=smtp://user:secret@example.com
  WCS_TOKEN_KEY        key that signs access tokens
  WCS_SECRET_KEY       key that encrypts the secrets in the database: 32 bytes in base64 or hexadecimal;
                       wcs db rekey encrypts existing secrets or changes the key
  WCS_SECRET_KEY_FILE  file that contains this key
  WCS_METRICS_TOKEN    bearer token for GET /metrics on the API port
  WCS_METRICS_URL      base URL of the metrics in wcs top, and the only one that gets the token
wcs serve --config reads these from a file, too; variables take precedence over the file.
`;

/** Meanings of exit codes. The README's table is generated from them. */
export const exitCodes: readonly (readonly [code: number, meaning: string])[] = [
  [0, "success, also for an empty list"],
  [1, "unexpected failure, or the disk is full or failing"],
  [2, "usage error: unknown command or flag, missing or malformed argument, no target"],
  [3, "the input was rejected, or items were omitted from an import or export"],
  [4, "not signed in, or the token is no longer valid"],
  [5, "forbidden"],
  [6, "not found, deleted, or hidden from you"],
  [7, "conflict with existing data"],
  [8, "unreachable, timed out or busy, or the instance failed (5xx)"],
  [9, "a checked condition is not met"],
  [130, "interrupted, or a confirmation was answered with no"],
];

const exitCodesTopic = `${exitCodes.map(([code, meaning]) => `  ${String(code).padEnd(5)}${meaning}`).join("\n")}

Errors are printed to stderr as one line, with a hint where possible. With -o json or ndjson they are objects:
  {"error": {"code": "validation_failed", "message": "...", "fields": {"email": ["..."]}}}
`;

const formatting = `The default on a terminal is a table, with colour and a pager. The default elsewhere is tab-separated rows; a single
item has one row per field. -o selects a format:

  -o table   a table, also without a terminal
  -o json    a list is an array of items, a single item an object; --json is short for -o json
             wcs users get prints an object for one user, and an array for several; wcs users get - always prints an array
  -o ndjson  one item per line; memory use does not depend on the length of the list
  -o csv     comma-separated values; an apostrophe is put before cells that a spreadsheet would evaluate
             a list has the columns of its table, a single item all fields
  -o yaml    YAML

  --fields id,name,unit.name   print only these fields
  --query '[?active].email'    filter with a JMESPath expression (jmespath.org); it sees all fields, also with --fields
  -t '{id} {unit.name}'        print a line for each item; \\t is a tab, \\n a line break
  --no-header                  omit the header line
  --raw                        print the API response unchanged

Times are Unix seconds in JSON, NDJSON, CSV and YAML. Other formats show them in your time zone, or the one given by --tz.
Lists print one page on a terminal, and all items elsewhere or with -o csv or ndjson. Where a list has
pages, --all prints all items on a terminal, too; --limit N prints at most N.

Texts in arguments and flags: @FILE reads the text from a file, - from stdin. @@ stands for a text that begins with @.
Commands that take several IDs read them from stdin when the ID is -, as in wcs users deactivate -: one per line, as an ID,
name (without quotes), e-mail address or ref:REFERENCE. When there are none, they do nothing and exit with 0; set -o pipefail
makes a script fail when the command before the pipe does. For other commands, wcs batch - -- users update {id} runs one for each row.
`;

const configuration = `config.json contains the profiles, their logins and the name of the current profile. Its directory is
  $WCS_CONFIG_DIR, else $XDG_CONFIG_HOME/wcs (~/.config/wcs), on Windows %APPDATA%\\wcs.
Only you can access the directory. Concurrent commands can change the configuration safely.

The target of a command is the first of these:
  1. --profile NAME, --db PATH or --url URL
  2. WCS_PROFILE, WCS_DB or WCS_URL
  3. the current profile (wcs profile use NAME)

--db does not accept a PostgreSQL password, because other users of the machine could see it. Set PGPASSWORD, use ~/.pgpass,
or put the whole URL into WCS_DB or a profile: wcs profile add NAME --db-stdin reads it from stdin.

On a database, commands act as the user given by --as, else the user of the profile, else the first administrator.
Stored logins are renewed automatically when less than half of their lifetime is left.
`;

const webhooks = `A webhook sends a POST request to a URL when a user or a unit is created, updated or deleted:
  {"type": "user.update", "timestamp": "2026-11-21T12:00:00.000Z", "data": {the complete user or unit}}
It has the headers of Standard Webhooks (standardwebhooks.com):
  webhook-id         ID of the event, the same for all attempts; receivers can use it to ignore duplicates
  webhook-timestamp  Unix seconds of the attempt
  webhook-signature  v1,<base64 of HMAC-SHA256 over id.timestamp.body>; each rotate-secret adds one for 24 hours

The secret (whsec_...) is shown only when create or rotate-secret makes it. wcs webhooks verify checks a signature.

A response with status 2xx is a success. After other responses, delivery is retried after 5 s, 5 min, 30 min, 2 h, 5 h,
10 h, 14 h, 20 h and 24 h, or later if Retry-After (at most a day) says so. Redirects are not followed. The webhook is disabled after
status 410, or after 5 days of failures without a success. Each event is delivered at least once, in no particular
order. wcs webhooks logs shows each attempt for as many days as the setting webhooks.log_days says (default 30).

Receivers at private addresses are refused unless the setting webhooks.allow_private is on.

  wcs webhooks listen --forward-to http://localhost:3000/hook    forward events to a local receiver
  wcs webhooks logs 3 --wait --since -1m --status 2xx            wait for a delivery: exit 0, or 9 after --timeout
  wcs webhooks recover 3 --since -2d                             resend events that failed permanently
  wcs doctor                                                     find overdue, disabled and failing webhooks
`;

const calendar = `Times are read in your time zone, or the one given by --tz:
  2026-12-24 18:00, 'friday 14:00', tomorrow, +2h; RFC 3339; Unix seconds
  --end +90m and --end 15:30 are relative to --start
  --date 2026-12-24 instead of --start and --end creates an all-day event

--repeat describes the recurrence in words. It can be passed more than once:
  every day                        every 2 weeks on monday and friday
  every weekday                    every month on the 1st
  every other week                 every month on the last friday
  every tuesday and thursday       every year on 24 december
Add 'in june', 'until 2026-12-31' or '10 times' to each. 'never' removes the recurrence. The start is the first occurrence also
when its day does not fit: for the last friday of each month, start on one.
--rrule accepts a rule of RFC 5545: 'FREQ=WEEKLY;BYDAY=TU,TH;UNTIL=20261231'.
An event recurs at the same local time in the time zone of the instance, also after clock changes. A single occurrence
cannot be left out or moved: let the event end before it ('until 2026-12-31'), and create the others as a new event.

events export writes iCalendar files (RFC 5545), and events import reads them. An event keeps its UID, so importing an
export again, also into another instance, creates no duplicates. Titles and locations are single lines: line breaks in
those of a file become a space or a comma.
`;

const organisation = `wcs export writes the file, wcs diff compares it with the current data, and wcs apply applies it. YAML or JSON:

  version: 1
  usertypes:
  - reference: manager
    name: Manager
    # also groups, integrations, news, usertypes
    abilities: [calendar, units, user]
  units:
  # the root has no parent, every other unit has one
  - reference: root
    name: Acme
  - reference: eng
    name: Engineering
    parent: root
    unit_type: unit # or department
    description: Builds things
    departments: [Tools]
    # also contact, addresses, opening_hours, geo, as in units get --json
  users:
  - reference: E-001
    first_name: Grace
    last_name: Hopper
    email: grace@example.com
    unit: eng
    # references or names: all that the user holds there
    user_types: [manager]
    department: Tools
    # further units: all of them
    memberships:
    - unit: root
    active: true
    admin: false
    # also title, phone, birthday, language, timezone, provider,
    # meta_field_0 to meta_field_4
  webhooks:
  - name: payroll
    uri: https://payroll.example.com/hook
    triggers: [user.create, user.delete]
    active: true

Units are matched by reference, webhooks by name, user types by reference or else name, users by reference or else e-mail
address. An existing entry without a reference gets the reference of the file. Names of user types are equal if they differ
only in case and accents.

Sections that are not in the file stay unchanged, and so do fields that an entry lacks; null or an empty text clears a field.
wcs export omits empty fields and writes "complete: true" into the file: fields that an entry lacks are then empty, so that
wcs diff shows what was added by hand. Unchanged stay "active", references, and what users set themselves: phone, language and
timezone. Departments are added. Departments and entries that are not in the file are removed only by wcs apply --prune.
`;

const proxy = `Sign-in rate limits count attempts by client address, with IPv6 addresses grouped by /64. Behind a reverse proxy, all
clients would share the proxy's address, so wcs serve must know which proxies to trust:

  wcs serve --behind-proxy                            trust proxies on loopback and private networks
  wcs serve --behind-proxy 10.1.2.0/24,2001:db8:7::1  trust proxies in these networks or with these addresses

Each proxy must add the address of its peer to X-Forwarded-For. The client's address is the last one in the header that
does not belong to a trusted proxy; earlier addresses are ignored, since the client can forge them. Name the proxies
explicitly if clients are in private networks, because these clients could otherwise forge their address. If the header
is malformed, the address of the proxy is used.
`;

const texts: Readonly<Record<keyof typeof topicTitles, string>> = {
  tasks,
  environment,
  "exit-codes": exitCodesTopic,
  formatting,
  configuration,
  webhooks,
  calendar,
  organisation,
  proxy,
};

export const topics: Readonly<Record<string, string>> = Object.fromEntries(
  Object.entries(topicTitles).map(([name, title]) => [name, `${title}\n\n${texts[name as keyof typeof texts]}`]),
);
