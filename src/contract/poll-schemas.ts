import { z } from "zod";
import { id, line, unixTime } from "./common-schemas.ts";
import { once } from "./operation.ts";
import { shortUser } from "./user-schemas.ts";

/** Maximum number of choices of a poll, including those that readers add. */
export const mostChoices = 100;

export const choiceTitle = () => line(255, 1);

export const poll = once(() =>
  z
    .object({
      id: z.int(),
      question: z.string(),
      type: z.enum(["single", "multiple"]),
      close_at: unixTime().nullable(),
      allow_user_choices: z.boolean(),
      anonymous: z.boolean(),
      mandatory: z.boolean(),
      choices: z.array(z.object({ id: z.int(), title: z.string(), votes: z.int() })),
      voted: z.array(z.int()).meta({ description: "IDs of the choices that the current user voted for" }),
    })
    .meta({ id: "Poll" }),
);

const choice = once(() =>
  z.strictObject({
    id: id().optional().meta({ description: "Of a choice that is there already" }),
    title: choiceTitle(),
  }),
);

/** The input fields of a poll. */
export const pollFields = once(() =>
  z.strictObject({
    question: line(1000, 1).optional().meta({ description: "The question; a new poll needs one" }),
    type: z
      .enum(["single", "multiple"])
      .optional()
      .meta({ description: "How many choices one may vote for (default single)" }),
    close_at: unixTime().nullable().optional().meta({ description: "When voting ends" }),
    allow_user_choices: z.boolean().optional().meta({ description: "Readers may add choices" }),
    anonymous: z.boolean().optional().meta({ description: "Nobody learns who voted for what" }),
    mandatory: z
      .boolean()
      .optional()
      .meta({ description: "Reading is confirmed after voting only, and votes are not withdrawn" }),
    choices: z
      .array(choice())
      .max(mostChoices)
      .optional()
      .meta({ description: "Those with an ID keep their votes, those without are new, those left out are removed" }),
  }),
);

export const vote = once(() =>
  z
    .object({
      user: shortUser(),
      choices: z.array(z.int()).meta({ description: "IDs of the choices that the user voted for" }),
    })
    .meta({ id: "Vote" }),
);
