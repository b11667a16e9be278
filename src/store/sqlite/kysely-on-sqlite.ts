import {
  type BinaryOperationNode,
  type Driver,
  Kysely,
  SqliteAdapter,
  SqliteIntrospector,
  SqliteQueryCompiler,
  type ValueNode,
} from "kysely";
import { compareWithList } from "../compare-with-list.ts";
import type { Schema } from "../schema/schema.ts";

export function createKysely(driver: Driver, adapter = new SqliteAdapter()): Kysely<Schema> {
  return new Kysely<Schema>({
    dialect: {
      createAdapter: () => adapter,
      createDriver: () => driver,
      createIntrospector: (db) => new SqliteIntrospector(db),
      createQueryCompiler: () => new LiteralCompiler(),
    },
  });
}

export class WritingAdapter extends SqliteAdapter {
  override get supportsTransactionalDdl(): boolean {
    return true;
  }

  /** Lets Kysely lend several connections, because the driver queues transactions itself. */
  override get supportsMultipleConnections(): boolean {
    return true;
  }
}

/**
 * Writes limits, and the flags 0 and 1 in comparisons, as literals: with parameters SQLite would parse the statement at each run.
 * Writes lists of values as JSON.
 */
class LiteralCompiler extends SqliteQueryCompiler {
  protected override visitValue(node: ValueNode): void {
    const place = this.parentNode?.kind;
    const { value } = node;
    const isLimit = place === "LimitNode" && Number.isSafeInteger(value);
    const isFlag = place === "BinaryOperationNode" && (value === 0 || value === 1);
    if (isLimit || isFlag) this.appendImmediateValue(value);
    else super.visitValue(node);
  }

  protected override visitBinaryOperation(node: BinaryOperationNode): void {
    const comparison = compareWithList(node, [" in (select value from json_each(", "))"]);
    if (comparison === undefined) super.visitBinaryOperation(node);
    else this.visitNode(comparison);
  }
}
