import { isDeepStrictEqual } from "node:util";
import type { z } from "zod";
import { type FieldIssues, ServiceError } from "../../contract/errors.ts";
import { fold } from "../../contract/fold-text.ts";
import type { poll as contract, pollFields } from "../../contract/poll-schemas.ts";
import { deleteRows, insertRow, insertRows, updateRow } from "../../store/bulk.ts";
import { flagValue } from "../../store/dialect.ts";
import { prepared } from "../../store/prepared.ts";
import { listChangedColumns } from "../pipeline/changed-columns.ts";
import type { Ctx } from "../pipeline/context.ts";

export type Poll = z.infer<ReturnType<typeof contract>>;

/** Returns a row per choice, or a single row for a poll without choices. */
const choiceRows = prepared((db, p: { ids: readonly number[] }) =>
  db
    .selectFrom("polls as p")
    .leftJoin("poll_choices as c", "c.poll_id", "p.id")
    .selectAll("p")
    .select(["c.id as choice_id", "c.title", "c.vote_count"])
    .where("p.id", "in", p.ids)
    .orderBy("p.id")
    .orderBy("c.position")
    .orderBy("c.id"),
);

const ownVotes = prepared((db, p: { ids: readonly number[]; me: number }) =>
  db
    .selectFrom("poll_votes")
    .select(["poll_id", "choice_id"])
    .where("poll_id", "in", p.ids)
    .where("user_id", "=", p.me)
    .orderBy("choice_id"),
);

export async function presentPolls(ctx: Ctx, ids: readonly number[]): Promise<Map<number, Poll>> {
  if (ids.length === 0) return new Map();
  const [allChoices, allVotes] = await Promise.all([
    choiceRows(ctx.db, { ids }),
    ownVotes(ctx.db, { ids, me: ctx.actor.id }),
  ]);
  const rows = Map.groupBy(allChoices, (row) => row.id);
  const votes = Map.groupBy(allVotes, (row) => row.poll_id);
  return new Map(
    [...rows].map(([id, choiceRows]) => {
      // Groups have at least one row.
      const { question, type, close_at, allow_user_choices, anonymous, mandatory } = choiceRows[0]!;
      const choices = choiceRows.flatMap(({ choice_id, title, vote_count }) =>
        choice_id === null ? [] : [{ id: choice_id, title: title ?? "", votes: vote_count ?? 0 }],
      );
      const poll: Poll = {
        id,
        question,
        type,
        close_at,
        allow_user_choices: allow_user_choices === 1,
        anonymous: anonymous === 1,
        mandatory: mandatory === 1,
        choices,
        voted: (votes.get(id) ?? []).map((vote) => vote.choice_id),
      };
      return [id, poll];
    }),
  );
}

export function isOpen({ close_at }: { close_at: number | null }, now: number): boolean {
  return close_at === null || close_at > now;
}

/** Returns true while a mandatory poll waits for the vote of its reader. */
export function lacksVote(poll: Poll, now: number): boolean {
  return poll.mandatory && poll.voted.length === 0 && isOpen(poll, now);
}

type PollFields = z.infer<ReturnType<typeof pollFields>>;

export function pollIssues({ question, choices, ...fields }: PollFields, before?: Poll): FieldIssues {
  const issues: FieldIssues = {};
  if (before === undefined && question === undefined) issues["poll.question"] = [{ code: "required" }];
  const isExtensible = fields.allow_user_choices ?? before?.allow_user_choices ?? false;
  const count = choices?.length ?? before?.choices.length ?? 0;
  if (count < 2 && !isExtensible)
    issues["poll.choices"] = ["must have at least 2 items, unless readers can add choices"];
  const known = new Set(before?.choices.map((choice) => choice.id));
  const ids = choices?.flatMap((choice) => choice.id ?? []) ?? [];
  const unknown = ids.filter((id) => !known.has(id));
  if (unknown.length > 0) issues["poll.choices"] = [`contains choices that are not in the poll: ${unknown.join(", ")}`];
  else if (new Set(ids).size < ids.length) issues["poll.choices"] = ["must not contain a choice twice"];
  const titles = (choices ?? []).map((choice) => titleKey(choice.title));
  if (new Set(titles).size < titles.length) issues["poll.choices"] = ["must not have the same title twice"];
  return issues;
}

/** Returns the form in which choices are compared for duplicates. */
export const titleKey = (title: string): string => fold(title.trim()) || title;

export async function addPoll({ db }: Ctx, post: number, { choices = [], ...fields }: PollFields): Promise<void> {
  const id = await insertRow(db, "polls", {
    ...columns(fields),
    post_id: post,
    // pollIssues requires the question of a new poll.
    question: fields.question!,
    type: fields.type ?? "single",
  });
  await insertRows(
    db,
    "poll_choices",
    choices.map(({ title }, position) => ({ poll_id: id, title, position })),
  );
}

/** Returns true when anything changed. Throws `conflict` when votes would be lost or secret votes become public. */
export async function changePoll(ctx: Ctx, poll: Poll, { choices, ...fields }: PollFields): Promise<boolean> {
  if (poll.anonymous && fields.anonymous === false && poll.choices.some((choice) => choice.votes > 0))
    throw new ServiceError("conflict", "The poll must stay anonymous, because it has secret votes already.");
  if (fields.type === "single" && poll.type === "multiple") await requireOneVoteEach(ctx, poll.id);
  const { id, choices: _, voted: __, ...before } = poll;
  const changes = listChangedColumns(columns(before), columns(fields));
  if (Object.keys(changes).length > 0) await updateRow(ctx.db, "polls", id, changes);
  const moved = choices !== undefined && (await changeChoices(ctx, poll, choices));
  return moved || Object.keys(changes).length > 0;
}

/** Removes the poll of a post. Throws `conflict` when it has votes. */
export async function removePoll(ctx: Ctx, poll: Poll): Promise<void> {
  requireUnvoted(poll.choices);
  await deleteRows(ctx.db, "polls", { id: poll.id });
}

type Columns = Omit<PollFields, "choices">;

function columns({ question, type, close_at, allow_user_choices, anonymous, mandatory }: Columns) {
  return {
    question,
    type,
    close_at,
    allow_user_choices: flagValue(allow_user_choices),
    anonymous: flagValue(anonymous),
    mandatory: flagValue(mandatory),
  };
}

async function changeChoices({ db }: Ctx, poll: Poll, choices: NonNullable<PollFields["choices"]>): Promise<boolean> {
  const remaining = new Set(choices.map((choice) => choice.id));
  const removed = poll.choices.filter((choice) => !remaining.has(choice.id));
  requireUnvoted(removed);
  if (removed.length > 0) await deleteRows(db, "poll_choices", { id: removed.map((choice) => choice.id) });
  const before = poll.choices.map(({ id, title }) => ({ id, title }));
  if (isDeepStrictEqual(choices, before)) return false;
  const titles = new Map(choices.map(({ id, title }) => [id, title]));
  requireUnvoted(poll.choices.filter(({ id, title }) => (titles.get(id) ?? title) !== title));
  for (const [position, { id, title }] of choices.entries()) {
    if (id === undefined) await insertRow(db, "poll_choices", { poll_id: poll.id, title, position });
    else await updateRow(db, "poll_choices", id, { title, position });
  }
  return true;
}

function requireUnvoted(choices: Poll["choices"]): void {
  const voted = choices.filter((choice) => choice.votes > 0);
  if (voted.length === 0) return;
  throw new ServiceError(
    "conflict",
    `Choices with votes cannot be changed or removed: ${voted.map((choice) => choice.id).join(", ")}.`,
  );
}

async function requireOneVoteEach({ db }: Ctx, poll: number): Promise<void> {
  const several = await db
    .selectFrom("poll_votes")
    .select("user_id")
    .where("poll_id", "=", poll)
    .groupBy("user_id")
    .having((eb) => eb.fn.countAll(), ">", 1)
    .limit(1)
    .executeTakeFirst();
  if (several)
    throw new ServiceError("conflict", "The poll must stay multiple, because somebody voted for more than one choice.");
}

/** Returns the poll of a post. Throws `conflict` when it has none. */
export async function pollOf(ctx: Ctx, { id, poll_id }: { id: number; poll_id: number | null }): Promise<Poll> {
  const poll = poll_id === null ? undefined : (await presentPolls(ctx, [poll_id])).get(poll_id);
  if (poll === undefined) throw new ServiceError("conflict", `Post ${id} has no poll.`);
  return poll;
}
