import fc from "fast-check";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { InputOf, OutputOf } from "../../src/contract/operation.ts";
import { posts } from "../../src/contract/posts.ts";
import { units } from "../../src/contract/units.ts";
import { users } from "../../src/contract/users.ts";
import { usertypes } from "../../src/contract/usertypes.ts";
import { tries } from "../support/effort.ts";
import { type Instance, newInstance } from "../support/instance.ts";
import { codeOf } from "../support/outcome.ts";
import { mistakes } from "../support/tables.ts";

type Patch = Omit<InputOf<typeof posts.update>, "id">;
type Post = OutputOf<typeof posts.get>;

/** The expected post after changes. */
interface Model {
  title: string;
  body: string;
  show_in_feed: boolean;
  important: boolean;
  comments: boolean;
  confirm: boolean;
  all_units: boolean;
  units: number[];
  units_falldown: number[];
  userTypes: number[];
  shares: number[];
  mentions: number[];
  pin: { main: boolean; until: number | null } | null;
  publication: Publication;
}

/** A draft has no time except an end; other posts were or will be published at `at`. */
interface Publication {
  draft: boolean;
  at: number | null;
  on: number | null;
  off: number | null;
}

/** Times are seconds from the moment of the change. */
const away = fc.integer({ min: -20, max: 20 });
const maybe = <T>(arbitrary: fc.Arbitrary<T>) => fc.option(arbitrary, { nil: undefined, freq: 2 });
const some = fc.uniqueArray(fc.nat(3), { maxLength: 3 });
const step = fc.record({
  wait: fc.nat(15),
  title: maybe(fc.constantFrom("A", "B", "C")),
  body: maybe(fc.constantFrom("", "x", "y")),
  show_in_feed: maybe(fc.boolean()),
  important: maybe(fc.boolean()),
  comments: maybe(fc.boolean()),
  confirm: maybe(fc.boolean()),
  all_units: maybe(fc.boolean()),
  units: maybe(some),
  units_falldown: maybe(some),
  userTypes: maybe(some),
  shares: maybe(some),
  mentions: maybe(some),
  pinned: maybe(fc.option(fc.record({ main: maybe(fc.boolean()), until: maybe(fc.option(away)) }))),
  publish: maybe(fc.record({ status: maybe(fc.boolean()), on: maybe(fc.option(away)), off: maybe(fc.option(away)) })),
});
type Step = typeof step extends fc.Arbitrary<infer T> ? T : never;

for (const database of ["sqlite", "postgres"] as const) {
  describe(`changes of posts (${database})`, () => {
    let instance: Instance;
    const known = { units: [1], types: [] as number[], users: [] as number[] };
    beforeAll(async () => {
      instance = await newInstance({ database, caller: "local" });
      instance.freeze();
      const { administrator } = instance;
      for (const name of ["A", "B", "C"]) {
        known.units.push((await administrator.call(units.create, { name, parent: 1 })).id);
      }
      for (const name of ["A", "B", "C", "D"]) {
        known.types.push((await administrator.call(usertypes.create, { name })).id);
        const person = { first_name: name, last_name: name, email: `${name}@example.com`, unit: 1 };
        known.users.push((await administrator.call(users.create, person)).id);
      }
    });
    afterAll(() => instance.close());

    it("after any sequence of changes, a post equals their simple merge", async () => {
      const property = fc.asyncProperty(
        fc.boolean(),
        fc.array(step, { minLength: 1, maxLength: 8 }),
        async (status, steps) => {
          const { administrator } = instance;
          const now = instance.now();
          const { id } = await administrator.call(posts.create, {
            content_type: "news",
            title: "A",
            publish: { status },
          });
          const model = newModel(status ? now : null);
          for (const each of steps) {
            instance.wait(each.wait);
            const patch = patchOf(each, instance.now());
            const code = await codeOf(administrator.call(posts.update, { id, ...patch }));
            expect(code).toBe(merge(model, patch, instance.now()) ? "ok" : "validation_failed");
            const post = await administrator.call(posts.get, { id });
            expect(shown(post)).toEqual(expected(model, instance.now()));
          }
          expect(await mistakes(instance.database)).toEqual([]);
        },
      );
      await fc.assert(property, { numRuns: tries(database === "sqlite" ? 50 : 10) });
    });

    function patchOf(
      { wait: _, comments, confirm, shares, mentions, pinned, publish, ...rest }: Step,
      now: number,
    ): Patch {
      const { all_units, units, units_falldown, userTypes, ...plain } = rest;
      const list = (indexes: number[] | undefined, from: number[]) => indexes?.map((index) => from[index]!);
      const time = (seconds: number | null | undefined) => (seconds == null ? seconds : now + seconds);
      return defined({
        ...plain,
        visibility: defined({
          all_units,
          units: list(units, known.units),
          units_falldown: list(units_falldown, known.units),
          userTypes: list(userTypes, known.types),
        }),
        comments: comments === undefined ? undefined : { enabled: comments },
        confirm: confirm === undefined ? undefined : { enabled: confirm },
        sharing: shares === undefined ? undefined : { shares: list(shares, known.users) },
        mentions: list(mentions, known.users),
        pinned: pinned && defined({ show_in_main_feed: pinned.main, until: time(pinned.until) }),
        publish:
          publish && defined({ status: publish.status, publish_on: time(publish.on), unpublish_on: time(publish.off) }),
      }) as Patch;
    }
  });
}

function defined<T extends object>(fields: T): T {
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined)) as T;
}

function newModel(at: number | null): Model {
  return {
    title: "A",
    body: "",
    show_in_feed: true,
    important: false,
    comments: true,
    confirm: false,
    all_units: false,
    units: [],
    units_falldown: [1],
    userTypes: [],
    shares: [],
    mentions: [],
    pin: null,
    publication: { draft: at === null, at, on: null, off: null },
  };
}

/** Merges a valid change into the model. Returns false, and changes nothing, for an invalid one. */
function merge(
  model: Model,
  { visibility = {}, sharing, comments, confirm, pinned, publish, ...plain }: Patch,
  now: number,
) {
  if (typeof pinned?.until === "number" && pinned.until <= now) return false;
  const publication = publish ? republished(model.publication, publish, now) : model.publication;
  if (publication === undefined) return false;
  Object.assign(model, plain, visibility, { publication });
  // A unit in both lists includes the units below.
  model.units = model.units.filter((unit) => !model.units_falldown.includes(unit));
  if (sharing?.shares) model.shares = sharing.shares;
  model.comments = comments?.enabled ?? model.comments;
  model.confirm = confirm?.enabled ?? model.confirm;
  if (pinned === null) model.pin = null;
  if (pinned) {
    const before =
      model.pin && (model.pin.until === null || model.pin.until > now) ? model.pin : { main: false, until: null };
    const { show_in_main_feed: main = before.main, until = before.until } = pinned;
    model.pin = { main, until };
  }
  return true;
}

type Change = NonNullable<Patch["publish"]>;

/** Returns the publication by the rules of the contract; undefined when the end would not be after the start. */
function republished(before: Publication, { status, publish_on: on, unpublish_on }: Change, now: number) {
  const wasPublished = isPublished(before, now);
  const wasScheduled = !before.draft && before.at! > now;
  const off = unpublish_on === undefined ? before.off : unpublish_on;
  const dated = typeof on === "number";
  let after: Publication = { ...before, off };
  const draft = { draft: true, at: before.at !== null && before.at <= now ? before.at : null, on: null, off };
  if (dated && on > now) after = { draft: false, at: on, on, off };
  else if (dated && status !== false) after = { draft: false, at: on, on, off };
  else if (status === true && !wasPublished) {
    const over = unpublish_on === undefined && off !== null && off <= now;
    after = { draft: false, at: now, on: null, off: over ? null : off };
  } else if (status === false && !before.draft) after = draft;
  else if (on !== undefined && wasScheduled) after = draft;
  else if (on === null) after = { ...after, on: null };
  return !after.draft && after.off !== null && after.off <= after.at! ? undefined : after;
}

function isPublished({ draft, at, off }: Publication, now: number): boolean {
  return !draft && at! <= now && (off === null || off > now);
}

const sorted = (ids: readonly number[]) => [...new Set(ids)].sort((a, b) => a - b);

function expected({ publication, pin, ...model }: Model, now: number) {
  const { at, on, off } = publication;
  return {
    ...model,
    units: sorted(model.units),
    units_falldown: sorted(model.units_falldown),
    userTypes: sorted(model.userTypes),
    shares: sorted(model.shares),
    mentions: sorted(model.mentions),
    pin: pin === null || (pin.until !== null && pin.until <= now) ? null : pin,
    publication: { status: isPublished(publication, now), at: at !== null && at <= now ? at : null, on, off },
  };
}

/** The post as the model has it. */
function shown({ visibility, publish, pinned, ...post }: Post) {
  const places = (falldown: boolean) =>
    visibility.units.filter((unit) => unit.falldown === falldown).map(({ id }) => id);
  return {
    title: post.title,
    body: post.body,
    show_in_feed: post.show_in_feed,
    important: post.important,
    comments: post.comments.enabled,
    confirm: post.confirm.enabled,
    all_units: visibility.all_units,
    units: places(false),
    units_falldown: places(true),
    userTypes: visibility.userTypes.map(({ id }) => id),
    shares: post.sharing.shares,
    mentions: post.mentions.map(({ id }) => id),
    pin: pinned && { main: pinned.show_in_main_feed, until: pinned.until },
    publication: {
      status: publish.status,
      at: publish.published_at,
      on: publish.publish_on,
      off: publish.unpublish_on,
    },
  };
}
