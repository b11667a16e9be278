import type { users as ops } from "../../../contract/users.ts";
import type { OperationRun } from "../../kit/command-spec.ts";

/** Says that a service account which becomes an administrator loses its API tokens. */
export async function updateUser({ input, context, finish }: OperationRun<typeof ops.update>): Promise<void> {
  const { id, provider } = await finish(input);
  if (!input.admin || !provider.includes("service") || context.flags.dryRun) return;
  context.terminal.note(
    `Its API tokens ended if it was no administrator before. Create one with wcs tokens create --owner ${id}.`,
  );
}
