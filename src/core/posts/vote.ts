import { type FieldIssues, ServiceError } from "../../contract/errors.ts";
import { maxChoices } from "../../contract/poll-schemas.ts";
import type { posts as contract } from "../../contract/posts.ts";
import { addToRows, deleteRows, insertRow, insertRows } from "../../store/bulk.ts";
import { presentAuthors } from "../directory/present-authors.ts";
import type { Ctx, Handlers } from "../pipeline/context.ts";
import { readPage } from "../pipeline/cursor.ts";
import { requireNoIssues } from "../pipeline/field-issues.ts";
import { findPost } from "./find-post.ts";
import { isOpen, type Poll, pollOf, presentPolls, titleKey } from "./polls.ts";

export const voting = {
  async vote(ctx, { id, choices = [], title: added }) {
    const title = added ?? undefined;
    const poll = await pollOf(ctx, await findPost(ctx, id));
    if (!isOpen(poll, ctx.now)) throw new ServiceError("conflict", `The poll of post ${id} is closed.`);
    requireValidVotes(poll, choices, title);
    const wanted = new Set(choices);
    if (title !== undefined) wanted.add(await choiceOf(ctx, poll, title));
    if (wanted.size === 0 && poll.mandatory && poll.voted.length > 0) {
      throw new ServiceError("conflict", "The poll is mandatory: you can change your vote, but not withdraw it.");
    }
    await setVotes(ctx, poll, wanted);
    // Voting does not remove the poll.
    return (await presentPolls(ctx, [poll.id])).get(poll.id)!;
  },

  async votes(ctx, { id, limit, cursor }) {
    const poll = await pollOf(ctx, await findPost(ctx, id));
    if (poll.anonymous)
      throw new ServiceError("forbidden", "The poll is anonymous: nobody can see who voted for what.");
    const list = `votes ${poll.id}`;
    const voters = ctx.db.selectFrom("poll_votes").select("user_id").distinct().where("poll_id", "=", poll.id);
    const { rows, meta } = await readPage(ctx, voters, { by: ["user_id"] }, { list, limit, cursor });
    const users = rows.map((row) => row.user_id);
    const votes = await ctx.db
      .selectFrom("poll_votes")
      .select(["user_id", "choice_id"])
      .where("poll_id", "=", poll.id)
      .where("user_id", "in", users)
      .orderBy("choice_id")
      .execute();
    const choicesOf = Map.groupBy(votes, (row) => row.user_id);
    const titleOf = new Map(poll.choices.map((choice) => [choice.id, choice.title]));
    const author = await presentAuthors(ctx, users);
    return {
      data: users.map((user) => {
        const choices = (choicesOf.get(user) ?? []).map((row) => row.choice_id);
        return { user: author(user), choices, titles: choices.map((choice) => titleOf.get(choice) ?? "") };
      }),
      meta,
    };
  },
} satisfies Partial<Handlers<typeof contract>>;

function requireValidVotes(poll: Poll, choices: readonly number[], title: string | undefined): void {
  const issues: FieldIssues = {};
  const known = new Set(poll.choices.map((choice) => choice.id));
  const unknown = choices.filter((choice) => !known.has(choice));
  const wanted = new Set(choices);
  const named = title === undefined ? undefined : sameTitle(poll, title)?.id;
  const more = title !== undefined && (named === undefined || !wanted.has(named)) ? 1 : 0;
  if (unknown.length > 0) issues.choices = [`contains choices that are not in the poll: ${unknown.join(", ")}`];
  else if (poll.type === "single" && wanted.size + more > 1) issues.choices = ["must contain at most one choice"];
  if (title !== undefined && named === undefined && !poll.allow_user_choices) {
    issues.title = ["is not a choice of the poll, and readers cannot add choices"];
  }
  requireNoIssues(issues);
}

const sameTitle = ({ choices }: Poll, title: string) =>
  choices.find((choice) => titleKey(choice.title) === titleKey(title));

/** Returns the choice with that title, adding it if necessary. */
async function choiceOf({ db }: Ctx, poll: Poll, title: string): Promise<number> {
  const same = sameTitle(poll, title);
  if (same) return same.id;
  if (poll.choices.length >= maxChoices) {
    throw new ServiceError("conflict", `The poll has ${maxChoices} choices already; vote for one of them.`);
  }
  return insertRow(db, "poll_choices", { poll_id: poll.id, title, position: poll.choices.length });
}

async function setVotes({ db, actor }: Ctx, poll: Poll, wanted: ReadonlySet<number>): Promise<void> {
  const before = new Set(poll.voted);
  const removed = poll.voted.filter((choice) => !wanted.has(choice));
  const added = [...wanted].filter((choice) => !before.has(choice));
  const own = { poll_id: poll.id, user_id: actor.id };
  if (removed.length > 0) {
    await deleteRows(db, "poll_votes", { ...own, choice_id: removed });
    await addToRows(db, "poll_choices", removed, { vote_count: -1 });
  }
  if (added.length === 0) return;
  const votes = added.map((choice_id) => ({ ...own, choice_id }));
  await insertRows(db, "poll_votes", votes);
  await addToRows(db, "poll_choices", added, { vote_count: 1 });
}
