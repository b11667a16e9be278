/** Commands and flags that users expect and that do not exist, with the hint on what to use. */
export const wrongGuesses: Readonly<Record<string, string>> = {
  "wcs users list --name": "search with wcs users search <words>",
  "wcs users update --active": "use wcs users reactivate <user> or wcs users deactivate <user>",
  "wcs users update --password": "use wcs users password <user>",
  "wcs users update --unit": "use wcs users membership set <user> --unit <unit>",
  "wcs users update --user-types": "use wcs users membership set <user> --user-types <user-type,...>",
  "wcs units search": "use wcs names find <name> --kinds units, or wcs units list --name <name>",
  "wcs units update --parent": "use wcs units move <unit> --parent <unit>",
  "wcs usertypes create --abilities": "each ability has a flag, as in --abilities-news",
  "wcs usertypes update --abilities": "each ability has a flag, as in --abilities-news and --no-abilities-news",
};
