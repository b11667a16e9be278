interface Entry {
  readonly id: number;
  readonly author: number;
  readonly service: boolean;
  deleted: boolean;
}

interface Part {
  administrator: boolean;
  /** The number of messages when the participant last saw and last deleted the conversation. */
  seen: number;
  cleared: number;
  archived: boolean;
  /** Something was written since it was deleted. */
  shown: boolean;
}

type Act =
  | "send"
  | "erase"
  | "seen"
  | "clear"
  | "archive"
  | "unarchive"
  | "add"
  | "remove"
  | "leave"
  | "promote"
  | "demote";

/** A group as it ought to be: everything is counted when it is asked for. */
export class ConversationModel {
  readonly #messages: Entry[] = [];
  /** In the order in which they joined. */
  readonly #parts = new Map<number, Part>();

  constructor(people: readonly number[], author: number, first: number) {
    for (const id of people.toSorted((a, b) => a - b)) {
      this.#parts.set(id, { administrator: id === author, seen: 0, cleared: 0, archived: false, shown: false });
    }
    this.#append(first, author, false);
  }

  has(user: number): boolean {
    return this.#parts.has(user);
  }

  /** The ID of some message. */
  messageAt(at: number): number {
    return this.#messages[at % this.#messages.length]!.id;
  }

  /** Does something; `made` is the ID of the message that came of it. The code of the refusal, or `ok`. */
  act(what: Act, who: number, whom: number, message: number, made: number | undefined): string {
    const mine = this.#parts.get(who);
    if (mine === undefined) return "not_found";
    const all = this.#messages.length;
    switch (what) {
      case "send":
        this.#append(made!, who, false);
        return "ok";
      case "erase":
        return this.#erase(mine, who, message);
      case "seen":
        mine.seen = all;
        return "ok";
      case "clear":
        Object.assign(mine, { seen: all, cleared: all, archived: false, shown: false });
        return "ok";
      case "archive":
      case "unarchive":
        mine.archived = what === "archive";
        return "ok";
      case "leave":
        return this.#remove(whom, who, made);
      default:
        if (what === "remove" && whom === who) return this.#remove(whom, who, made);
        return mine.administrator ? this.#administer(what, who, whom, made) : "forbidden";
    }
  }

  #erase(mine: Part, who: number, message: number): string {
    const at = this.#messages.findIndex(({ id }) => id === message);
    const entry = this.#messages[at]!;
    if (at < mine.cleared) return "not_found";
    if (entry.service || entry.deleted) return "conflict";
    if (entry.author !== who && !mine.administrator) return "forbidden";
    entry.deleted = true;
    return "ok";
  }

  #administer(what: "add" | "remove" | "promote" | "demote", who: number, whom: number, made?: number): string {
    const part = this.#parts.get(whom);
    if (what === "add") {
      if (part !== undefined) return "ok";
      this.#append(made!, who, true);
      const seen = this.#messages.length;
      this.#parts.set(whom, { administrator: false, seen, cleared: 0, archived: false, shown: true });
      return "ok";
    }
    if (part === undefined) return "not_found";
    if (what === "remove") return this.#remove(whom, who, made);
    const others = [...this.#parts].filter(([id, each]) => id !== whom && each.administrator);
    if (what === "demote" && others.length === 0) return "conflict";
    part.administrator = what === "promote";
    return "ok";
  }

  #remove(whom: number, who: number, made: number | undefined): string {
    this.#parts.delete(whom);
    const rest = [...this.#parts.values()];
    if (rest[0] && !rest.some((part) => part.administrator)) rest[0].administrator = true;
    if (made !== undefined) this.#append(made, who, true);
    return "ok";
  }

  #append(id: number, author: number, service: boolean): void {
    this.#messages.push({ id, author, service, deleted: false });
    if (service) return;
    for (const part of this.#parts.values()) Object.assign(part, { archived: false, shown: true });
  }

  /** Returns the expected response for a user; undefined for users who do not participate. */
  seenBy(user: number) {
    const part = this.#parts.get(user);
    if (part === undefined) return undefined;
    const unread = this.#messages.filter(
      ({ author, service, deleted }, at) => at >= part.seen && author !== user && !service && !deleted,
    ).length;
    return {
      unread,
      archived: part.archived,
      latest: part.shown ? this.#messages.at(-1)!.id : null,
      people: [...this.#parts].map(([id, each]) => `${id} ${each.administrator ? "administrator" : "member"}`),
      messages: this.#messages
        .slice(part.cleared)
        .map(({ id }) => id)
        .reverse(),
      listed: part.shown && !part.archived,
      listedUnread: unread > 0,
      listedArchived: part.shown && part.archived,
    };
  }
}
