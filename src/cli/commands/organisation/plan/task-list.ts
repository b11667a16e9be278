import type { DatabaseSync } from "node:sqlite";
import type { Task } from "./change.ts";

export type TaskList = ReturnType<typeof createTaskList>;

/** Creates an empty list of tasks for users, on disk, because a file may change any number of them. */
export function createTaskList(scratch: DatabaseSync) {
  scratch.exec("create table tasks (place integer primary key, task text not null)");
  const insert = scratch.prepare("insert into tasks values (?, ?)");
  let size = 0;
  return {
    get size(): number {
      return size;
    },
    /** Adds a task; those with a lower place come first. */
    add(place: number, task: Task<"users">): void {
      size += 1;
      insert.run(place, JSON.stringify(task));
    },
    *[Symbol.iterator](): Generator<Task<"users">> {
      for (const { task } of scratch.prepare("select task from tasks order by place").iterate()) {
        yield JSON.parse(String(task));
      }
    },
  };
}
