import type { DatabaseSync } from "node:sqlite";
import type { OrganisationSection } from "../file/organisation-schema.ts";
import type { Task } from "./change.ts";

export type TaskList<S extends OrganisationSection> = ReturnType<typeof createTaskList<S>>;

/** Creates an empty list of tasks, on disk, because a file may change any number of items. */
export function createTaskList<S extends OrganisationSection>(scratch: DatabaseSync) {
  scratch.exec("create table tasks (place integer primary key, task text not null)");
  const insert = scratch.prepare("insert into tasks values (?, ?)");
  let size = 0;
  return {
    get size(): number {
      return size;
    },
    /** Adds a task; those with a lower place come first. */
    add(place: number, task: Task<S>): void {
      size += 1;
      insert.run(place, JSON.stringify(task));
    },
    *[Symbol.iterator](): Generator<Task<S>> {
      for (const { task } of scratch.prepare("select task from tasks order by place").iterate()) {
        yield JSON.parse(String(task)) as Task<S>;
      }
    },
  };
}
