import { expect, it } from "vitest";
import { askAbout, command, isOperation } from "../../src/cli/kit/command-spec.ts";
import { groups } from "../../src/contract/groups.ts";
import { users } from "../../src/contract/users.ts";

// Each mistake is a compile error; without the error the type checker reports the comment.
const declarations = [
  command(users.list, { columns: ["id", "unit.name", "memberUnits.unit.name"] }),
  // @ts-expect-error: users have no such field
  command(users.list, { columns: ["id", "nickname"] }),
  // @ts-expect-error: nor has their unit
  command(users.list, { columns: ["unit.colour"] }),
  // @ts-expect-error: a list has columns, or a picture
  command(users.list, {}),
  // @ts-expect-error: the input has no such field
  command(users.get, { args: [{ field: "ID" }] }),
  // @ts-expect-error: a flag sets a field of the input
  command(users.get, { flags: [{ flags: "--nick", description: "Nick name", field: "nick" }] }),
  // @ts-expect-error: a command has no such option
  command(users.get, { colour: "red" }),
  // @ts-expect-error: there is no response to print, so there is a sentence
  command(users.delete, { args: [{ field: "id" }] }),
  // @ts-expect-error: the sentence is made of the input
  command(users.delete, { done: ({ nick }) => nick }),
  // @ts-expect-error: the question is made of the resource
  command(groups.delete, { done: () => "Deleted.", confirm: askAbout(groups.get, ({ nick }) => nick) }),
];

it("command: a field, column or flag that the operation does not have does not compile", () => {
  expect(declarations.every((each) => isOperation(each))).toBe(true);
});
