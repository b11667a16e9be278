import { Interrupted } from "../../errors/cli-errors.ts";
import type { WizardRun } from "../../kit/command-spec.ts";
import { chooseByName, chooseSeveral } from "../../kit/find-by-name.ts";

type Values = Record<string, unknown>;

export async function askForReaders(run: WizardRun): Promise<Values> {
  const post = { ...run.input, ...(await askReaders(run)) };
  return { ...post, ...(await askToPublish(run)) };
}

async function askReaders(run: WizardRun): Promise<Values> {
  const { input, caller, terminal, record } = run;
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
    const group = await chooseByName("groups", "Group", { caller, terminal });
    record("--group", String(group));
    return { group };
  }
  const [field, flag] =
    answer === "Units" ? ["units", "--visibility-units"] : ["units_falldown", "--visibility-units-falldown"];
  const ids = await chooseSeveral("units", flag, "Units", own, run);
  return ids ? { visibility: { [field]: ids } } : {};
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
