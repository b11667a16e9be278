import { z } from "zod";
import { component, fieldsNamed, id, inputComponent, line, time, unixTime } from "./common-schemas.ts";
import { shortUser } from "./user-schemas.ts";

/** Maximum number of choices of a poll, including those that readers add. */
export const maxChoices = 100;

export const choiceTitle = () => line(255, 1).describe("Text of the choice");

export const poll = component("Poll", () => ({
  id: z.int(),
  question: z.string(),
  type: z.enum(["single", "multiple"]),
  close_at: unixTime().nullable(),
  ...fieldsNamed(["allow_user_choices", "anonymous", "mandatory"], () => z.boolean()),
  choices: z.array(z.object({ id: z.int(), title: z.string(), votes: z.int() })),
  voted: z.array(z.int()).describe("IDs of the choices that the current user voted for"),
}));

const choice = inputComponent("PollChoiceInput", () => ({
  id: id().optional().describe("ID of an existing choice"),
  title: choiceTitle(),
}));

export const pollFields = inputComponent("PollInput", () => ({
  question: line(1000, 1).optional().describe("Question of the poll; required for a new poll"),
  type: z
    .enum(["single", "multiple"])
    .optional()
    .describe("Number of choices that a user can vote for (default single)"),
  close_at: time().nullish().describe("Time at which voting ends"),
  allow_user_choices: z.boolean().optional().describe("Allow readers to add choices"),
  anonymous: z.boolean().optional().describe("Hide who voted for which choice"),
  mandatory: z
    .boolean()
    .optional()
    .describe("Require a vote before reading can be confirmed; votes cannot be withdrawn"),
  choices: z
    .array(choice())
    .max(maxChoices)
    .optional()
    .describe("All choices: with an ID, the choice keeps its votes; without, it is new; missing choices are removed"),
}));

export const vote = component("Vote", () => ({
  user: shortUser(),
  choices: z.array(z.int()).describe("IDs of the choices that the user voted for"),
  titles: z.array(z.string()).describe("Texts of these choices"),
}));
