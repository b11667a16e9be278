import { SqliteQueryCompiler, type ValueNode } from "kysely";

/**
 * Writes limits, and the flags 0 and 1 in comparisons, as literals. SQLite plans with the values of parameters of a limit and of
 * columns that partial indexes are restricted by, so it would parse such a statement again at each run.
 */
export class LiteralCompiler extends SqliteQueryCompiler {
  protected override visitValue(node: ValueNode): void {
    const place = this.parentNode?.kind;
    const { value } = node;
    const isLimit = place === "LimitNode" && Number.isSafeInteger(value);
    const isFlag = place === "BinaryOperationNode" && (value === 0 || value === 1);
    if (isLimit || isFlag) this.appendImmediateValue(value);
    else super.visitValue(node);
  }
}
