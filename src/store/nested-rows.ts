import {
  AliasNode,
  ColumnNode,
  type Expression,
  ExpressionWrapper,
  IdentifierNode,
  type OperationNode,
  type RawBuilder,
  ReferenceNode,
  SelectionNode,
  type SelectQueryNode,
  sql,
} from "kysely";
import { jsonArrayFrom as fromPostgres } from "kysely/helpers/postgres";
import { jsonArrayFrom as fromSqlite } from "kysely/helpers/sqlite";
import { type AnyDb, isPostgres } from "./dialect.ts";

/** Rows in a column; SQLite returns them as text. */
export type Nested<T> = string | readonly T[];

/** Returns the rows of a subquery as one column for `rowsIn`, which also sorts: SQLite takes ten times as long with six orders. */
export function nested<T>(
  db: AnyDb,
  query: { toOperationNode(): SelectQueryNode } & Expression<T>,
): RawBuilder<Nested<T>> {
  if (isPostgres(db)) return sql<Nested<T>>`${fromPostgres(query)}`;
  const node = query.toOperationNode();
  const { limit, offset, orderBy, groupBy, distinctOn, frontModifiers } = node;
  const isWhole = [limit, offset, orderBy, groupBy, distinctOn, frontModifiers].every((part) => part === undefined);
  return isWhole ? aggregated<T>(node) : sql<Nested<T>>`${fromSqlite(query as never)}`;
}

/** Aggregates the selected columns themselves: with a subquery in between, SQLite stores the rows first and takes half as long again. */
function aggregated<T>({ selections = [], ...rest }: SelectQueryNode): RawBuilder<Nested<T>> {
  const fields = selections.flatMap(({ selection }) => [sql.lit(nameOf(selection)), expression(sourceOf(selection))]);
  const rows = sql`json_group_array(json_object(${sql.join(fields)}))`.as("rows").toOperationNode();
  return sql<Nested<T>>`${expression({ ...rest, selections: [SelectionNode.create(rows)] })}`;
}

const expression = (node: OperationNode | SelectQueryNode) => new ExpressionWrapper(node);

const sourceOf = (selection: OperationNode) => (AliasNode.is(selection) ? selection.node : selection);

function nameOf(selection: OperationNode): string {
  if (AliasNode.is(selection) && IdentifierNode.is(selection.alias)) return selection.alias.name;
  const column = ReferenceNode.is(selection) ? selection.column : selection;
  if (ColumnNode.is(column)) return column.column.name;
  throw new Error("a nested query selects columns with names");
}

/** Returns nested rows, sorted by the columns `keys`: numbers, in which null counts as 0, or texts without nulls. */
export function rowsIn<T>(column: Nested<T>, ...keys: readonly (keyof T)[]): readonly T[] {
  const rows = typeof column !== "string" ? column : (JSON.parse(column) as T[]);
  return rows.length < 2 || keys.length === 0 ? rows : rows.toSorted((a, b) => compare(a, b, keys));
}

function compare<T>(a: T, b: T, keys: readonly (keyof T)[]): number {
  const key = keys.find((each) => a[each] !== b[each]);
  if (key === undefined) return 0;
  return (a[key] ?? 0) < (b[key] ?? 0) ? -1 : 1;
}
