import type { AccountChange, DisabledReason } from "../../store/schema/delivery-schema.ts";

/** The texts of mails in one language. `instance` is the name of the instance; a time is already formatted. */
export interface MailTexts {
  greeting(name: string): string;
  readonly welcome: {
    subject(instance: string): string;
    /** Says who created the account; undefined when nobody is known. */
    invited(instance: string, inviter: string | undefined): string;
    about(instance: string): string;
    signIn(email: string): string;
    readonly button: string;
  };
  readonly reset: {
    subject(instance: string): string;
    requested(instance: string, email: string): string;
    readonly button: string;
    readonly ignore: string;
  };
  readonly invitation: {
    /** Introduces the link for copying. */
    readonly link: string;
    /** Introduces the command that takes the code, after a link and without one. */
    readonly commandToo: string;
    readonly command: string;
    readonly code: string;
    until(time: string): string;
  };
  readonly disabled: {
    subject(webhook: string, instance: string): string;
    happened(webhook: string, id: number, instance: string): string;
    readonly reasons: Readonly<Record<DisabledReason, string>>;
    readonly next: string;
  };
  readonly accountChange: {
    subject(instance: string): string;
    happened(instance: string, time: string): string;
    readonly changes: Readonly<Record<AccountChange, string>>;
    /** Says that the limit of notices leaves out the next ones. */
    readonly last: string;
    readonly next: string;
  };
}
