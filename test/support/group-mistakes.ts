import type { Database } from "../../src/store/database.ts";

/** Members that are not counted as they are, groups without an administrator, members who are no longer. */
export async function groupMistakes({ reader }: Database): Promise<string[]> {
  const found: string[] = [];
  const members = await reader.selectFrom("group_members").selectAll().execute();
  for (const { id, member_count } of await reader.selectFrom("groups").select(["id", "member_count"]).execute()) {
    const own = members.filter((member) => member.group_id === id);
    if (own.length !== member_count) found.push(`group ${id}: member_count is ${member_count}, not ${own.length}`);
    if (own.length > 0 && own.every((member) => member.role === "member")) found.push(`group ${id}: no administrator`);
  }
  const deleted = await reader.selectFrom("users").select("id").where("deleted_at", "is not", null).execute();
  for (const { id } of deleted) {
    if (members.some((member) => member.user_id === id)) found.push(`user ${id}: deleted, in a group`);
  }
  return found;
}

/** Files of what is not there, contents without a file, chunks that are not the content. */
export async function fileMistakes({ reader }: Database): Promise<string[]> {
  const found: string[] = [];
  const things = {
    event: await reader.selectFrom("events").select("id").where("deleted_at", "is", null).execute(),
    post: await reader.selectFrom("posts").select("id").where("deleted_at", "is", null).execute(),
    message: await reader.selectFrom("messages").select("id").where("deleted_at", "is", null).execute(),
    user: await reader.selectFrom("users").select("id").where("deleted_at", "is", null).execute(),
    unit: await reader.selectFrom("units").select("id").execute(),
    group: await reader.selectFrom("groups").select("id").execute(),
  };
  const files = await reader.selectFrom("files").selectAll().execute();
  for (const { id, owner, owner_id } of files) {
    if (!things[owner].some((thing) => thing.id === owner_id))
      found.push(`file ${id}: there is no ${owner} ${owner_id}`);
  }
  const chunks = await reader.selectFrom("file_chunks").selectAll().orderBy("number").execute();
  for (const { sha256, size } of await reader.selectFrom("file_contents").selectAll().execute()) {
    const own = chunks.filter((chunk) => chunk.sha256 === sha256);
    const bytes = own.reduce((sum, chunk) => sum + chunk.bytes.length, 0);
    if (bytes !== size || own.some((chunk, at) => chunk.number !== at)) found.push(`content ${sha256}: not whole`);
    const used = files.filter((file) => file.sha256 === sha256);
    if (used.length === 0) found.push(`content ${sha256}: nothing refers to it`);
    for (const file of used) if (file.size !== size) found.push(`file ${file.id}: size is ${file.size}, not ${size}`);
  }
  return found;
}
