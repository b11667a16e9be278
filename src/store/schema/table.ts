import type { Generated } from "kysely";
import type { ColumnTypes } from "../dialect.ts";

/** A column as SQL. `T` is the type of its values, which Kysely's types of the tables are derived from. */
class Column<T> {
  declare readonly value: T;
  readonly #type: keyof ColumnTypes;
  readonly #constraints: string;

  constructor(type: keyof ColumnTypes, constraints = " not null") {
    this.#type = type;
    this.#constraints = constraints;
  }

  sql(types: ColumnTypes): string {
    return types[this.#type] + this.#constraints;
  }

  /** Narrows the type of the values. */
  as<U extends T>(): Column<U> {
    return new Column(this.#type, this.#constraints);
  }

  get orNull(): Column<T | null> {
    return new Column(this.#type, this.#constraints.replace(" not null", ""));
  }

  default(value: T): Column<Generated<T>> {
    return new Column(this.#type, `${this.#constraints} default ${typeof value === "string" ? `'${value}'` : value}`);
  }

  constraint(sql: string): Column<T> {
    return new Column(this.#type, `${this.#constraints} ${sql}`);
  }

  references(target: string): Column<T> {
    return this.constraint(`references ${target}`);
  }
}

const number = new Column<number>("number");

export const columns = {
  id: new Column<Generated<number>>("id", ""),
  text: new Column<string>("text"),
  /** A text that is compared by code point. */
  key: new Column<string>("key"),
  /** An ID, a time or a large number. */
  number,
  integer: new Column<number>("integer"),
  flag: new Column<0 | 1>("integer"),
  real: new Column<number>("real"),
  bytes: new Column<Uint8Array>("bytes"),
  timestamps: { created_at: number, updated_at: number },
};

type Columns = Readonly<Record<string, Column<unknown>>>;
type NamesOf<C> = readonly (keyof C & string)[];

class Table<C extends Columns> {
  readonly columns: C;
  readonly #constraints: string[] = [];
  readonly #indexes: ((table: string) => string)[] = [];
  #isClustered = false;

  constructor(columns: C) {
    this.columns = columns;
  }

  primaryKey(...names: NamesOf<C>): this {
    this.#constraints.push(`primary key (${names.join(", ")})`);
    return this;
  }

  /** Adds a primary key in whose order the rows are stored, if possible. */
  clusteredBy(...names: NamesOf<C>): this {
    this.#isClustered = true;
    return this.primaryKey(...names);
  }

  unique(...names: NamesOf<C>): this {
    this.#constraints.push(`unique (${names.join(", ")})`);
    return this;
  }

  index(name: string, names: NamesOf<C>, where?: string, kind: "index" | "unique index" = "index"): this {
    const condition = where === undefined ? "" : ` where ${where}`;
    this.#indexes.push((table) => `create ${kind} ${name} on ${table} (${names.join(", ")})${condition}`);
    return this;
  }

  statements(table: string, types: ColumnTypes): string[] {
    const columns = Object.entries(this.columns).map(([name, column]) => `${name} ${column.sql(types)}`);
    const parts = [...columns, ...this.#constraints].join(",\n  ");
    const end = this.#isClustered ? types.clustered : "";
    return [`create table ${table} (\n  ${parts}\n)${end}`, ...this.#indexes.map((index) => index(table))];
  }
}

export const table = <C extends Columns>(columns: C): Table<C> => new Table(columns);

/** Returns the types of tables for Kysely. */
export type TablesOf<T extends Readonly<Record<string, Table<Columns>>>> = {
  [N in keyof T]: { [C in keyof T[N]["columns"]]: T[N]["columns"][C]["value"] };
};
