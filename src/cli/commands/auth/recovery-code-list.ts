import type { OutputOf } from "../../../contract/operation.ts";
import type { twoFactorOperations } from "../../../contract/two-factor-operations.ts";
import type { Renderer } from "../../output/renderer.ts";
import { createTableWriter } from "../../output/table-writer.ts";

type RecoveryCodes = OutputOf<(typeof twoFactorOperations)["twoFactorConfirm"]>;

/** Renders recovery codes, one per line. */
export const recoveryCodeList: Renderer<RecoveryCodes> = (options) => ({
  ...createTableWriter(options),
  one: ({ recovery_codes }) => options.terminal.write(recovery_codes.map((code) => `${code}\n`).join("")),
});
