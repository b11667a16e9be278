import { Interrupted } from "../../errors/cli-errors.ts";
import type { WizardRun } from "../../kit/command-spec.ts";
import { chooseByName, chooseSeveral } from "../../kit/find-by-name.ts";

type Values = Record<string, unknown>;

export async function askForReaders(run: WizardRun): Promise<Values> {
  const post = { ...run.input, ...(await askReaders(run)) };
  return { ...post, ...(await askToPublish(run)) };
}

async function askReaders({ input, caller, terminal, record }: WizardRun): Promise<Values> {
  if ((input.visibility ?? input.sharing ?? input.unit ?? input.group) !== undefined) return {};
  const isDebate = input.content_type === "debate";
  const own = isDebate ? "Your own unit" : "Your own unit and those below it";
  const choices = [own, "All units", "Units", "Units and those below them", ...(isDebate ? ["A group"] : [])];
  const answer = await (await terminal.ask()).pick(
    "Who may read it?",
    choices.map((name) => ({ name, value: name })),
  );
  if (answer === own) return {};
  if (answer === "All units") {
    record("--visibility-all-units");
    return { visibility: { all_units: true } };
  }
  if (answer === "A group") {
    const group = await chooseByName("groups", "Group", caller, terminal);
    record("--group", String(group));
    return { group };
  }
  const ids = await chooseSeveral("units", "Units", own, { caller, terminal });
  if (ids.length === 0) return {};
  const field = answer === "Units" ? "units" : "units_falldown";
  record(answer === "Units" ? "--visibility-units" : "--visibility-units-falldown", ids.join(","));
  return { visibility: { [field]: ids } };
}

async function askToPublish({ input, terminal, record }: WizardRun): Promise<Values> {
  if (input.publish !== undefined) return {};
  const answer = await (await terminal.ask()).pick("Publish it?", [
    { name: "Publish", value: "publish" },
    { name: "Save as draft", value: "draft" },
    { name: "Cancel", value: "cancel" },
  ] as const);
  if (answer === "publish") return {};
  if (answer === "cancel") {
    terminal.note("Nothing was changed.");
    throw new Interrupted();
  }
  record("--no-publish-status");
  return { publish: { status: false } };
}
