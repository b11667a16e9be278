import { sql } from "kysely";
import type { z } from "zod";
import type { participant as contract } from "../../contract/conversation-schemas.ts";
import type { File } from "../../contract/file-schemas.ts";
import type { Db } from "../../store/database.ts";
import { prepared } from "../../store/prepared.ts";
import { filesOf, presentNestedFiles } from "../files/attached-files.ts";
import type { Ctx } from "../pipeline/context.ts";
import { inTurns } from "../pipeline/event-loop-turns.ts";

type Participant = z.infer<ReturnType<typeof contract>>;

/** Returns users with the unit, department and first user type of their first membership, including deleted users. */
const peopleById = prepared((db, p: { ids: number[] }) =>
  db
    .selectFrom("users as u")
    .leftJoin("units as n", "n.id", "u.unit_id")
    .leftJoin("memberships as m", (join) => join.onRef("m.user_id", "=", "u.id").onRef("m.unit_id", "=", "u.unit_id"))
    .leftJoin("departments as d", "d.id", "m.department_id")
    .select(["u.id", "u.first_name", "u.last_name", "u.title", "u.active"])
    .select(["n.id as unit_id", "n.name as unit_name", "d.id as department_id", "d.name as department_name"])
    .select(
      sql<string | null>`(select t.name from membership_user_types mt join user_types t on t.id = mt.user_type_id
        where mt.membership_id = m.id order by t.id limit 1)`.as("type_name"),
    )
    .select(filesOf(db, "user", "u.id").as("files"))
    .where("u.id", "in", p.ids),
);

/** People who are read, for up to 20 ms, before other requests can run. */
const portion = 1000;

export type People = Awaited<ReturnType<typeof loadPeople>>;

/** Loads people, and returns functions that present them. */
export async function loadPeople(ctx: Ctx, ids: Iterable<number>) {
  const people = new Map<number, Awaited<ReturnType<typeof peopleById>>[number] & { readonly avatar: File | null }>();
  for await (const some of inTurns([...new Set(ids)], portion)) {
    for (const row of await peopleById(ctx.db, { ids: some }))
      people.set(row.id, { ...row, avatar: presentNestedFiles(ctx, row.files)[0] ?? null });
  }
  const name = (id: number): string => {
    const row = people.get(id);
    return row === undefined ? "" : `${row.first_name} ${row.last_name}`;
  };
  /** `current` is undefined for people who have left. */
  const participant = (id: number, current: ParticipantRow | undefined): Participant => {
    const row = people.get(id);
    const title = row?.title ?? "";
    const unit = row?.unit_id == null ? null : { id: row.unit_id, name: row.unit_name ?? "" };
    return {
      id,
      first_name: row?.first_name ?? "",
      last_name: row?.last_name ?? "",
      name: name(id),
      title,
      active: row?.active === 1,
      avatar: row?.avatar ?? null,
      archived_at: current?.archived_at ?? null,
      participant_type: "user",
      subtext: [title || row?.type_name, unit?.name].filter(Boolean).join(", "),
      department: row?.department_id == null ? null : { id: row.department_id, name: row.department_name ?? "" },
      unit,
      role: current?.role ?? null,
    };
  };
  return { name, participant };
}

const participantRows = (db: Db) =>
  db.selectFrom("conversation_participants").select(["conversation_id", "user_id", "role", "archived_at"]);

export type ParticipantRow = Awaited<ReturnType<typeof participantsIn>>[number];

/** Returns the participants of conversations in the order in which they joined. */
export const participantsIn = prepared((db, p: { conversations: number[] }) =>
  participantRows(db)
    .where("conversation_id", "in", p.conversations)
    .orderBy("conversation_id")
    .orderBy("joined_position")
    .orderBy("user_id"),
);

/** Returns the given users who participate in the conversation. */
export const participantsAmong = prepared((db, p: { conversation: number; users: number[] }) =>
  participantRows(db).where("conversation_id", "=", p.conversation).where("user_id", "in", p.users),
);
