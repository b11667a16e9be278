# fish completion for wcs. Made by: wcs completion fish

function __wcs_place --no-scope-shadowing
    set words
    set flags
    set values
    set args
    set many
    switch "$argv[1]"
        case ''
            set words 'init	Make a database, its first administrator and a profile' 'demo	See the main job end to end, in a throw-away database' 'serve	Serve the HTTP API, deliver webhooks and mail' 'auth	Sign in and out, renew and show the token' 'profile	Databases and instances to work with' 'users	People, their memberships and birthdays' 'units	The tree of units, and their departments' 'usertypes	User types and what they may do' 'webhooks	URLs that are called when users and units change' 'posts	News, debates and event posts, with comments and polls' 'events	Calendar events, their files and participants' 'groups	Groups and their members, the home of debates' 'counters	How much is new' 'settings	Settings of the instance' 'db	The database itself' 'doctor	Find out what is wrong, and what to do about it' 'languages	Languages that the instance offers' 'timezones	Time zones and their offsets' 'api	Any operation by method and path' 'completion	Completion for bash, zsh, fish and PowerShell' 'help	Help on a command or topic'
            set flags '--version	Show the version'
        case 'init'
            set flags '--admin-email	The first administrator\'s e-mail address' '--admin-name	The first administrator\'s name, as "First Last"' '--password-stdin	Read the administrator\'s password from stdin' '--password-file	Read the administrator\'s password from a file' '--root-unit	Name of the unit above all others (default Organisation)' '--demo	Fill it with a small organisation to try things on' '--no-profile	Keep no profile'
            set values '--admin-email=' '--admin-name=' '--password-file=@file' '--root-unit='
        case 'demo'
        case 'serve'
            set flags '--port	Port to listen on, 0 for a free one (default 8420)' '--host	Address to listen on (default 127.0.0.1)' '--metrics-port	Serve /metrics for Prometheus here; or with WCS_METRICS_TOKEN, on the port itself' '--smtp-url	Mail server, as in smtp://mail.example.com:25, in place of the setting mail.smtp_url; without a password' '--behind-proxy	Believe X-Forwarded-For of the proxy in front' '--log-level	debug, info, warn, error or silent (default info)'
            set values '--port=' '--host=' '--metrics-port=' '--smtp-url=' '--log-level=debug|info|warn|error|silent'
        case 'auth'
            set words 'login	Sign in with e-mail and password' 'logout	Forget the token of a profile' 'renew	Exchange the token for a newer one' 'status	Who is signed in, where and until when' 'token	Print the token, for another program' 'password	A forgotten password'
        case 'auth login'
            set flags '--username	Your e-mail address' '--password-stdin	Read the password from stdin [WCS_PASSWORD]' '--password-file	Read the password from a file'
            set values '--username=' '--password-file=@file'
        case 'auth logout'
        case 'auth renew'
        case 'auth status'
        case 'auth token'
        case 'auth password'
            set words 'request	Ask for a mail that lets a user set a new password' 'reset	Set a new password with the token from the mail'
        case 'auth password request'
            set flags '--email	Email (required)' '--data	All fields as a JSON object, @file or - for stdin' '--dry-run	Check everything, change nothing' '-n	Check everything, change nothing'
            set values '--email=' '--data='
        case 'auth password reset'
            set flags '--token-stdin	Read token (required) from stdin' '--token-file	Read token (required) from a file' '--email	Email (required)' '--password-stdin	Read password (required) from stdin' '--password-file	Read password (required) from a file' '--data	All fields as a JSON object, @file or - for stdin' '--dry-run	Check everything, change nothing' '-n	Check everything, change nothing'
            set values '--token-file=@file' '--email=' '--password-file=@file' '--data='
        case 'profile'
            set words 'list	Profiles, the current one marked' 'use	Make a profile the current one' 'add	Keep a target under a name' 'remove	Forget a profile and its login' 'show	One profile, without its token'
        case 'profile list'
        case 'profile use'
            set args '@profiles'
        case 'profile add'
            set args ''
        case 'profile remove'
            set args '@profiles'
        case 'profile show'
            set args '@profiles'
        case 'users'
            set words 'list	Users, by ID' 'get	One user' 'search	Active users whose name, title or e-mail begins with each word' 'create	Create a user' 'update	Change a user' 'delete	Delete a user: personal data and credentials are erased, posts and messages stay' 'deactivate	Deactivate a user: no signing in, not in lists' 'reactivate	Let a deactivated user back in' 'current	The user who asks' 'welcome	Send the welcome mail' 'password	Set a user\'s password' 'birthdays	Users with a birthday in a period' 'policy	The site policy' 'membership	Memberships of units' 'import	Create and change users from a file of rows' 'export	Write users as a file that import reads'
        case 'users list'
            set flags '--unit	Members of this unit' '--below	With unit: members of the units below it, too' '--no-below	With unit: members of the units below it, too' '--user-type	Holders of this user type' '--admin	Only administrators, or only others' '--no-admin	Only administrators, or only others' '--inactive	Deactivated users, too' '--no-inactive	Deactivated users, too' '--email	The user with this address, if you may see it' '--cursor	Continues a list: next_cursor or prev_cursor of a page' '--limit	At most so many items in all' '--all	All items, page by page'
            set values '--unit=@units' '--user-type=@usertypes' '--email=' '--cursor=' '--limit='
        case 'users get'
            set flags '--reference	Name it by its reference'
            set values '--reference='
            set args '@users'
            set many 1
        case 'users search'
            set flags '--limit	Limit (default 50)'
            set values '--limit='
            set args ''
            set many 1
        case 'users create'
            set flags '--first-name	First name (required)' '--last-name	Last name (required)' '--email	Email (required)' '--unit	The user\'s unit (required)' '--user-types	User types' '--department	Department' '--password-stdin	Read password from stdin' '--password-file	Read password from a file' '--welcome	Send the welcome mail' '--no-welcome	Send the welcome mail' '--admin	Make the user an administrator; administrators only' '--no-admin	Make the user an administrator; administrators only' '--reference	Reference' '--title	Title' '--phone	Phone' '--birthday	Birthday' '--language	Language' '--timezone	Timezone' '--settings-show-birthdays	Settings show birthdays' '--settings-birthdays-optout	Settings birthdays optout' '--no-settings-birthdays-optout	Settings birthdays optout' '--meta-field-0	Meta field 0' '--meta-field-1	Meta field 1' '--meta-field-2	Meta field 2' '--meta-field-3	Meta field 3' '--meta-field-4	Meta field 4' '--data	All fields as a JSON object, @file or - for stdin' '--unset	Clear these fields' '--dry-run	Check everything, change nothing' '-n	Check everything, change nothing'
            set values '--first-name=' '--last-name=' '--email=' '--unit=@units' '--user-types=@usertypes' '--department=' '--password-file=@file' '--reference=' '--title=' '--phone=' '--birthday=' '--language=' '--timezone=' '--settings-show-birthdays=all|unit|none' '--meta-field-0=' '--meta-field-1=' '--meta-field-2=' '--meta-field-3=' '--meta-field-4=' '--data=' '--unset='
        case 'users update'
            set flags '--first-name	First name' '--last-name	Last name' '--email	Email' '--admin	Administrators only' '--no-admin	Administrators only' '--reference	Reference' '--title	Title' '--phone	Phone' '--birthday	Birthday' '--language	Language' '--timezone	Timezone' '--settings-show-birthdays	Settings show birthdays' '--settings-birthdays-optout	Settings birthdays optout' '--no-settings-birthdays-optout	Settings birthdays optout' '--meta-field-0	Meta field 0' '--meta-field-1	Meta field 1' '--meta-field-2	Meta field 2' '--meta-field-3	Meta field 3' '--meta-field-4	Meta field 4' '--data	All fields as a JSON object, @file or - for stdin' '--unset	Clear these fields' '--dry-run	Check everything, change nothing' '-n	Check everything, change nothing'
            set values '--first-name=' '--last-name=' '--email=' '--reference=' '--title=' '--phone=' '--birthday=' '--language=' '--timezone=' '--settings-show-birthdays=all|unit|none' '--meta-field-0=' '--meta-field-1=' '--meta-field-2=' '--meta-field-3=' '--meta-field-4=' '--data=' '--unset='
            set args '@users'
        case 'users delete'
            set flags '--yes	Do not ask' '-y	Do not ask' '--dry-run	Check everything, change nothing' '-n	Check everything, change nothing'
            set args '@users'
        case 'users deactivate'
            set flags '--yes	Do not ask' '-y	Do not ask' '--dry-run	Check everything, change nothing' '-n	Check everything, change nothing'
            set args '@users'
        case 'users reactivate'
            set flags '--dry-run	Check everything, change nothing' '-n	Check everything, change nothing'
            set args '@users'
        case 'users current'
        case 'users welcome'
            set flags '--dry-run	Check everything, change nothing' '-n	Check everything, change nothing'
            set args '@users'
            set many 1
        case 'users password'
            set flags '--password-stdin	Read password (required) from stdin' '--password-file	Read password (required) from a file' '--current-stdin	Read your present password, for your own from stdin' '--current-file	Read your present password, for your own from a file' '--data	All fields as a JSON object, @file or - for stdin' '--dry-run	Check everything, change nothing' '-n	Check everything, change nothing'
            set values '--password-file=@file' '--current-file=@file' '--data='
            set args '@users'
        case 'users birthdays'
            set flags '--start	First day, MM-DD' '--end	Last day, MM-DD' '--page	Page (default 1)' '--limit	At most so many items in all' '--all	All items, page by page'
            set values '--start=' '--end=' '--page=' '--limit='
        case 'users policy'
            set words 'accept	Accept the site policy'
        case 'users policy accept'
            set flags '--dry-run	Check everything, change nothing' '-n	Check everything, change nothing'
        case 'users membership'
            set words 'list	A user\'s memberships of units' 'add	Make a user a member of a unit' 'set	Change a membership: user types, department, or the unit itself' 'remove	End a membership; the last one stays'
        case 'users membership list'
            set args '@users'
        case 'users membership add'
            set flags '--user-types	User types' '--department	Department' '--data	All fields as a JSON object, @file or - for stdin' '--dry-run	Check everything, change nothing' '-n	Check everything, change nothing'
            set values '--user-types=@usertypes' '--department=' '--data='
            set args '@users' '@units'
        case 'users membership set'
            set flags '--unit	The unit to move to' '--user-types	User types' '--department	Department' '--overwrite	Replace the user types rather than add to them' '--no-overwrite	Do not replace the user types rather than add to them' '--data	All fields as a JSON object, @file or - for stdin' '--unset	Clear these fields' '--dry-run	Check everything, change nothing' '-n	Check everything, change nothing'
            set values '--unit=@units' '--user-types=@usertypes' '--department=' '--data=' '--unset='
            set args '@users' '@units'
        case 'users membership remove'
            set flags '--yes	Do not ask' '-y	Do not ask' '--dry-run	Check everything, change nothing' '-n	Check everything, change nothing'
            set args '@users' '@units'
        case 'users import'
            set flags '--format	csv or ndjson; else what the name of the file says, else csv' '--strict	Nothing goes in when one row is bad' '--results	Write what became of each row: line, reference, action, id, errors' '--dry-run	Check everything, change nothing' '-n	Check everything, change nothing' '--create-user-types	Create user types that rows name'
            set values '--format=csv|ndjson' '--results=@file'
            set args '@file'
        case 'users export'
            set flags '--format	csv or ndjson; else what the name of the file says, else csv' '--unit	Only members of this unit and of those below it' '--inactive	Deactivated users, too; imported elsewhere they are active'
            set values '--format=csv|ndjson' '--unit=@units'
            set args '@file'
        case 'units'
            set words 'list	Units, by ID' 'get	One unit' 'tree	A branch of the tree: each unit is followed by all below it' 'children	The units directly below a unit' 'create	Create a unit' 'update	Change a unit' 'move	Move a unit with all below it to another parent' 'delete	Delete a unit' 'department	Departments of a unit' 'import	Create, change and move units from a file of rows' 'export	Write units as a file that import reads'
        case 'units list'
            set flags '--parent	Children of this unit' '--below	All units below this one' '--unit-type	Unit type' '--name	Units whose name begins so' '--cursor	Continues a list: next_cursor or prev_cursor of a page' '--limit	At most so many items in all' '--all	All items, page by page'
            set values '--parent=@units' '--below=@units' '--unit-type=unit|department' '--name=' '--cursor=' '--limit='
        case 'units get'
            set flags '--reference	Name it by its reference'
            set values '--reference='
            set args '@units'
        case 'units tree'
            set flags '--depth	Levels below it' '--cursor	Continues a list: next_cursor or prev_cursor of a page' '--limit	At most so many items in all' '--all	All items, page by page'
            set values '--depth=' '--cursor=' '--limit='
            set args '@units'
        case 'units children'
            set flags '--cursor	Continues a list: next_cursor or prev_cursor of a page' '--limit	At most so many items in all' '--all	All items, page by page'
            set values '--cursor=' '--limit='
            set args '@units'
        case 'units create'
            set flags '--name	Name (required)' '--parent	The unit above (required)' '--reference	Reference' '--description	Description' '--unit-type	Unit type' '--contact-name	Contact name' '--contact-phone	Contact phone' '--addresses-company-company	Company company' '--addresses-company-registration-number	Company registration number' '--addresses-company-vat-number	Company vat number' '--addresses-company-street	Company street' '--addresses-company-street-additional	Company street additional' '--addresses-company-postal-code	Company postal code' '--addresses-company-city	Company city' '--addresses-company-country	Company country' '--addresses-company-phone	Company phone' '--addresses-company-email	Company email' '--addresses-company-comments	Company comments' '--addresses-company-use-company-address	Company use company address' '--no-addresses-company-use-company-address	Company use company address' '--addresses-delivery-company	Delivery company' '--addresses-delivery-registration-number	Delivery registration number' '--addresses-delivery-vat-number	Delivery vat number' '--addresses-delivery-street	Delivery street' '--addresses-delivery-street-additional	Delivery street additional' '--addresses-delivery-postal-code	Delivery postal code' '--addresses-delivery-city	Delivery city' '--addresses-delivery-country	Delivery country' '--addresses-delivery-phone	Delivery phone' '--addresses-delivery-email	Delivery email' '--addresses-delivery-comments	Delivery comments' '--addresses-delivery-use-company-address	Delivery use company address' '--no-addresses-delivery-use-company-address	Delivery use company address' '--addresses-invoicing-company	Invoicing company' '--addresses-invoicing-registration-number	Invoicing registration number' '--addresses-invoicing-vat-number	Invoicing vat number' '--addresses-invoicing-street	Invoicing street' '--addresses-invoicing-street-additional	Invoicing street additional' '--addresses-invoicing-postal-code	Invoicing postal code' '--addresses-invoicing-city	Invoicing city' '--addresses-invoicing-country	Invoicing country' '--addresses-invoicing-phone	Invoicing phone' '--addresses-invoicing-email	Invoicing email' '--addresses-invoicing-comments	Invoicing comments' '--addresses-invoicing-use-company-address	Invoicing use company address' '--no-addresses-invoicing-use-company-address	Invoicing use company address' '--opening-hours-office-hours	Opening hours office hours' '--opening-hours-closed	Opening hours closed' '--geo-lat	Geo lat' '--geo-lng	Geo lng' '--data	All fields as a JSON object, @file or - for stdin' '--unset	Clear these fields' '--dry-run	Check everything, change nothing' '-n	Check everything, change nothing'
            set values '--name=' '--parent=@units' '--reference=' '--description=' '--unit-type=unit|department' '--contact-name=' '--contact-phone=' '--addresses-company-company=' '--addresses-company-registration-number=' '--addresses-company-vat-number=' '--addresses-company-street=' '--addresses-company-street-additional=' '--addresses-company-postal-code=' '--addresses-company-city=' '--addresses-company-country=' '--addresses-company-phone=' '--addresses-company-email=' '--addresses-company-comments=' '--addresses-delivery-company=' '--addresses-delivery-registration-number=' '--addresses-delivery-vat-number=' '--addresses-delivery-street=' '--addresses-delivery-street-additional=' '--addresses-delivery-postal-code=' '--addresses-delivery-city=' '--addresses-delivery-country=' '--addresses-delivery-phone=' '--addresses-delivery-email=' '--addresses-delivery-comments=' '--addresses-invoicing-company=' '--addresses-invoicing-registration-number=' '--addresses-invoicing-vat-number=' '--addresses-invoicing-street=' '--addresses-invoicing-street-additional=' '--addresses-invoicing-postal-code=' '--addresses-invoicing-city=' '--addresses-invoicing-country=' '--addresses-invoicing-phone=' '--addresses-invoicing-email=' '--addresses-invoicing-comments=' '--opening-hours-office-hours=' '--opening-hours-closed=' '--geo-lat=' '--geo-lng=' '--data=' '--unset='
        case 'units update'
            set flags '--name	Name' '--reference	Reference' '--description	Description' '--unit-type	Unit type' '--contact-name	Contact name' '--contact-phone	Contact phone' '--addresses-company-company	Company company' '--addresses-company-registration-number	Company registration number' '--addresses-company-vat-number	Company vat number' '--addresses-company-street	Company street' '--addresses-company-street-additional	Company street additional' '--addresses-company-postal-code	Company postal code' '--addresses-company-city	Company city' '--addresses-company-country	Company country' '--addresses-company-phone	Company phone' '--addresses-company-email	Company email' '--addresses-company-comments	Company comments' '--addresses-company-use-company-address	Company use company address' '--no-addresses-company-use-company-address	Company use company address' '--addresses-delivery-company	Delivery company' '--addresses-delivery-registration-number	Delivery registration number' '--addresses-delivery-vat-number	Delivery vat number' '--addresses-delivery-street	Delivery street' '--addresses-delivery-street-additional	Delivery street additional' '--addresses-delivery-postal-code	Delivery postal code' '--addresses-delivery-city	Delivery city' '--addresses-delivery-country	Delivery country' '--addresses-delivery-phone	Delivery phone' '--addresses-delivery-email	Delivery email' '--addresses-delivery-comments	Delivery comments' '--addresses-delivery-use-company-address	Delivery use company address' '--no-addresses-delivery-use-company-address	Delivery use company address' '--addresses-invoicing-company	Invoicing company' '--addresses-invoicing-registration-number	Invoicing registration number' '--addresses-invoicing-vat-number	Invoicing vat number' '--addresses-invoicing-street	Invoicing street' '--addresses-invoicing-street-additional	Invoicing street additional' '--addresses-invoicing-postal-code	Invoicing postal code' '--addresses-invoicing-city	Invoicing city' '--addresses-invoicing-country	Invoicing country' '--addresses-invoicing-phone	Invoicing phone' '--addresses-invoicing-email	Invoicing email' '--addresses-invoicing-comments	Invoicing comments' '--addresses-invoicing-use-company-address	Invoicing use company address' '--no-addresses-invoicing-use-company-address	Invoicing use company address' '--opening-hours-office-hours	Opening hours office hours' '--opening-hours-closed	Opening hours closed' '--geo-lat	Geo lat' '--geo-lng	Geo lng' '--data	All fields as a JSON object, @file or - for stdin' '--unset	Clear these fields' '--dry-run	Check everything, change nothing' '-n	Check everything, change nothing'
            set values '--name=' '--reference=' '--description=' '--unit-type=unit|department' '--contact-name=' '--contact-phone=' '--addresses-company-company=' '--addresses-company-registration-number=' '--addresses-company-vat-number=' '--addresses-company-street=' '--addresses-company-street-additional=' '--addresses-company-postal-code=' '--addresses-company-city=' '--addresses-company-country=' '--addresses-company-phone=' '--addresses-company-email=' '--addresses-company-comments=' '--addresses-delivery-company=' '--addresses-delivery-registration-number=' '--addresses-delivery-vat-number=' '--addresses-delivery-street=' '--addresses-delivery-street-additional=' '--addresses-delivery-postal-code=' '--addresses-delivery-city=' '--addresses-delivery-country=' '--addresses-delivery-phone=' '--addresses-delivery-email=' '--addresses-delivery-comments=' '--addresses-invoicing-company=' '--addresses-invoicing-registration-number=' '--addresses-invoicing-vat-number=' '--addresses-invoicing-street=' '--addresses-invoicing-street-additional=' '--addresses-invoicing-postal-code=' '--addresses-invoicing-city=' '--addresses-invoicing-country=' '--addresses-invoicing-phone=' '--addresses-invoicing-email=' '--addresses-invoicing-comments=' '--opening-hours-office-hours=' '--opening-hours-closed=' '--geo-lat=' '--geo-lng=' '--data=' '--unset='
            set args '@units'
        case 'units move'
            set flags '--parent	The new unit above (required)' '--data	All fields as a JSON object, @file or - for stdin' '--dry-run	Check everything, change nothing' '-n	Check everything, change nothing'
            set values '--parent=@units' '--data='
            set args '@units'
        case 'units delete'
            set flags '--transfer	The unit that takes children and members' '--data	All fields as a JSON object, @file or - for stdin' '--yes	Do not ask' '-y	Do not ask' '--dry-run	Check everything, change nothing' '-n	Check everything, change nothing'
            set values '--transfer=@units' '--data='
            set args '@units'
        case 'units department'
            set words 'add	Add a department to a unit' 'update	Rename a department' 'remove	Remove a department; its members stay in the unit'
        case 'units department add'
            set flags '--dry-run	Check everything, change nothing' '-n	Check everything, change nothing'
            set args '@units' ''
        case 'units department update'
            set flags '--name	Name (required)' '--data	All fields as a JSON object, @file or - for stdin' '--dry-run	Check everything, change nothing' '-n	Check everything, change nothing'
            set values '--name=' '--data='
            set args '@units' ''
        case 'units department remove'
            set flags '--yes	Do not ask' '-y	Do not ask' '--dry-run	Check everything, change nothing' '-n	Check everything, change nothing'
            set args '@units' ''
        case 'units import'
            set flags '--format	csv or ndjson; else what the name of the file says, else csv' '--strict	Nothing goes in when one row is bad' '--results	Write what became of each row: line, reference, action, id, errors' '--dry-run	Check everything, change nothing' '-n	Check everything, change nothing'
            set values '--format=csv|ndjson' '--results=@file'
            set args '@file'
        case 'units export'
            set flags '--format	csv or ndjson; else what the name of the file says, else csv'
            set values '--format=csv|ndjson'
            set args '@file'
        case 'usertypes'
            set words 'list	User types' 'get	One user type' 'create	Create a user type' 'update	Change a user type' 'delete	Delete a user type that nobody holds'
        case 'usertypes list'
            set flags '--cursor	Continues a list: next_cursor or prev_cursor of a page' '--limit	At most so many items in all' '--all	All items, page by page'
            set values '--cursor=' '--limit='
        case 'usertypes get'
            set flags '--reference	Name it by its reference'
            set values '--reference='
            set args '@usertypes'
        case 'usertypes create'
            set flags '--name	Name (required)' '--reference	Reference' '--abilities-news	Abilities news' '--no-abilities-news	Abilities news' '--abilities-calendar	Abilities calendar' '--no-abilities-calendar	Abilities calendar' '--abilities-groups	Abilities groups' '--no-abilities-groups	Abilities groups' '--abilities-user	Abilities user' '--no-abilities-user	Abilities user' '--abilities-units	Abilities units' '--no-abilities-units	Abilities units' '--abilities-usertypes	Abilities usertypes' '--no-abilities-usertypes	Abilities usertypes' '--abilities-integrations	Abilities integrations' '--no-abilities-integrations	Abilities integrations' '--data	All fields as a JSON object, @file or - for stdin' '--unset	Clear these fields' '--dry-run	Check everything, change nothing' '-n	Check everything, change nothing'
            set values '--name=' '--reference=' '--data=' '--unset='
        case 'usertypes update'
            set flags '--name	Name' '--reference	Reference' '--abilities-news	Abilities news' '--no-abilities-news	Abilities news' '--abilities-calendar	Abilities calendar' '--no-abilities-calendar	Abilities calendar' '--abilities-groups	Abilities groups' '--no-abilities-groups	Abilities groups' '--abilities-user	Abilities user' '--no-abilities-user	Abilities user' '--abilities-units	Abilities units' '--no-abilities-units	Abilities units' '--abilities-usertypes	Abilities usertypes' '--no-abilities-usertypes	Abilities usertypes' '--abilities-integrations	Abilities integrations' '--no-abilities-integrations	Abilities integrations' '--data	All fields as a JSON object, @file or - for stdin' '--unset	Clear these fields' '--dry-run	Check everything, change nothing' '-n	Check everything, change nothing'
            set values '--name=' '--reference=' '--data=' '--unset='
            set args '@usertypes'
        case 'usertypes delete'
            set flags '--yes	Do not ask' '-y	Do not ask' '--dry-run	Check everything, change nothing' '-n	Check everything, change nothing'
            set args '@usertypes'
        case 'webhooks'
            set words 'list	Webhooks' 'get	One webhook' 'create	Register a URL to be called when users or units change' 'update	Change a webhook' 'delete	Delete a webhook, its log, and what waits to be sent' 'rotate-secret	Give a webhook a new secret' 'test	Send a test event and see what comes of it' 'stats	How many attempts succeeded and failed over time' 'logs	Attempts to call a webhook, newest first' 'log	One attempt with its request and response' 'resend	Send the event of a log entry again, with the same ID and all attempts' 'recover	Send again everything that failed for good since a time' 'listen	Forward events to a program on this machine' 'verify	Check the signature of a callback, whose body is read from stdin' 'deliver	Send what waits to be sent from a database, then end'
        case 'webhooks list'
        case 'webhooks get'
            set args '@webhooks'
        case 'webhooks create'
            set flags '--name	Name (required)' '--uri	URL to call, http or https (required)' '--triggers	Triggers' '--if-not-exists	Show the one with the same name and uri, if there is one' '--data	All fields as a JSON object, @file or - for stdin' '--dry-run	Check everything, change nothing' '-n	Check everything, change nothing'
            set values '--name=' '--uri=' '--triggers=' '--data='
        case 'webhooks update'
            set flags '--name	Name' '--uri	URL to call, http or https' '--triggers	Triggers' '--active	Active' '--no-active	Active' '--data	All fields as a JSON object, @file or - for stdin' '--dry-run	Check everything, change nothing' '-n	Check everything, change nothing'
            set values '--name=' '--uri=' '--triggers=' '--data='
            set args '@webhooks'
        case 'webhooks delete'
            set flags '--yes	Do not ask' '-y	Do not ask' '--dry-run	Check everything, change nothing' '-n	Check everything, change nothing'
            set args '@webhooks'
        case 'webhooks rotate-secret'
            set flags '--yes	Do not ask' '-y	Do not ask' '--dry-run	Check everything, change nothing' '-n	Check everything, change nothing'
            set args '@webhooks'
        case 'webhooks test'
            set flags '--wait	Wait (default 20)' '--data	All fields as a JSON object, @file or - for stdin' '--dry-run	Check everything, change nothing' '-n	Check everything, change nothing'
            set values '--wait=' '--data='
            set args '@webhooks'
        case 'webhooks stats'
            set flags '--since	default 24 hours ago' '--parts	Into how many parts the time is divided (default 24)'
            set values '--since=' '--parts='
            set args '@webhooks'
        case 'webhooks logs'
            set flags '--event	Only calls for this trigger' '--status	Only calls that ended so, as in 200 or timeout' '--since	Only calls since then, as in -1h or 2026-12-31' '--limit	At most so many items in all' '--all	All items, page by page' '--follow	Print new entries as they come' '-f	Print new entries as they come' '--wait	Wait for an entry that fits'
            set values '--event=user.create|user.update|user.delete|unit.create|unit.update|unit.delete' '--status=' '--since=' '--limit='
            set args '@webhooks'
        case 'webhooks log'
            set args '@webhooks' ''
        case 'webhooks resend'
            set flags '--dry-run	Check everything, change nothing' '-n	Check everything, change nothing'
            set args '@webhooks' ''
        case 'webhooks recover'
            set flags '--since	Since (required)' '--data	All fields as a JSON object, @file or - for stdin' '--dry-run	Check everything, change nothing' '-n	Check everything, change nothing'
            set values '--since=' '--data='
            set args '@webhooks'
        case 'webhooks listen'
            set flags '--forward-to	Where the program listens' '--triggers	Only these (default all)' '--print-secret	Print the secret on stdout first'
            set values '--forward-to=' '--triggers=user.create|user.update|user.delete|unit.create|unit.update|unit.delete'
        case 'webhooks verify'
            set flags '--secret-file	File that holds the secret (whsec_...)' '--header	Header of the callback; webhook-id, -timestamp, -signature' '-H	Header of the callback; webhook-id, -timestamp, -signature' '--tolerance	How old it may be (default 5m)'
            set values '--secret-file=@file' '--header=' '-H=' '--tolerance='
        case 'webhooks deliver'
            set flags '--smtp-url	Mail server, as in smtp://mail.example.com:25, in place of the setting mail.smtp_url; without a password'
            set values '--smtp-url='
        case 'posts'
        case 'events'
        case 'groups'
        case 'counters'
        case 'settings'
            set words 'list	The settings of the instance' 'get	The value of one setting' 'set	Change a setting'
        case 'settings list'
        case 'settings get'
            set args ''
        case 'settings set'
            set flags '--default	Restore the default' '--value-stdin	Read the value from stdin' '--value-file	Read the value from a file' '--dry-run	Check everything, change nothing' '-n	Check everything, change nothing'
            set values '--value-file=@file'
            set args '' ''
        case 'db'
            set words 'outbox	Callbacks and mails that wait to be sent'
        case 'db outbox'
        case 'doctor'
        case 'languages'
            set words 'list	Languages that the instance offers'
        case 'languages list'
        case 'timezones'
            set words 'list	Time zones (IANA) with their present offset from UTC'
        case 'timezones list'
        case 'api'
            set flags '--field	A field of the input; @file and - read a long value' '-f	A field of the input; @file and - read a long value' '--input	The body as JSON; - is stdin' '--dry-run	Check everything, change nothing' '-n	Check everything, change nothing'
            set values '--field=' '-f=' '--input=@file'
            set args 'GET|POST|PATCH|DELETE' ''
        case 'completion'
            set args 'bash|zsh|fish|powershell'
        case 'help'
            set args 'environment|exit-codes|formatting|configuration'
            set many 1
    end
    set -a flags '--output	table, json, ndjson, csv or yaml' '-o	table, json, ndjson, csv or yaml' '--json	Short for -o json' '--fields	Only these fields' '--query	Filter what is printed by a JMESPath expression' '--raw	The response as the API gave it' '--no-header	Rows without the line of names' '--tz	Show times in this zone of the IANA database' '--profile	Profile to use [WCS_PROFILE]' '--db	SQLite file or postgres:// URL to work on [WCS_DB]' '--url	Instance to work on [WCS_URL]' '--as	With a database: act as this e-mail address or ID' '--timeout	How long to wait, as in 30s or 2m' '--ca-file	Further certificate authorities to trust (PEM)' '--no-input	Ask nothing' '--no-color	No colour [NO_COLOR]' '--quiet	Nothing on stderr but errors' '-q	Nothing on stderr but errors' '--verbose	Say on stderr what is called' '-v	Say on stderr what is called' '--help	Show this help' '-h	Show this help'
    set -a values '--output=table|json|ndjson|csv|yaml' '-o=table|json|ndjson|csv|yaml' '--fields=' '--query=' '--tz=' '--profile=@profiles' '--db=@file' '--url=' '--as=' '--timeout=' '--ca-file=@file'
end

function __wcs_offer --argument-names kind cur before
    switch "$kind"
        case @file
            __fish_complete_path "$cur"
        case '@*'
            wcs __complete (string sub --start 2 -- $kind) "$cur" (commandline -opc)[2..] 2>/dev/null
        case '?*'
            string split '|' -- $kind | string replace -r '^' -- "$before"
    end
end

function __wcs
    set -l words
    set -l flags
    set -l values
    set -l args
    set -l many
    set -l path
    set -l pending
    set -l kind
    set -l ended
    set -l position 1
    set -l cur (commandline -ct)
    set -l line (commandline -opc)
    __wcs_place ''
    for word in $line[2..]
        if test -n "$pending"
            set pending
        else if test -z "$ended"; and test "$word" = --
            set ended 1
        else if test -z "$ended"; and string match -q -- '-*' $word
            for pair in $values
                if string match -q -- "$word=*" $pair
                    set pending 1
                    set kind (string replace -- "$word=" '' $pair)
                end
            end
        else if string match -q -- "$word"\t'*' $words
            set -a path $word
            __wcs_place "$path"
        else
            set position (math $position + 1)
        end
    end
    if test -n "$pending"
        __wcs_offer "$kind" "$cur" ''
    else if test -z "$ended"; and string match -q -- '--*=*' $cur
        set -l parts (string split -m 1 = -- $cur)
        for pair in $values
            if string match -q -- "$parts[1]=*" $pair
                __wcs_offer (string replace -- "$parts[1]=" '' $pair) "$parts[2]" "$parts[1]="
            end
        end
    else if test -z "$ended"; and string match -q -- '-*' $cur
        printf '%s\n' $flags
    else if set -q words[1]
        printf '%s\n' $words
    else
        if test -n "$many"; and test $position -gt (count $args)
            set position (count $args)
        end
        if test $position -le (count $args)
            __wcs_offer "$args[$position]" "$cur" ''
        end
    end
end

complete -c wcs -f -a '(__wcs)'
