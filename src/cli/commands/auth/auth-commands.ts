import { auth as ops } from "../../../contract/auth.ts";
import { type CommandGroup, type Commands, command, dryRunFlag, type OperationRun } from "../../kit/command-spec.ts";

const enabling = () => import("./enable-two-factor.ts");

const twoFactor: CommandGroup = {
  summary: "Sign in with two factors",
  commands: {
    enable: {
      summary: "Set up two factors with an authenticator app",
      description:
        "Shows a secret as a QR code and as text, asks for a code of the app, and prints ten recovery codes.\nFrom then on wcs auth login asks for a code. API tokens need none.",
      prints: true,
      flags: [{ flags: "--password-file <path>", description: "Read the password from a file" }],
      examples: ["wcs auth 2fa enable"],
      run: async (context) => (await enabling()).enableTwoFactor(context),
    },
    disable: command(ops.twoFactorDisable, {
      perform: askForPassword,
      confirm: () => "Switch off the second factor? A password is enough then.",
      done: () => "Switched off the second factor.",
    }),
    "recovery-codes": command(ops.twoFactorRecoveryCodes, {
      perform: askForPassword,
      confirm: () => "Replace your recovery codes? The old ones stop working.",
      renderer: async () => (await enabling()).recoveryCodeList,
    }),
    status: command(ops.twoFactorStatus, { showEmpty: true }),
  },
};

type Proving = typeof ops.twoFactorDisable | typeof ops.twoFactorRecoveryCodes;

async function askForPassword({ input, context: { terminal }, finish }: OperationRun<Proving>): Promise<void> {
  const isMissing = input.password === undefined && input.otp === undefined && terminal.interactive;
  await finish(isMissing ? { password: await (await terminal.ask()).secret("Password:") } : input);
}

const own = () => import("./sign-in-commands.ts");

export const auth: Commands = {
  login: {
    summary: "Sign in with e-mail and password",
    description:
      "Stores the token in a profile: the one given with --profile, else an existing one for the same target, else a new one\nnamed after the host.",
    flags: [
      { flags: "--username <email>", description: "Your e-mail address" },
      { flags: "--password-stdin", description: "Read the password from stdin [WCS_PASSWORD]" },
      { flags: "--password-file <path>", description: "Read the password from a file" },
      {
        flags: "--otp-stdin",
        description: "Read the code of a second factor from stdin, after the line of --password-stdin",
      },
    ],
    examples: [
      "wcs auth login --url https://wcs.example.com --username ada@example.com",
      "pass show wcs | wcs auth login --url https://wcs.example.com --username ada@example.com --password-stdin",
      "oathtool --totp -b @secret.txt | wcs auth login --username ada@example.com --password-file pw.txt --otp-stdin",
    ],
    run: async (context) => (await own()).login(context),
  },
  logout: {
    summary: "End the session of a profile and remove its token",
    description:
      "Removes the token also when the session cannot be ended, for example because the instance cannot be reached. The command\nthen fails, and says until when copies of the token stay valid.",
    flags: [dryRunFlag],
    run: async (context) => (await own()).logout(context),
  },
  renew: {
    summary: "Renew the token of a profile",
    description: "Commands renew the token automatically when less than half of its lifetime is left.",
    flags: [dryRunFlag],
    run: async (context) => (await own()).renewNow(context),
  },
  status: {
    summary: "Show the signed-in user, the target, the session or API token, and when the token expires",
    prints: true,
    watchable: true,
    run: async (context) => (await own()).status(context),
  },
  token: {
    summary: "Print the token for use in another program",
    examples: ['curl -H "Authorization: Bearer $(wcs auth token)" $URL/api/users/current'],
    run: async (context) => (await own()).printToken(context),
  },
  "2fa": twoFactor,
  password: {
    summary: "Reset a forgotten password",
    commands: {
      request: command(ops.passwordRequest, {
        done: ({ email }) =>
          `If a user has the address ${email}, a mail with a link to reset the password is sent there.`,
        examples: ["wcs auth password request --url https://wcs.example.com --email ada@example.com"],
      }),
      reset: command(ops.passwordReset, {
        hidden: ["password_confirm"],
        complete: (input) => ({ ...input, password_confirm: input.password }),
        done: ({ email }) =>
          `Set the new password. Sign in to the same target with wcs auth login --username ${email}.`,
      }),
    },
  },
};
