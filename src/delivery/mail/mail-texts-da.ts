import type { MailTexts } from "./mail-texts-en.ts";

export const danishMails: MailTexts = {
  greeting: (name) => `Kære ${name}`,
  welcome: {
    subject: (instance) => `Velkommen til ${instance}`,
    invited: (instance, inviter) =>
      inviter === undefined
        ? `Der er oprettet en konto hos ${instance} til dig.`
        : `${inviter} har oprettet en konto hos ${instance} til dig.`,
    about: (instance) =>
      `Det er den interne kommunikationstjeneste hos ${instance}: nyheder, begivenheder, grupper og beskeder fra dine kolleger.`,
    signIn: (email) => `Log ind som ${email}.`,
    button: "Vælg din adgangskode",
  },
  reset: {
    subject: (instance) => `Vælg en ny adgangskode til ${instance}`,
    requested: (instance, email) =>
      `Vi har fået en anmodning om at nulstille adgangskoden for ${email} hos ${instance}.`,
    button: "Vælg en ny adgangskode",
    ignore: "Hvis du ikke har bedt om det, kan du se bort fra denne mail. Din adgangskode ændres ikke.",
  },
  invitation: {
    link: "Hvis knappen ikke virker, så åbn denne adresse:",
    commandToo: "Eller vælg den på kommandolinjen med denne kommando:",
    command: "Vælg din adgangskode på kommandolinjen med denne kommando:",
    code: "Den spørger efter denne kode:",
    until: (time) => `Det virker én gang, indtil ${time}. Bed derefter om en ny mail.`,
  },
  disabled: {
    subject: (webhook, instance) => `Webhook ${webhook} hos ${instance} er slået fra`,
    happened: (webhook, id, instance) => `Webhooken ${webhook} (${id}) hos ${instance} er slået fra.`,
    reasons: {
      gone: "Modtageren svarede, at den ikke findes længere (410). Den får ikke flere kald:",
      failing: "Alle kald til den har fejlet i fem dage. Den får ikke flere kald:",
      manual: "Den får ikke flere kald:",
    },
    next: "Se årsagerne i dens log. Når modtageren virker igen, så slå webhooken til og hent de manglende kald:",
  },
  accountChange: {
    subject: (instance) => `Din konto hos ${instance} er ændret`,
    happened: (instance, time) => `Din konto hos ${instance} blev ændret ${time}.`,
    changes: {
      email: "Den har nu en anden e-mailadresse. Du logger ikke længere ind med denne adresse.",
      password: "Den har fået en ny adgangskode.",
      provider: "Den har ikke længere en adgangskode her, fordi et andet system styrer den nu.",
      two_factor_on: "Du skal nu bruge en kode fra en godkendelsesapp, når du logger ind.",
      two_factor_off: "Du skal ikke længere bruge en kode fra en godkendelsesapp, når du logger ind.",
      recovery_codes: "Den har fået nye gendannelseskoder. De gamle virker ikke længere.",
      recovery_code_used: "En gendannelseskode er blevet brugt. Den virker ikke igen.",
    },
    last: "Det er sket flere gange. Indtil der er gået en time, får du ingen mail, hvis det sker igen.",
    next: "Hvis det kommer bag på dig, kan en anden have adgang til din konto. Kontakt en administrator med det samme.",
  },
};
