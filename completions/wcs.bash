# bash completion for wcs. Made by: wcs completion bash

__wcs_place() {
  words='' flags='' values='' args=() many=''
  case "$1" in
    '') words='init demo serve auth profile users units usertypes webhooks export diff apply conversations posts events groups counters files settings audit db doctor languages timezones api completion help'; flags='--version' ;;
    'init') flags='--admin-email --admin-name --password-stdin --password-file --root-unit --demo --no-profile'; values='--admin-email= --admin-name= --password-file=@file --root-unit=' ;;
    'demo') : ;;
    'serve') flags='--port --host --metrics-port --smtp-url --behind-proxy --shutdown-notice --log-level'; values='--port= --host= --metrics-port= --smtp-url= --shutdown-notice= --log-level=debug|info|warn|error|silent' ;;
    'auth') words='login logout renew status token password' ;;
    'auth login') flags='--username --password-stdin --password-file'; values='--username= --password-file=@file' ;;
    'auth logout') : ;;
    'auth renew') : ;;
    'auth status') : ;;
    'auth token') : ;;
    'auth password') words='request reset' ;;
    'auth password request') flags='--email --data --dry-run -n'; values='--email= --data=' ;;
    'auth password reset') flags='--token-stdin --token-file --email --password-stdin --password-file --data --dry-run -n'; values='--token-file=@file --email= --password-file=@file --data=' ;;
    'profile') words='list use add remove show' ;;
    'profile list') : ;;
    'profile use') args=('@profiles') ;;
    'profile add') flags='--db-stdin'; args=('') ;;
    'profile remove') args=('@profiles') ;;
    'profile show') args=('@profiles') ;;
    'users') words='list get search create update delete deactivate reactivate current welcome password birthdays policy membership import export' ;;
    'users list') flags='--unit --below --no-below --user-type --admin --no-admin --inactive --no-inactive --email --cursor --limit --all'; values='--unit=@units --user-type=@usertypes --email= --cursor= --limit=' ;;
    'users get') flags='--reference'; values='--reference='; args=('@users'); many=1 ;;
    'users search') flags='--limit'; values='--limit='; args=(''); many=1 ;;
    'users create') flags='--first-name --last-name --email --unit --user-types --department --password-stdin --password-file --welcome --no-welcome --admin --no-admin --reference --title --phone --birthday --language --timezone --settings-show-birthdays --settings-birthdays-optout --no-settings-birthdays-optout --meta-field-0 --meta-field-1 --meta-field-2 --meta-field-3 --meta-field-4 --data --unset --dry-run -n'; values='--first-name= --last-name= --email= --unit=@units --user-types=@usertypes --department= --password-file=@file --reference= --title= --phone= --birthday= --language= --timezone= --settings-show-birthdays=all|unit|none --meta-field-0= --meta-field-1= --meta-field-2= --meta-field-3= --meta-field-4= --data= --unset=' ;;
    'users update') flags='--first-name --last-name --email --admin --no-admin --reference --title --phone --birthday --language --timezone --settings-show-birthdays --settings-birthdays-optout --no-settings-birthdays-optout --meta-field-0 --meta-field-1 --meta-field-2 --meta-field-3 --meta-field-4 --data --unset --dry-run -n'; values='--first-name= --last-name= --email= --reference= --title= --phone= --birthday= --language= --timezone= --settings-show-birthdays=all|unit|none --meta-field-0= --meta-field-1= --meta-field-2= --meta-field-3= --meta-field-4= --data= --unset='; args=('@users') ;;
    'users delete') flags='--yes -y --dry-run -n'; args=('@users') ;;
    'users deactivate') flags='--yes -y --dry-run -n'; args=('@users') ;;
    'users reactivate') flags='--dry-run -n'; args=('@users') ;;
    'users current') : ;;
    'users welcome') flags='--dry-run -n'; args=('@users'); many=1 ;;
    'users password') flags='--password-stdin --password-file --current-stdin --current-file --data --dry-run -n'; values='--password-file=@file --current-file=@file --data='; args=('@users') ;;
    'users birthdays') flags='--start --end --page --limit --all'; values='--start= --end= --page= --limit=' ;;
    'users policy') words='accept' ;;
    'users policy accept') flags='--dry-run -n' ;;
    'users membership') words='list add set remove' ;;
    'users membership list') args=('@users') ;;
    'users membership add') flags='--user-types --department --data --dry-run -n'; values='--user-types=@usertypes --department= --data='; args=('@users' '@units') ;;
    'users membership set') flags='--unit --user-types --department --overwrite --no-overwrite --data --unset --dry-run -n'; values='--unit=@units --user-types=@usertypes --department= --data= --unset='; args=('@users' '@units') ;;
    'users membership remove') flags='--yes -y --dry-run -n'; args=('@users' '@units') ;;
    'users import') flags='--format --strict --results --dry-run -n --create-user-types'; values='--format=csv|ndjson --results=@file'; args=('@file') ;;
    'users export') flags='--format --unit --inactive'; values='--format=csv|ndjson --unit=@units'; args=('@file') ;;
    'units') words='list get tree children create update move delete department import export' ;;
    'units list') flags='--parent --below --unit-type --name --cursor --limit --all'; values='--parent=@units --below=@units --unit-type=unit|department --name= --cursor= --limit=' ;;
    'units get') flags='--reference'; values='--reference='; args=('@units') ;;
    'units tree') flags='--depth --cursor --limit --all'; values='--depth= --cursor= --limit='; args=('@units') ;;
    'units children') flags='--cursor --limit --all'; values='--cursor= --limit='; args=('@units') ;;
    'units create') flags='--name --parent --reference --description --unit-type --contact-name --contact-phone --addresses-company-company --addresses-company-registration-number --addresses-company-vat-number --addresses-company-street --addresses-company-street-additional --addresses-company-postal-code --addresses-company-city --addresses-company-country --addresses-company-phone --addresses-company-email --addresses-company-comments --addresses-company-use-company-address --no-addresses-company-use-company-address --addresses-delivery-company --addresses-delivery-registration-number --addresses-delivery-vat-number --addresses-delivery-street --addresses-delivery-street-additional --addresses-delivery-postal-code --addresses-delivery-city --addresses-delivery-country --addresses-delivery-phone --addresses-delivery-email --addresses-delivery-comments --addresses-delivery-use-company-address --no-addresses-delivery-use-company-address --addresses-invoicing-company --addresses-invoicing-registration-number --addresses-invoicing-vat-number --addresses-invoicing-street --addresses-invoicing-street-additional --addresses-invoicing-postal-code --addresses-invoicing-city --addresses-invoicing-country --addresses-invoicing-phone --addresses-invoicing-email --addresses-invoicing-comments --addresses-invoicing-use-company-address --no-addresses-invoicing-use-company-address --opening-hours-office-hours --opening-hours-closed --geo-lat --geo-lng --data --unset --dry-run -n'; values='--name= --parent=@units --reference= --description= --unit-type=unit|department --contact-name= --contact-phone= --addresses-company-company= --addresses-company-registration-number= --addresses-company-vat-number= --addresses-company-street= --addresses-company-street-additional= --addresses-company-postal-code= --addresses-company-city= --addresses-company-country= --addresses-company-phone= --addresses-company-email= --addresses-company-comments= --addresses-delivery-company= --addresses-delivery-registration-number= --addresses-delivery-vat-number= --addresses-delivery-street= --addresses-delivery-street-additional= --addresses-delivery-postal-code= --addresses-delivery-city= --addresses-delivery-country= --addresses-delivery-phone= --addresses-delivery-email= --addresses-delivery-comments= --addresses-invoicing-company= --addresses-invoicing-registration-number= --addresses-invoicing-vat-number= --addresses-invoicing-street= --addresses-invoicing-street-additional= --addresses-invoicing-postal-code= --addresses-invoicing-city= --addresses-invoicing-country= --addresses-invoicing-phone= --addresses-invoicing-email= --addresses-invoicing-comments= --opening-hours-office-hours= --opening-hours-closed= --geo-lat= --geo-lng= --data= --unset=' ;;
    'units update') flags='--name --reference --description --unit-type --contact-name --contact-phone --addresses-company-company --addresses-company-registration-number --addresses-company-vat-number --addresses-company-street --addresses-company-street-additional --addresses-company-postal-code --addresses-company-city --addresses-company-country --addresses-company-phone --addresses-company-email --addresses-company-comments --addresses-company-use-company-address --no-addresses-company-use-company-address --addresses-delivery-company --addresses-delivery-registration-number --addresses-delivery-vat-number --addresses-delivery-street --addresses-delivery-street-additional --addresses-delivery-postal-code --addresses-delivery-city --addresses-delivery-country --addresses-delivery-phone --addresses-delivery-email --addresses-delivery-comments --addresses-delivery-use-company-address --no-addresses-delivery-use-company-address --addresses-invoicing-company --addresses-invoicing-registration-number --addresses-invoicing-vat-number --addresses-invoicing-street --addresses-invoicing-street-additional --addresses-invoicing-postal-code --addresses-invoicing-city --addresses-invoicing-country --addresses-invoicing-phone --addresses-invoicing-email --addresses-invoicing-comments --addresses-invoicing-use-company-address --no-addresses-invoicing-use-company-address --opening-hours-office-hours --opening-hours-closed --geo-lat --geo-lng --data --unset --dry-run -n'; values='--name= --reference= --description= --unit-type=unit|department --contact-name= --contact-phone= --addresses-company-company= --addresses-company-registration-number= --addresses-company-vat-number= --addresses-company-street= --addresses-company-street-additional= --addresses-company-postal-code= --addresses-company-city= --addresses-company-country= --addresses-company-phone= --addresses-company-email= --addresses-company-comments= --addresses-delivery-company= --addresses-delivery-registration-number= --addresses-delivery-vat-number= --addresses-delivery-street= --addresses-delivery-street-additional= --addresses-delivery-postal-code= --addresses-delivery-city= --addresses-delivery-country= --addresses-delivery-phone= --addresses-delivery-email= --addresses-delivery-comments= --addresses-invoicing-company= --addresses-invoicing-registration-number= --addresses-invoicing-vat-number= --addresses-invoicing-street= --addresses-invoicing-street-additional= --addresses-invoicing-postal-code= --addresses-invoicing-city= --addresses-invoicing-country= --addresses-invoicing-phone= --addresses-invoicing-email= --addresses-invoicing-comments= --opening-hours-office-hours= --opening-hours-closed= --geo-lat= --geo-lng= --data= --unset='; args=('@units') ;;
    'units move') flags='--parent --data --dry-run -n'; values='--parent=@units --data='; args=('@units') ;;
    'units delete') flags='--transfer --data --yes -y --dry-run -n'; values='--transfer=@units --data='; args=('@units') ;;
    'units department') words='add update remove' ;;
    'units department add') flags='--dry-run -n'; args=('@units' '') ;;
    'units department update') flags='--name --data --dry-run -n'; values='--name= --data='; args=('@units' '') ;;
    'units department remove') flags='--yes -y --dry-run -n'; args=('@units' '') ;;
    'units import') flags='--format --strict --results --dry-run -n'; values='--format=csv|ndjson --results=@file'; args=('@file') ;;
    'units export') flags='--format'; values='--format=csv|ndjson'; args=('@file') ;;
    'usertypes') words='list get create update delete' ;;
    'usertypes list') flags='--cursor --limit --all'; values='--cursor= --limit=' ;;
    'usertypes get') flags='--reference'; values='--reference='; args=('@usertypes') ;;
    'usertypes create') flags='--name --reference --abilities-news --no-abilities-news --abilities-calendar --no-abilities-calendar --abilities-groups --no-abilities-groups --abilities-user --no-abilities-user --abilities-units --no-abilities-units --abilities-usertypes --no-abilities-usertypes --abilities-integrations --no-abilities-integrations --data --unset --dry-run -n'; values='--name= --reference= --data= --unset=' ;;
    'usertypes update') flags='--name --reference --abilities-news --no-abilities-news --abilities-calendar --no-abilities-calendar --abilities-groups --no-abilities-groups --abilities-user --no-abilities-user --abilities-units --no-abilities-units --abilities-usertypes --no-abilities-usertypes --abilities-integrations --no-abilities-integrations --data --unset --dry-run -n'; values='--name= --reference= --data= --unset='; args=('@usertypes') ;;
    'usertypes delete') flags='--yes -y --dry-run -n'; args=('@usertypes') ;;
    'webhooks') words='list get create update delete rotate-secret test stats logs log resend recover listen verify deliver' ;;
    'webhooks list') : ;;
    'webhooks get') args=('@webhooks') ;;
    'webhooks create') flags='--name --uri --triggers --if-not-exists --data --dry-run -n'; values='--name= --uri= --triggers= --data=' ;;
    'webhooks update') flags='--name --uri --triggers --active --no-active --data --dry-run -n'; values='--name= --uri= --triggers= --data='; args=('@webhooks') ;;
    'webhooks delete') flags='--yes -y --dry-run -n'; args=('@webhooks') ;;
    'webhooks rotate-secret') flags='--yes -y --dry-run -n'; args=('@webhooks') ;;
    'webhooks test') flags='--wait --data --dry-run -n'; values='--wait= --data='; args=('@webhooks') ;;
    'webhooks stats') flags='--since --parts'; values='--since= --parts='; args=('@webhooks') ;;
    'webhooks logs') flags='--event --status --since --after --limit --all --follow -f --wait'; values='--event=user.create|user.update|user.delete|unit.create|unit.update|unit.delete --status= --since= --after= --limit='; args=('@webhooks') ;;
    'webhooks log') args=('@webhooks' '') ;;
    'webhooks resend') flags='--dry-run -n'; args=('@webhooks' '') ;;
    'webhooks recover') flags='--since --data --dry-run -n'; values='--since= --data='; args=('@webhooks') ;;
    'webhooks listen') flags='--forward-to --triggers --print-secret'; values='--forward-to= --triggers=user.create|user.update|user.delete|unit.create|unit.update|unit.delete' ;;
    'webhooks verify') flags='--secret-file --header -H --tolerance'; values='--secret-file=@file --header= -H= --tolerance=' ;;
    'webhooks deliver') flags='--smtp-url'; values='--smtp-url=' ;;
    'export') flags='--format --only'; values='--format=yaml|json --only=usertypes|units|users|webhooks'; args=('@file') ;;
    'diff') flags='--prune --exit-code'; args=('@file') ;;
    'apply') flags='--prune --yes --dry-run -n'; args=('@file') ;;
    'conversations') words='list get create rename update archive unarchive delete seen participants messages message send react unreact search follow export' ;;
    'conversations list') flags='--status --keyword --with --without --limit --all'; values='--status=normal|archived|unread --keyword= --with=@users --without=@users --limit=' ;;
    'conversations get') args=('@conversations') ;;
    'conversations create') flags='--recipients --message --file --data --dry-run -n'; values='--recipients=@users --message= --file=@file --data=' ;;
    'conversations rename') flags='--dry-run -n'; args=('@conversations' ''); many=1 ;;
    'conversations update') flags='--title --mute-rule --data --unset --dry-run -n'; values='--title= --mute-rule= --data= --unset='; args=('@conversations') ;;
    'conversations archive') flags='--dry-run -n'; args=('@conversations') ;;
    'conversations unarchive') flags='--dry-run -n'; args=('@conversations') ;;
    'conversations delete') flags='--yes -y --dry-run -n'; args=('@conversations') ;;
    'conversations seen') flags='--dry-run -n'; args=('@conversations') ;;
    'conversations participants') words='list add remove role' ;;
    'conversations participants list') args=('@conversations') ;;
    'conversations participants add') flags='--dry-run -n'; args=('@conversations' '@users'); many=1 ;;
    'conversations participants remove') flags='--yes -y --dry-run -n'; args=('@conversations' '@users') ;;
    'conversations participants role') flags='--dry-run -n'; args=('@conversations' '@users' 'member|administrator') ;;
    'conversations messages') flags='--around --cursor --limit --all'; values='--around=@messages --cursor= --limit='; args=('@conversations') ;;
    'conversations message') words='get edit delete' ;;
    'conversations message get') args=('@conversations' '@messages') ;;
    'conversations message edit') flags='--dry-run -n'; args=('@conversations' '@messages' ''); many=1 ;;
    'conversations message delete') flags='--yes -y --dry-run -n'; args=('@conversations' '@messages') ;;
    'conversations send') flags='--to --reply-to --file --dry-run -n'; values='--to=@users --reply-to=@messages --file=@file'; args=('@conversations' ''); many=1 ;;
    'conversations react') flags='--dry-run -n'; args=('@conversations' '@messages' '') ;;
    'conversations unreact') flags='--dry-run -n'; args=('@conversations' '@messages' '') ;;
    'conversations search') flags='--conversation --limit --all'; values='--conversation=@conversations --limit='; args=(''); many=1 ;;
    'conversations follow') flags='--last'; values='--last='; args=('@conversations') ;;
    'conversations export') flags='--output -o --format'; values='--output=@file -o=@file --format=ndjson|text'; args=('@conversations') ;;
    'posts') words='list get create update delete seen read like unlike bookmark unbookmark republish vote votes accept decline withdraw comments files' ;;
    'posts list') flags='--content-type --unit --group --author --status --bookmarked --no-bookmarked --unseen --no-unseen --important --no-important --pinned --no-pinned --since --sort --cursor --limit --all'; values='--content-type=news|debate|event --unit=@units --group=@groups --author= --status=published|draft|scheduled|unpublished --since= --sort=published|updated --cursor= --limit=' ;;
    'posts get') args=('@posts') ;;
    'posts create') flags='--content-type --title --body --unit --group --visibility-all-units --no-visibility-all-units --visibility-units --visibility-units-falldown --visibility-user-types --sharing-shares --comments-enabled --no-comments-enabled --confirm-enabled --no-confirm-enabled --show-in-feed --no-show-in-feed --publish-status --no-publish-status --publish-publish-on --publish-unpublish-on --important --no-important --actively-requires-action --no-actively-requires-action --poll-question --poll-type --poll-close-at --poll-allow-user-choices --no-poll-allow-user-choices --poll-anonymous --no-poll-anonymous --poll-mandatory --no-poll-mandatory --poll-choices --pinned-show-in-main-feed --no-pinned-show-in-main-feed --pinned-until --event-location --event-link --event-all-day --no-event-all-day --event-datetime-start --event-datetime-end --event-participation-enabled --no-event-participation-enabled --event-recurrence-freq --event-recurrence-until --event-recurrence-count --event-recurrence-interval --event-recurrence-bymonthday --event-recurrence-bymonth --event-recurrence-bysetpos --event-repeat-rules --event-end-date --event-timezone --mentions --file --choice --repeat --edit --data --unset --dry-run -n'; values='--content-type=news|debate|event --title= --body= --unit=@units --group=@groups --visibility-units=@units --visibility-units-falldown= --visibility-user-types=@usertypes --sharing-shares= --publish-publish-on= --publish-unpublish-on= --poll-question= --poll-type=single|multiple --poll-close-at= --poll-choices= --pinned-until= --event-location= --event-link= --event-datetime-start= --event-datetime-end= --event-recurrence-freq=daily|weekly|monthly|yearly --event-recurrence-until= --event-recurrence-count= --event-recurrence-interval= --event-recurrence-bymonthday= --event-recurrence-bymonth= --event-recurrence-bysetpos= --event-repeat-rules= --event-end-date= --event-timezone= --mentions= --file=@file --choice= --repeat= --data= --unset=' ;;
    'posts update') flags='--title --body --visibility-all-units --no-visibility-all-units --visibility-units --visibility-units-falldown --visibility-user-types --sharing-shares --comments-enabled --no-comments-enabled --confirm-enabled --no-confirm-enabled --show-in-feed --no-show-in-feed --publish-status --no-publish-status --publish-publish-on --publish-unpublish-on --important --no-important --actively-requires-action --no-actively-requires-action --poll-question --poll-type --poll-close-at --poll-allow-user-choices --no-poll-allow-user-choices --poll-anonymous --no-poll-anonymous --poll-mandatory --no-poll-mandatory --poll-choices --pinned-show-in-main-feed --no-pinned-show-in-main-feed --pinned-until --event-location --event-link --event-all-day --no-event-all-day --event-datetime-start --event-datetime-end --event-participation-enabled --no-event-participation-enabled --event-recurrence-freq --event-recurrence-until --event-recurrence-count --event-recurrence-interval --event-recurrence-bymonthday --event-recurrence-bymonth --event-recurrence-bysetpos --event-repeat-rules --event-end-date --event-timezone --mentions --choice --repeat --edit --data --unset --dry-run -n'; values='--title= --body= --visibility-units=@units --visibility-units-falldown= --visibility-user-types=@usertypes --sharing-shares= --publish-publish-on= --publish-unpublish-on= --poll-question= --poll-type=single|multiple --poll-close-at= --poll-choices= --pinned-until= --event-location= --event-link= --event-datetime-start= --event-datetime-end= --event-recurrence-freq=daily|weekly|monthly|yearly --event-recurrence-until= --event-recurrence-count= --event-recurrence-interval= --event-recurrence-bymonthday= --event-recurrence-bymonth= --event-recurrence-bysetpos= --event-repeat-rules= --event-end-date= --event-timezone= --mentions= --choice= --repeat= --data= --unset='; args=('@posts') ;;
    'posts delete') flags='--yes -y --dry-run -n'; args=('@posts') ;;
    'posts seen') flags='--dry-run -n'; args=('@posts') ;;
    'posts read') flags='--dry-run -n'; args=('@posts') ;;
    'posts like') flags='--dry-run -n'; args=('@posts') ;;
    'posts unlike') flags='--dry-run -n'; args=('@posts') ;;
    'posts bookmark') flags='--dry-run -n'; args=('@posts') ;;
    'posts unbookmark') flags='--dry-run -n'; args=('@posts') ;;
    'posts republish') flags='--yes -y --dry-run -n'; args=('@posts') ;;
    'posts vote') flags='--title --withdraw --data --dry-run -n'; values='--title= --data='; args=('@posts' ''); many=1 ;;
    'posts votes') flags='--cursor --limit --all'; values='--cursor= --limit='; args=('@posts') ;;
    'posts accept') flags='--dry-run -n'; args=('@posts') ;;
    'posts decline') flags='--dry-run -n'; args=('@posts') ;;
    'posts withdraw') flags='--dry-run -n'; args=('@posts') ;;
    'posts comments') words='list add delete' ;;
    'posts comments list') flags='--parent-id --cursor --limit --all'; values='--parent-id= --cursor= --limit='; args=('@posts') ;;
    'posts comments add') flags='--body --parent-id --mentions --edit --data --dry-run -n'; values='--body= --parent-id= --mentions= --data='; args=('@posts') ;;
    'posts comments delete') flags='--yes -y --dry-run -n'; args=('@posts' '') ;;
    'posts files') words='list add delete get' ;;
    'posts files list') args=('@posts') ;;
    'posts files add') flags='--file --data --dry-run -n'; values='--file=@file --data='; args=('@posts') ;;
    'posts files delete') flags='--yes -y --dry-run -n'; args=('@posts' '') ;;
    'posts files get') flags='--output -o --force'; values='--output=@file -o=@file'; args=('') ;;
    'events') words='list get create update delete seen upcoming calendar accept decline withdraw participants files export import' ;;
    'events list') flags='--type --start --end --uid --page --limit --all'; values='--type=chain|unit|user --start= --end= --uid= --page= --limit=' ;;
    'events get') args=('@events') ;;
    'events create') flags='--title --type --body --location --link --start --end --all-day --no-all-day --date --units --user-types --shares --file-count --file --uid --repeat --rrule --edit --data --unset --dry-run -n'; values='--title= --type=chain|unit|user --body= --location= --link= --start= --end= --date= --units=@units --user-types=@usertypes --shares= --file-count= --file=@file --uid= --repeat= --rrule= --data= --unset=' ;;
    'events update') flags='--title --type --body --location --link --start --end --all-day --no-all-day --date --units --user-types --shares --file-count --file --repeat --rrule --edit --data --unset --dry-run -n'; values='--title= --type=chain|unit|user --body= --location= --link= --start= --end= --date= --units=@units --user-types=@usertypes --shares= --file-count= --file=@file --repeat= --rrule= --data= --unset='; args=('@events') ;;
    'events delete') flags='--yes -y --dry-run -n'; args=('@events') ;;
    'events seen') flags='--dry-run -n'; args=('@events') ;;
    'events upcoming') : ;;
    'events calendar') flags='--month --week --from --to --type'; values='--month= --from= --to= --type=chain|unit|user' ;;
    'events accept') flags='--dry-run -n'; args=('@events') ;;
    'events decline') flags='--dry-run -n'; args=('@events') ;;
    'events withdraw') flags='--dry-run -n'; args=('@events') ;;
    'events participants') flags='--answer --cursor --limit --all'; values='--answer=accepted|rejected --cursor= --limit='; args=('@events') ;;
    'events files') words='list add delete get' ;;
    'events files list') args=('@events') ;;
    'events files add') flags='--file --data --dry-run -n'; values='--file=@file --data='; args=('@events') ;;
    'events files delete') flags='--yes -y --dry-run -n'; args=('@events' '') ;;
    'events files get') flags='--output -o --force'; values='--output=@file -o=@file'; args=('') ;;
    'events export') flags='--ics --output -o --from --to --type'; values='--output=@file -o=@file --from= --to= --type=chain|unit|user'; args=('@events'); many=1 ;;
    'events import') flags='--type --keep-types --units --user-types --results --dry-run -n'; values='--type=chain|unit|user --units=@units --user-types=@usertypes --results=@file'; args=('@file') ;;
    'groups') words='list get create update delete member' ;;
    'groups list') flags='--name --mine --no-mine --privacy --cursor --limit --all'; values='--name= --privacy=public|private --cursor= --limit=' ;;
    'groups get') args=('@groups') ;;
    'groups create') flags='--name --description --privacy --data --dry-run -n'; values='--name= --description= --privacy=public|private --data=' ;;
    'groups update') flags='--name --description --privacy --data --dry-run -n'; values='--name= --description= --privacy=public|private --data='; args=('@groups') ;;
    'groups delete') flags='--yes -y --dry-run -n'; args=('@groups') ;;
    'groups member') words='list add set remove' ;;
    'groups member list') flags='--role --cursor --limit --all'; values='--role=member|administrator --cursor= --limit='; args=('@groups') ;;
    'groups member add') flags='--role --data --dry-run -n'; values='--role=member|administrator --data='; args=('@groups' '@users') ;;
    'groups member set') flags='--dry-run -n'; args=('@groups' '@users' 'member|administrator') ;;
    'groups member remove') flags='--yes -y --dry-run -n'; args=('@groups' '@users') ;;
    'counters') words='list reset' ;;
    'counters list') : ;;
    'counters reset') flags='--dry-run -n'; args=('groups|events|news|messages') ;;
    'files') words='get' ;;
    'files get') flags='--output -o --force'; values='--output=@file -o=@file'; args=('') ;;
    'settings') words='list get set' ;;
    'settings list') : ;;
    'settings get') args=('') ;;
    'settings set') flags='--default --value-stdin --value-file --dry-run -n'; values='--value-file=@file'; args=('' '') ;;
    'audit') words='list' ;;
    'audit list') flags='--actor --operation --path --since --until --cursor --limit --all'; values='--actor= --operation= --path= --since= --until= --cursor= --limit=' ;;
    'db') words='info check migrate backup restore rekey outbox' ;;
    'db info') : ;;
    'db check') : ;;
    'db migrate') flags='--dry-run -n' ;;
    'db backup') flags='--force'; args=('@file') ;;
    'db restore') flags='--yes -y --dry-run -n'; args=('@file') ;;
    'db rekey') flags='--new-key-file --decrypt --dry-run -n'; values='--new-key-file=@file' ;;
    'db outbox') : ;;
    'doctor') : ;;
    'languages') words='list' ;;
    'languages list') : ;;
    'timezones') words='list' ;;
    'timezones list') : ;;
    'api') flags='--field -f --input --dry-run -n'; values='--field= -f= --input=@file'; args=('GET|POST|PATCH|DELETE' '') ;;
    'completion') args=('bash|zsh|fish|powershell') ;;
    'help') args=('environment|exit-codes|formatting|configuration|webhooks|calendar'); many=1 ;;
  esac
  flags="$flags "'--output -o --json --fields --query --raw --no-header --tz --profile --db --url --as --timeout --ca-file --no-input --no-color --quiet -q --verbose -v --help -h'
  values="$values "'--output=table|json|ndjson|csv|yaml -o=table|json|ndjson|csv|yaml --fields= --query= --tz= --profile=@profiles --db=@file --url= --as= --timeout= --ca-file=@file'
}

__wcs_values() {
  local pair
  for pair in $values; do
    if [[ "${pair%%=*}" == "$1" ]]; then kind="${pair#*=}"; return 0; fi
  done
  return 1
}

__wcs_offer() {
  local IFS=$'\n' line
  case "$1" in
    @file) compopt -o filenames 2>/dev/null; COMPREPLY=($(compgen -f -- "$cur")) ;;
    @*)
      while IFS= read -r line; do COMPREPLY+=("${line%%$'\t'*}"); done \
        < <(wcs __complete "${1#@}" "$cur" "${COMP_WORDS[@]:1}" 2>/dev/null)
      # While a number is typed, only IDs that begin with it; a name is replaced by its ID.
      if [[ "$cur" =~ ^[0-9]+$ || "$1" == @profiles ]]; then COMPREPLY=($(compgen -W "${COMPREPLY[*]}" -- "$cur")); fi ;;
    ?*) COMPREPLY=($(compgen -W "${1//|/$'\n'}" -- "$cur")) ;;
  esac
}

_wcs() {
  local cur="${COMP_WORDS[COMP_CWORD]}" path='' pending='' kind='' position=0 ended='' i word
  local words flags values args many
  COMPREPLY=()
  __wcs_place ''
  for ((i = 1; i < COMP_CWORD; i++)); do
    word="${COMP_WORDS[i]}"
    if [[ "$word" == '=' ]]; then continue; fi
    if [[ -n "$pending" ]]; then pending=''; continue; fi
    if [[ -z "$ended" && "$word" == '--' ]]; then ended=1
    elif [[ -z "$ended" && "$word" == -* ]]; then
      if __wcs_values "$word"; then pending=1; fi
    elif [[ " $words " == *" $word "* ]]; then path="${path:+$path }$word"; __wcs_place "$path"
    else position=$((position + 1)); fi
  done
  if [[ "$cur" == '=' ]]; then cur=''; fi
  if [[ -n "$pending" ]]; then __wcs_offer "$kind"
  elif [[ -z "$ended" && "$cur" == -* ]]; then COMPREPLY=($(compgen -W "$flags" -- "$cur"))
  elif [[ -n "$words" ]]; then COMPREPLY=($(compgen -W "$words" -- "$cur"))
  else
    if [[ -n "$many" && $position -ge ${#args[@]} ]]; then position=$((${#args[@]} - 1)); fi
    if ((position < ${#args[@]})); then __wcs_offer "${args[position]}"; fi
  fi
}

complete -F _wcs wcs
