import type { conversations } from "../../../contract/conversations.ts";
import { UsageError } from "../../errors/cli-errors.ts";
import type { OperationRun } from "../../kit/command-spec.ts";
import { findSeveral } from "../../kit/find-by-name.ts";
import { usersNamed } from "./conversation-arguments.ts";

export async function showConversations(run: OperationRun<typeof conversations.list>): Promise<void> {
  const { input, context, caller, finish } = run;
  const { flags, terminal } = context;
  if (flags.with && flags.without) throw new UsageError("--with and --without cannot be used together");
  const texts = usersNamed(flags.with ?? flags.without);
  if (texts.length === 0) return void (await finish(input));
  const participants = await findSeveral("users", flags.with ? "--with" : "--without", texts, { caller, terminal });
  await finish({ ...input, participants, participants_mode: flags.with ? "find" : "exclude" });
}
