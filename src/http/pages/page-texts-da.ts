import type { PageTexts } from "./page-texts-en.ts";

export const danishPages: PageTexts = {
  start: {
    intro: "Dette er en kommunikationstjeneste for arbejdspladsen med et HTTP-API. Program og version:",
    document: "OpenAPI-dokument",
    newPassword: "Vælg en ny adgangskode",
    server: "Serverens tilstand",
    database: "Databasens tilstand",
    command: "På kommandolinjen logger du ind med:",
  },
  reference: {
    title: "API-reference",
    needsScript: "Referencen kræver JavaScript. Dette dokument har det samme indhold:",
  },
  welcome: { title: "Velkommen", intro: "Vælg en adgangskode til din nye konto." },
  reset: { title: "Vælg en ny adgangskode", intro: "Vælg en ny adgangskode til din konto." },
  email: "E-mailadresse",
  password: "Ny adgangskode",
  passwordAgain: "Gentag adgangskoden",
  rules: {
    title: "Adgangskoden",
    length: (min) => `har mindst ${min} tegn af enhver slags`,
    common: "er ikke en af de mest almindelige adgangskoder",
    own: "er ikke dit navn eller din e-mailadresse",
  },
  strength: { label: "Styrke", levels: ["for kort", "svag", "rimelig", "stærk"] },
  showPasswords: "Vis adgangskoder",
  setPassword: "Gem adgangskode",
  problems: "Adgangskoden blev ikke gemt",
  errorPrefix: "Fejl",
  issues: {
    tooShort: (min) => `Adgangskoden skal have mindst ${min} tegn.`,
    tooLong: "Adgangskoden må højst have 128 tegn.",
    common: "Det er en af de mest almindelige adgangskoder. Vælg en anden.",
    own: "Adgangskoden må ikke være dit navn eller din e-mailadresse.",
    different: "De to adgangskoder er ikke ens.",
    other: "Denne adgangskode kan ikke bruges. Vælg en anden.",
    email: "Skriv en e-mailadresse som ann@example.com.",
  },
  done: {
    title: "Din adgangskode er gemt",
    intro: "Du kan logge ind med den nu. Du kan lukke denne side.",
    next: "Log ind på tjenesten på denne adresse med din e-mailadresse og den nye adgangskode:",
    command: "På kommandolinjen logger du ind med:",
  },
  unusable: {
    title: "Linket virker ikke",
    intro: "Det er udløbet, allerede brugt eller ufuldstændigt, eller du har fået et nyere.",
    used: "Hvis du lige har valgt din adgangskode, er alt i orden: log ind med den.",
  },
  elsewhere: {
    title: "Din adgangskode styres et andet sted",
    intro: "Et andet system på din arbejdsplads styrer din konto. Skift adgangskoden dér.",
  },
  request: {
    title: "Vælg en ny adgangskode",
    heading: "Få et nyt link",
    intro: "Skriv din e-mailadresse for at få en mail med et nyt link.",
    button: "Send et nyt link",
  },
  requested: {
    title: "Tjek din mail",
    intro: "Hvis der findes en konto med denne adresse, er en mail med et nyt link på vej.",
    spam: "Det kan tage et par minutter. Se også i mappen med spam.",
  },
  failure: {
    title: "Noget gik galt",
    later: "Tjenesten kan ikke svare lige nu. Prøv igen om et par minutter.",
    foreign: "Formularen blev sendt fra et andet websted. Åbn linket i din mail igen.",
    busy: "Der var for mange forsøg. Prøv igen senere.",
  },
};
