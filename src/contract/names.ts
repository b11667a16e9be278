import { z } from "zod";
import { component, line, nullableText, wholeList } from "./common-schemas.ts";
import { namedKinds } from "./field-metadata.ts";
import { type ItemOf, operation, operationGroup } from "./operation.ts";

export const maxMatches = 6;
export const maxTexts = 100;
export const maxTextLength = 255;

export const names = operationGroup("names", {
  find: operation("GET", "/names", "Find things by name, reference or e-mail address", {
    description: `Finds users, units, user types, groups, webhooks, API tokens, events, posts and conversations. For each text and kind, the response has the things with this reference, e-mail address or name, ignoring case and accents in names; otherwise those with a similar name: ${maxMatches} at most. \`ref:E-7\` finds references only, \`me\` finds you, and for users a text with @ is an e-mail address. Without texts, the response has the first things of each kind. Only things that you can see are found; an API token without a scope for this operation finds the kinds of things that its scopes let it get or list.`,
    access: "signed_in",
    limitsTokens: true,
    input: () => ({
      texts: z
        .array(line(maxTextLength, 1))
        .min(1, "must name at least one text")
        .max(maxTexts)
        .optional()
        .meta({ placeholder: "text", description: "Names, references and e-mail addresses to look up" }),
      kinds: z
        .array(z.enum(namedKinds))
        .min(1)
        .optional()
        .meta({ placeholder: "kind", description: "Only these kinds (default all)" }),
    }),
    ...wholeList(
      component("NameMatch", () => ({
        text: z.string().describe("The text that was looked up; empty without texts"),
        kind: z.enum(namedKinds),
        id: z.int(),
        name: z.string(),
        detail: nullableText().describe(
          "Distinguishes equal names: the unit of a user, the parent of a unit, the URL of a webhook, the owner of a token, the date (UTC) of an event, of the publication of a post, or on which a conversation began",
        ),
        match: z.enum(["reference", "email", "name", "similar"]).describe("How the text matches"),
      })),
    ),
  }),
});

export type NameMatch = ItemOf<typeof names.find>;
