import type { webhooks } from "../../../contract/webhooks.ts";
import { ConditionError } from "../../errors/cli-errors.ts";
import type { OperationRun } from "../../kit/command-spec.ts";

/** `wcs webhooks test`: prints the result of the call. Throws `ConditionError` when it failed. */
export async function sendTest({ input, context, finish }: OperationRun<typeof webhooks.test>): Promise<void> {
  const { data } = await finish(input);
  if (context.flags.dryRun) return;
  if (data === null) throw new ConditionError("the test event was not sent in time");
  if (!data.status.startsWith("2")) throw new ConditionError(`the call failed: ${data.error ?? data.status}`);
}
