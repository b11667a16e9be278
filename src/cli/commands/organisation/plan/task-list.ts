import type { DatabaseSync } from "node:sqlite";
import type { OrganisationSection } from "../file/organisation-schema.ts";
import type { Task } from "./change.ts";

/** Tasks on disk, because a file may change any number of items. */
export interface TaskList<S extends OrganisationSection> extends Iterable<Task<S>> {
  readonly size: number;
  /** Adds a task; those with a lower place come first. */
  add(place: number, task: Task<S>): void;
}

/** Creates an empty list of tasks. */
export function createTaskList<S extends OrganisationSection>(scratch: DatabaseSync): TaskList<S> {
  scratch.exec("create table tasks (place integer primary key, task text not null)");
  const insert = scratch.prepare("insert into tasks values (?, ?)");
  let size = 0;
  return {
    get size() {
      return size;
    },
    add(place, task) {
      size += 1;
      insert.run(place, JSON.stringify(task));
    },
    *[Symbol.iterator]() {
      for (const { task } of scratch.prepare("select task from tasks order by place").iterate()) {
        yield JSON.parse(String(task)) as Task<S>;
      }
    },
  };
}
