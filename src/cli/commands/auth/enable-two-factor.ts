import { auth } from "../../../contract/auth.ts";
import { ServiceError } from "../../../contract/errors.ts";
import type { Caller, OutputOf } from "../../../contract/operation.ts";
import { UsageError } from "../../errors/cli-errors.ts";
import type { Context } from "../../kit/command-spec.ts";
import { createOutput } from "../../output/create-output.ts";
import type { Renderer } from "../../output/renderer.ts";
import { createTableWriter } from "../../output/table-writer.ts";
import { ownPassword } from "../../session/read-password.ts";
import { sanitizeLine } from "../../terminal/sanitize.ts";
import { noPaint, type Terminal } from "../../terminal/terminal.ts";

type RecoveryCodes = OutputOf<typeof auth.twoFactorConfirm>;

export const recoveryCodeList: Renderer<RecoveryCodes> = (options) => ({
  ...createTableWriter(options),
  one: ({ recovery_codes }) => options.terminal.write(recovery_codes.map((code) => `${sanitizeLine(code)}\n`).join("")),
});

export async function enableTwoFactor(context: Context): Promise<void> {
  const { terminal } = context;
  if (!terminal.interactive)
    throw new UsageError("a terminal is needed to show the secret and to ask for a code", {
      hint: "without one, use wcs api POST /two-factor and wcs api POST /two-factor/confirm",
    });
  const { caller, target } = await context.connect();
  const password = (await ownPassword({ ...context, target })) ?? (await (await terminal.ask()).secret("Password:"));
  const { secret, uri } = await caller.call(auth.twoFactorBegin, { password });
  await showSecret(secret, uri, terminal);
  const codes = await confirmCode(caller, terminal);
  const output = createOutput({ op: auth.twoFactorConfirm, renderer: async () => recoveryCodeList }, context);
  await output.one(codes);
  terminal.note(
    "Signing in needs a code from now on. Store the recovery codes in a safe place: each replaces a code once, and they cannot be shown again.",
  );
}

async function showSecret(secret: string, uri: string, terminal: Terminal): Promise<void> {
  const { renderUnicodeCompact } = await import("uqr");
  const lines = renderUnicodeCompact(uri, { border: 2 }).split("\n");
  const isShown = (lines[0] ?? "").length <= terminal.width;
  const paint = terminal.paint === noPaint ? (line: string) => line : asLightOnDark;
  if (isShown) terminal.writeError(`${lines.map(paint).join("\n")}\n`);
  const groups = sanitizeLine(secret).replace(/(.{4})(?=.)/g, "$1 ");
  terminal.writeError(
    `${isShown ? "Scan this with your authenticator app, or enter" : "Enter in your authenticator app"}: ${groups}\n`,
  );
}

/** Colours a line of the QR code, because apps read it light on dark only, and terminals can be dark on light. */
const asLightOnDark = (line: string) => `\u001b[97;40m${line}\u001b[0m`;

async function confirmCode(caller: Caller, terminal: Terminal): Promise<RecoveryCodes> {
  const ask = await terminal.ask();
  for (;;) {
    const code = await ask.text("Code that the app shows:", (text) => text.trim() !== "" || "Enter the code");
    try {
      return await caller.call(auth.twoFactorConfirm, { code });
    } catch (error) {
      if (!(error instanceof ServiceError) || error.fields?.code === undefined) throw error;
      terminal.note(`The code ${error.fields.code[0]}. Check the clock of the device.`);
    }
  }
}
