export const englishPages = {
  start: {
    intro: "This is a workplace communication service with an HTTP API. Program and version:",
    document: "OpenAPI document",
    newPassword: "Set a new password",
    server: "Health of the server",
    database: "Health of the database",
    command: "On the command line, sign in with:",
  },
  reference: {
    title: "API reference",
    needsScript: "The reference needs JavaScript. This document has the same contents:",
  },
  welcome: { title: "Welcome", intro: "Choose a password for your new account." },
  reset: { title: "Set a new password", intro: "Choose a new password for your account." },
  email: "E-mail address",
  password: "New password",
  passwordAgain: "New password again",
  rules: {
    title: "The password",
    length: (min: number) => `has at least ${min} characters, of any kind`,
    common: "is not one of the most common passwords",
    own: "is not your name or e-mail address",
  },
  strength: { label: "Strength", levels: ["too short", "weak", "fair", "strong"] as [string, string, string, string] },
  showPasswords: "Show passwords",
  setPassword: "Set password",
  problems: "The password was not set",
  errorPrefix: "Error",
  issues: {
    tooShort: (min: number) => `The password must have at least ${min} characters.`,
    tooLong: "The password must have at most 128 characters.",
    common: "This is one of the most common passwords. Choose another one.",
    own: "The password must not be your name or e-mail address.",
    different: "The two passwords are not the same.",
    other: "This password cannot be used. Choose another one.",
    email: "Enter an e-mail address like ann@example.com.",
  },
  done: {
    title: "Your password is set",
    intro: "You can sign in with it now. You can close this page.",
    next: "Sign in to the service at this address, with your e-mail address and the new password:",
    command: "On the command line, sign in with:",
  },
  unusable: {
    title: "This link does not work",
    intro: "It has expired, was used before, is incomplete, or a newer one was sent to you.",
    used: "If you have just set your password, nothing is wrong: sign in with it.",
  },
  elsewhere: {
    title: "Your password is managed elsewhere",
    intro: "Another system of your workplace manages your account. Change your password there.",
  },
  request: {
    title: "Set a new password",
    heading: "Get a new link",
    intro: "Enter your e-mail address to get a mail with a new link.",
    button: "Send a new link",
  },
  requested: {
    title: "Check your mail",
    intro: "If there is an account with this address, a mail with a new link is on its way.",
    spam: "It can take a few minutes. Look in the spam folder, too.",
  },
  failure: {
    title: "Something went wrong",
    later: "The service cannot answer right now. Try again in a few minutes.",
    foreign: "The form was sent from another website. Open the link in your mail again.",
    busy: "There were too many attempts. Try again later.",
  },
};

export type PageTexts = typeof englishPages;
