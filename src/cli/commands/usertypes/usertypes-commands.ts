import { fieldsOf } from "../../../contract/field-spec.ts";
import { usertypes as ops } from "../../../contract/usertypes.ts";
import { byReference } from "../../kit/alternative-requests.ts";
import { askAbout, type Commands, command, type WizardRun } from "../../kit/command-spec.ts";
import { kebab } from "../../kit/field-flags.ts";

const row = ["id", "name", "reference"] as const;

export const usertypes: Commands = {
  list: command(ops.list, { items: "user types", columns: [...row, "abilities"] }),
  get: command(ops.get, { columns: row, ...byReference(ops.reference) }),
  create: command(ops.create, {
    wizard: { ask: askForAbilities },
    examples: ["wcs usertypes create --name Editor --abilities-news --abilities-calendar"],
  }),
  update: command(ops.update, { examples: ["wcs usertypes update 3 --no-abilities-news"] }),
  delete: command(ops.delete, {
    confirm: askAbout(ops.get, ({ name }) => `Delete user type ${name}?`),
    done: ({ id }) => `Deleted user type ${id}.`,
  }),
};

async function askForAbilities({ input, terminal, record }: WizardRun) {
  if (input.abilities !== undefined) return input;
  const known = fieldsOf(ops.create).find(({ name }) => name === "abilities")?.fields ?? [];
  const choices = known.map(({ name, description }) => ({ name: `${name}: ${description}`, value: name }));
  const chosen = await (await terminal.ask()).several("Abilities:", choices);
  if (chosen.length === 0) return input;
  record(...chosen.map((name) => `--abilities-${kebab(name)}`));
  return { ...input, abilities: Object.fromEntries(chosen.map((name) => [name, true])) };
}
