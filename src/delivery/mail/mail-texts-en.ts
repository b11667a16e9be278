import type { AccountChange, DisabledReason } from "../../store/schema/column-types.ts";

/** The texts of mails in English. `instance` is the name of the instance; a time is already formatted. */
export const englishMails = {
  greeting: (name: string) => `Dear ${name},`,
  welcome: {
    subject: (instance: string) => `Welcome to ${instance}`,
    /** Says who created the account; undefined when nobody is known. */
    invited: (instance: string, inviter: string | undefined) =>
      inviter === undefined
        ? `An account at ${instance} was created for you.`
        : `${inviter} has created an account at ${instance} for you.`,
    about: (instance: string) =>
      `It is the workplace communication service of ${instance}: news, events, groups and messages from your colleagues.`,
    signIn: (email: string) => `Sign in as ${email}.`,
    button: "Choose your password",
  },
  reset: {
    subject: (instance: string) => `Set a new password for ${instance}`,
    requested: (instance: string, email: string) =>
      `We received a request to reset the password of ${email} at ${instance}.`,
    button: "Set a new password",
    ignore: "If you did not request this, ignore this mail. Your password stays the same.",
  },
  invitation: {
    link: "If the button does not work, open this address:",
    /** Introduces the command that takes the code, after a link; `command` does without one. */
    commandToo: "Or set it on the command line, with this command:",
    command: "Set your password on the command line, with this command:",
    code: "It asks for this code:",
    until: (time: string) => `This works once, until ${time}. After that, request a new mail.`,
  },
  disabled: {
    subject: (webhook: string, instance: string) => `Webhook ${webhook} at ${instance} was disabled`,
    happened: (webhook: string, id: number, instance: string) =>
      `The webhook ${webhook} (${id}) at ${instance} was disabled.`,
    reasons: {
      gone: "Its receiver answered that it is gone (410). It receives no more callbacks:",
      failing: "Every callback to it has failed for five days. It receives no more callbacks:",
      manual: "It receives no more callbacks:",
    } satisfies Record<DisabledReason, string>,
    next: "See its log for the reasons. When the receiver works again, activate the webhook and recover the missed callbacks:",
  },
  accountChange: {
    subject: (instance: string) => `Your account at ${instance} was changed`,
    happened: (instance: string, time: string) => `Your account at ${instance} was changed on ${time}.`,
    changes: {
      email: "It has another e-mail address now. You no longer sign in with this address.",
      password: "It has a new password.",
      provider: "It no longer has a password here, because another system manages it now.",
      two_factor_on: "Signing in now needs a code of an authenticator app.",
      two_factor_off: "Signing in no longer needs a code of an authenticator app.",
      recovery_codes: "It has new recovery codes. The old ones no longer work.",
      recovery_code_used: "A recovery code was used. It does not work again.",
    } satisfies Record<AccountChange, string>,
    /** Says that the limit of notices leaves out the next ones. */
    last: "This has happened several times. Until an hour has passed, you get no mail when it happens again.",
    next: "If you did not expect this, somebody else may have access to your account. Tell an administrator at once.",
  },
};

export type MailTexts = typeof englishMails;
