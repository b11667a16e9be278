import { type BinaryOperationNode, PostgresQueryCompiler } from "kysely";
import { compareWithList } from "../compare-with-list.ts";

/** Writes lists of values as arrays. */
export class ArrayCompiler extends PostgresQueryCompiler {
  protected override visitBinaryOperation(node: BinaryOperationNode): void {
    const comparison = compareWithList(node, [" = any(", ")"]);
    if (comparison === undefined) super.visitBinaryOperation(node);
    else this.visitNode(comparison);
  }
}
