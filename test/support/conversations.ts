import { conversations } from "../../src/contract/conversations.ts";
import type { Caller, OutputOf } from "../../src/contract/operation.ts";
import type { World } from "./actors.ts";

export type Message = OutputOf<typeof conversations.send>;
export type Conversation = OutputOf<typeof conversations.get>;

/** Somebody who takes part in conversations. */
export interface Talker {
  readonly id: number;
  readonly caller: Caller;
  /** Starts or continues the conversation with exactly these people. */
  write(recipients: readonly number[], message: string): Promise<Message>;
  send(conversation: number, message: string, more?: { parent_id?: number }): Promise<Message>;
  get(conversation: number): Promise<Conversation>;
  /** Texts of the newest messages, newest first; a service message as what it tells of. */
  texts(conversation: number, input?: object): Promise<string[]>;
  /** IDs of the conversations listed. */
  listed(input?: object): Promise<number[]>;
}

/** A user as a participant. */
export function talker(id: number, caller: Caller): Talker {
  return {
    id,
    caller,
    write: (recipients, message) => caller.call(conversations.create, { recipients: [...recipients], message }),
    send: (conversation, message, more) => caller.call(conversations.send, { id: conversation, message, ...more }),
    get: (conversation) => caller.call(conversations.get, { id: conversation }),
    texts: async (conversation, input) =>
      textsOf((await caller.call(conversations.messages, { id: conversation, ...input })).data),
    listed: async (input) => (await caller.call(conversations.list, input ?? {})).data.map(({ id }) => id),
  };
}

export function textsOf(messages: readonly Message[]): string[] {
  return messages.map((message) => message.meta?.event ?? message.message);
}

/** New users of Harbour who talk. */
export async function talkers(world: World, count: number): Promise<Talker[]> {
  const found: Talker[] = [];
  for (let n = 0; n < count; n++) {
    const { id } = await world.addUser();
    found.push(talker(id, await world.instance.as(id)));
  }
  return found;
}
