import { beforeAll } from "vitest";
import { groups } from "../../src/contract/groups.ts";
import type { ArgumentsOf, Caller, OutputOf } from "../../src/contract/operation.ts";
import { posts } from "../../src/contract/posts.ts";
import { usertypes } from "../../src/contract/usertypes.ts";
import { useWorld, type World } from "./actors.ts";
import type { Environment } from "./instance.ts";

export type Post = OutputOf<typeof posts.get>;
export type NewPost = Partial<ArgumentsOf<typeof posts.create>>;

/** The world with people who write: an editor and a planner of North, who have `news` and `calendar` there. */
export interface Newsroom extends World {
  readonly editor: Caller;
  readonly planner: Caller;
  readonly colleague: Caller;
  readonly editorId: number;
  /** A post by the administrator, news for North and below unless told otherwise. */
  write(fields?: NewPost): Promise<Post>;
  /** A group of these and the administrator. */
  addGroup(members: readonly number[]): Promise<number>;
}

export function useNewsroom(environment: Environment): () => Newsroom {
  const world = useWorld(environment);
  let newsroom: Newsroom | undefined;
  beforeAll(async () => {
    newsroom = await open(world());
  });
  return () => newsroom!;
}

async function open(world: World): Promise<Newsroom> {
  const { actors, instance, units, types, ids, addUser } = world;
  const calendar = await actors.administrator.call(usertypes.create, {
    name: "Planner",
    abilities: { calendar: true },
  });
  const editor = await addUser({ first_name: "Editor", unit: units.north, userTypes: [types.editor] });
  const planner = await addUser({ first_name: "Planner", unit: units.north, userTypes: [calendar.id] });
  return {
    ...world,
    editor: await instance.as(editor.id),
    planner: await instance.as(planner.id),
    colleague: await instance.as(ids.colleague),
    editorId: editor.id,
    write: (fields) =>
      actors.administrator.call(posts.create, {
        content_type: "news",
        title: "News",
        ...(fields?.group === undefined && { visibility: { units_falldown: [units.north] } }),
        ...fields,
      }),
    async addGroup(members) {
      const { administrator } = actors;
      const { id } = await administrator.call(groups.create, { name: "Group" });
      for (const user of members) await administrator.call(groups.memberAdd, { id, user });
      return id;
    },
  };
}
