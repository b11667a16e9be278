import { auth as ops } from "../../../contract/auth.ts";
import { type CommandGroup, command, type OperationRun } from "../../kit/command-spec.ts";

const own = () => import("./enable-two-factor.ts");
const codeList = async () => (await own()).recoveryCodeList;

export const twoFactor: CommandGroup = {
  summary: "Sign in with two factors",
  commands: {
    enable: {
      summary: "Set up two factors with an authenticator app",
      description:
        "Shows a secret as a QR code and as text, asks for a code of the app, and prints ten recovery codes.\nFrom then on wcs auth login asks for a code. API tokens need none.",
      prints: true,
      flags: [{ flags: "--password-file <path>", description: "Read the password from a file" }],
      examples: ["wcs auth 2fa enable"],
      run: async (context) => (await own()).enableTwoFactor(context),
    },
    disable: command(ops.twoFactorDisable, {
      perform: askForPassword,
      confirm: () => "Sign in without a second factor from now on?",
      done: () => "You sign in without a second factor again.",
    }),
    "recovery-codes": command(ops.twoFactorRecoveryCodes, {
      perform: askForPassword,
      confirm: () => "Replace your recovery codes? The old ones will no longer be good.",
      renderer: codeList,
    }),
    status: command(ops.twoFactorStatus, { showEmpty: true }),
  },
};

type Proving = typeof ops.twoFactorDisable | typeof ops.twoFactorRecoveryCodes;

async function askForPassword({ input, context: { terminal }, finish }: OperationRun<Proving>): Promise<void> {
  const isMissing = input.password === undefined && input.otp === undefined && terminal.interactive;
  await finish(isMissing ? { password: await (await terminal.ask()).secret("Password:") } : input);
}
