import type { Database } from "../../src/store/database.ts";

/** Returns the counts of posts, comments and polls that differ from a recount. */
export async function postMistakes({ reader }: Database): Promise<string[]> {
  const marks = Map.groupBy(await reader.selectFrom("post_marks").selectAll().execute(), (each) => each.post_id);
  const comments = await reader.selectFrom("comments").selectAll().execute();
  const commentsOf = Map.groupBy(comments, (each) => each.post_id);
  const found: string[] = [];
  for (const post of await reader.selectFrom("posts").selectAll().execute()) {
    const own = marks.get(post.id) ?? [];
    const written = (commentsOf.get(post.id) ?? []).filter((each) => each.deleted_at === null);
    const expected = {
      comment_count: written.filter((each) => each.parent_id === null).length,
      reply_count: written.filter((each) => each.parent_id !== null).length,
      like_count: own.filter((each) => each.liked_at !== null).length,
      read_count: own.filter((each) => each.read_at !== null).length,
      accepted_count: own.filter((each) => each.answer === "accepted").length,
      rejected_count: own.filter((each) => each.answer === "rejected").length,
      listed_at: post.published_at ?? post.created_at,
    };
    found.push(...differences(`post ${post.id}`, post, expected));
    if (post.draft === 1 && post.publish_on !== null) found.push(`post ${post.id}: a draft with a time to publish it`);
    if (post.draft === 0 && post.published_at === null) found.push(`post ${post.id}: published, but not when`);
  }
  for (const comment of comments) {
    const replies = comments.filter((each) => each.parent_id === comment.id && each.deleted_at === null);
    found.push(...differences(`comment ${comment.id}`, comment, { reply_count: replies.length }));
    const parent = comments.find((each) => each.id === comment.parent_id);
    if (parent && (parent.parent_id !== null || parent.post_id !== comment.post_id)) {
      found.push(`comment ${comment.id}: replies to ${parent.id}`);
    }
  }
  return [...found, ...(await pollMistakes({ reader })), ...(await placeMistakes({ reader }))];
}

/** Posts that are not exactly where their readers look for them. */
async function placeMistakes({ reader }: Pick<Database, "reader">): Promise<string[]> {
  const ofAudience = ({ audience_id }: { audience_id: number }) => audience_id;
  const units = Map.groupBy(await reader.selectFrom("audience_units").selectAll().execute(), ofAudience);
  const shares = Map.groupBy(await reader.selectFrom("audience_shares").selectAll().execute(), ofAudience);
  const places = Map.groupBy(await reader.selectFrom("post_places").selectAll().execute(), (each) => each.post_id);
  const posts = await reader
    .selectFrom("posts as p")
    .innerJoin("audiences as a", "a.id", "p.audience_id")
    .selectAll("a")
    .select(["p.id as post", "p.listed_at", "p.updated_at", "p.deleted_at"])
    .execute();
  return posts.flatMap((post) => {
    const kept = places.get(post.post) ?? [];
    const expected = [
      `a${post.author_id}`,
      `o${post.owner_unit_id}`,
      ...(post.everywhere === 1 ? ["*"] : []),
      ...(post.group_id === null ? [] : [`g${post.group_id}`]),
      ...(units.get(post.id) ?? []).map((each) => `${each.falldown ? "d" : "u"}${each.unit_id}`),
      ...(shares.get(post.id) ?? []).map((each) => `s${each.user_id}`),
    ];
    const wanted = post.deleted_at === null ? expected.sort().join(" ") : "";
    const there = kept
      .map((each) => each.place)
      .sort()
      .join(" ");
    const late = kept.filter((each) => each.listed_at !== post.listed_at || each.updated_at !== post.updated_at);
    return [
      ...(there === wanted ? [] : [`post ${post.post}: in ${there}, not ${wanted}`]),
      ...late.map((each) => `post ${post.post}: at another time in ${each.place}`),
    ];
  });
}

async function pollMistakes({ reader }: Pick<Database, "reader">): Promise<string[]> {
  const votes = await reader.selectFrom("poll_votes").selectAll().execute();
  const polls = await reader.selectFrom("polls").selectAll().execute();
  const choices = await reader.selectFrom("poll_choices").selectAll().execute();
  const found = choices.flatMap((choice) => {
    const vote_count = votes.filter((vote) => vote.choice_id === choice.id && vote.poll_id === choice.poll_id).length;
    return differences(`choice ${choice.id}`, choice, { vote_count });
  });
  for (const poll of polls.filter((each) => each.type === "single")) {
    const users = votes.filter((vote) => vote.poll_id === poll.id).map((vote) => vote.user_id);
    if (new Set(users).size < users.length) found.push(`poll ${poll.id}: somebody voted twice`);
  }
  return found;
}

function differences<T extends object>(what: string, kept: T, expected: Partial<T>): string[] {
  return Object.entries(expected)
    .filter(([name, value]) => kept[name as keyof T] !== value)
    .map(([name, value]) => `${what}: ${name} is ${kept[name as keyof T]}, not ${value}`);
}
