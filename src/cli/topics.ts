const environment = `Environment variables

What to work on, unless a flag says it:
  WCS_PROFILE      name of a profile
  WCS_DB           SQLite file or postgres:// URL, also with a password
  PGPASSWORD       password of PostgreSQL, for URLs without one; else PGPASSFILE or ~/.pgpass (0600) is read
  WCS_URL          base URL of an instance
  WCS_TOKEN        token to use in place of a stored login; never written down
  WCS_PASSWORD     password for auth login, init, users password and auth password reset

Behaviour:
  WCS_CONFIG_DIR   directory of the configuration
  WCS_PAGER, PAGER pager for long tables (less); empty or cat for none
  NO_COLOR, FORCE_COLOR, TERM=dumb
  CI               ask nothing
  WCS_DEBUG=1      show where an unexpected failure happened
  HTTP_PROXY, HTTPS_PROXY, NO_PROXY

Of the instance, for databases and wcs serve:
  WCS_SETTING_<KEY>  overrides a setting, dots as underscores: WCS_SETTING_BASE_URL,
                     WCS_SETTING_MAIL_SMTP_URL=smtp://user:password@mail.example.com:587
  WCS_TOKEN_KEY      key that signs the tokens
  WCS_SECRET_KEY     key that encrypts the secrets in the database, 32 bytes in base64 or hexadecimal;
                     wcs db rekey encrypts those that are there, or changes the key
  WCS_SECRET_KEY_FILE  file that holds this key
  WCS_METRICS_TOKEN  bearer token for GET /metrics on the port of the API
`;

const exitCodes = `Exit codes

  0    done (an empty list, too)
  1    unexpected failure, or the disk is full or failing
  2    usage: unknown command or flag, missing or malformed argument, nothing to work on
  3    the service rejected the input
  4    not signed in, or the token is no longer good
  5    forbidden
  6    not found, deleted, or hidden from you
  7    conflict
  8    unreachable, timed out, busy
  9    a condition that was asked about does not hold
  130  interrupted

Errors are one line on stderr, with a hint where there is one. With -o json or ndjson they are an object:
  {"error": {"code": "validation_failed", "message": "...", "fields": {"email": ["..."]}}}
`;

const formatting = `Output formats

On a terminal results are tables, with colour and a pager; elsewhere they are rows divided by tabs, of one
thing a row per field. -o says otherwise:

  -o table   a table, also where there is no terminal
  -o json    a list is an array of its items, one thing an object; --json is short for it
  -o ndjson  one item per line; with --all it takes no more memory for a longer list
  -o csv     comma-separated values; what a spreadsheet would compute gets an apostrophe before it
  -o yaml

  --fields id,name,unit.name   only these fields
  --query '[?active].email'    filter by a JMESPath expression (jmespath.org)
  --no-header                  rows without the line of names
  --raw                        the response as the API gave it

In JSON, CSV and YAML, times are Unix seconds. Else they are shown in your zone, or that of --tz.
Lists show one page; --limit N shows so many items, --all all of them.
`;

const configuration = `Configuration

Profiles, their logins and the name of the current one live in config.json in
  $WCS_CONFIG_DIR, else $XDG_CONFIG_HOME/wcs (~/.config/wcs), on Windows %APPDATA%\\wcs.
The directory is open to you alone. Commands that run at the same time do not get in each other's way.

What a command works on is named by the first of these:
  1. --profile NAME, --db PATH or --url URL
  2. WCS_PROFILE, WCS_DB or WCS_URL
  3. the current profile (wcs profile use NAME)

The password of a PostgreSQL database never stands in --db, where other users of the machine see it. It comes from PGPASSWORD
or ~/.pgpass, or within the URL from WCS_DB or a profile: wcs profile add NAME --db-stdin reads it from stdin.

On a database, --as says who acts; else it is the user of the profile, else the first administrator.
A login is renewed on the way when less than half of its life is left.
`;

const webhooks = `Webhooks

A webhook is a URL that is called by POST whenever a user or a unit is created, updated or deleted:
  {"type": "user.update", "timestamp": "2026-11-21T12:00:00.000Z", "data": {the user or unit, in full}}
with the headers of Standard Webhooks (standardwebhooks.com):
  webhook-id         the same in all attempts; by it a receiver knows what it has seen
  webhook-timestamp  Unix seconds of the attempt
  webhook-signature  v1,<base64 of HMAC-SHA256 over id.timestamp.body>; two of them for 24 hours after rotate-secret

The secret (whsec_...) is shown when the webhook is created, and never again. wcs webhooks verify checks a signature.

An answer of 2xx is a success. Anything else is tried again after 5 s, 5 min, 30 min, 2 h, 5 h, 10 h, 14 h, 20 h
and 24 h, or when Retry-After says; redirects are not followed, 410 disables the webhook, and so do 5 days of
failures only. An event arrives at least once; no order is promised. wcs webhooks logs shows each attempt for 30 days.

Receivers at private addresses are refused, unless the setting webhooks.allow_private is on.

  wcs webhooks listen --forward-to http://localhost:3000/hook    try a receiver on this machine
  wcs webhooks logs 3 --wait --event user.create --status 200    a gate for CI: exit 0, or 9 after --timeout
  wcs webhooks recover 3 --since -2d                             send again what failed for good
  wcs doctor                                                     find what is overdue, disabled or failing
`;

const calendar = `Calendar events

Times are read in your zone, or that of --tz:
  2026-12-24 18:00, 'friday 14:00', tomorrow, +2h; RFC 3339; Unix seconds
  --end +90m and --end 15:30 count from --start
  --date 2026-12-24 in place of both is an event for the whole day

--repeat says in words how an event comes again, as often as it is given:
  every day                        every 2 weeks on monday and friday
  every weekday                    every month on the 1st
  every other week                 every month on the last friday
  every tuesday and thursday       every year on 24 december
each also with: in june, until 2026-12-31, 10 times. --repeat never makes it come once.
--rrule takes a rule of RFC 5545: 'FREQ=WEEKLY;BYDAY=TU,TH;UNTIL=20261231'.
An event comes again at the same time of day in the time zone of the instance, also when the clocks are changed there.

iCalendar files (RFC 5545) go out by events export, and come in by events import. An event keeps its UID, by which it is
known when it comes in again; so an export imported elsewhere, or a second time, makes no event twice. Titles and places
are one line here: line breaks in those of a file become a space or a comma.
`;

const organisation = `An organisation as a file

wcs export writes it, wcs diff compares it with what is there, wcs apply carries it out; in YAML or JSON:

  version: 1
  usertypes:
  - reference: manager
    name: Manager
    abilities: [calendar, units, user]     # also groups, integrations, news, usertypes
  units:
  - reference: root                        # the root has no parent, every other unit has one
    name: Acme
  - reference: eng
    name: Engineering
    parent: root
    unit_type: unit                        # or department
    description: Builds things
    departments: [Tools]
                                           # also contact, addresses, opening_hours, geo, as units get --json shows them
  users:
  - reference: E-001
    first_name: Grace
    last_name: Hopper
    email: grace@example.com
    unit: eng
    user_types: [manager]                  # references or names: all that the user holds there
    department: Tools
    memberships:                           # further units: all of them
    - unit: root
    active: true
    admin: false
                                           # also title, phone, birthday, language, timezone, meta_field_0 to meta_field_4
  webhooks:
  - name: payroll
    uri: https://payroll.example.com/hook
    triggers: [user.create, user.delete]
    active: true

A unit is known by its reference, a webhook by its name; a user type by its reference, without one by its name; a user by
the reference, without one by the e-mail address. What has no reference yet gets that of the file.

A section or field that is not in the file is left alone; null or an empty text clears a field. Export leaves out what
is empty. Departments are added; they, and what else is not in the file, go with apply --prune only.
`;

const proxy = `Behind a proxy

Limits on signing in count by the client's address, IPv6 by its /64. Behind a reverse proxy all clients would share the
proxy's, so wcs serve has to be told which proxies to believe:

  wcs serve --behind-proxy                            those on loopback and private networks
  wcs serve --behind-proxy 10.1.2.0/24,2001:db8:7::1  those in these networks, or with these addresses

Each proxy has to add the address of its peer to X-Forwarded-For. The client is the last address there that is not a
proxy's; what comes before it is the client's own claim, and not believed. Name the proxies where clients are in private
networks, too, or these could claim any address. If the header is malformed, the address of the proxy counts.
`;

/** Texts of `wcs help TOPIC`. */
export const topics: Readonly<Record<string, string>> = {
  environment,
  "exit-codes": exitCodes,
  formatting,
  configuration,
  webhooks,
  calendar,
  organisation,
  proxy,
};
