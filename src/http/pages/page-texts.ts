/** The texts of the pages in one language. */
export interface PageTexts {
  readonly start: {
    readonly intro: string;
    readonly document: string;
    readonly newPassword: string;
    readonly server: string;
    readonly database: string;
    readonly command: string;
  };
  readonly reference: { readonly title: string; readonly needsScript: string };
  readonly welcome: { readonly title: string; readonly intro: string };
  readonly reset: { readonly title: string; readonly intro: string };
  readonly email: string;
  readonly password: string;
  readonly passwordAgain: string;
  readonly rules: {
    readonly title: string;
    length(min: number): string;
    readonly common: string;
    readonly own: string;
  };
  readonly strength: { readonly label: string; readonly levels: readonly [string, string, string, string] };
  readonly showPasswords: string;
  readonly setPassword: string;
  readonly problems: string;
  readonly errorPrefix: string;
  readonly issues: {
    tooShort(min: number): string;
    readonly tooLong: string;
    readonly common: string;
    readonly own: string;
    readonly different: string;
    readonly other: string;
    readonly email: string;
  };
  readonly done: { readonly title: string; readonly intro: string; readonly next: string; readonly command: string };
  readonly unusable: { readonly title: string; readonly intro: string; readonly used: string };
  readonly elsewhere: { readonly title: string; readonly intro: string };
  readonly request: {
    readonly title: string;
    readonly heading: string;
    readonly intro: string;
    readonly button: string;
  };
  readonly requested: { readonly title: string; readonly intro: string; readonly spam: string };
  readonly failure: { readonly title: string; readonly later: string; readonly foreign: string; readonly busy: string };
}
