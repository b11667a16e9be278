import type { z } from "zod";
import type { poll as contract } from "../../contract/poll-schemas.ts";
import { prepared } from "../../store/prepared.ts";
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
