import { type BinaryOperationNode, PostgresQueryCompiler } from "kysely";
import { listedValues } from "../listed-values.ts";

export class ArrayCompiler extends PostgresQueryCompiler {
  protected override visitBinaryOperation(node: BinaryOperationNode): void {
    const listed = listedValues(node);
    if (listed === undefined) super.visitBinaryOperation(node);
    else {
      const [before, after] = listed.isOne ? [" = ", ""] : [" = any(", ")"];
      this.visitNode(node.leftOperand);
      this.append(before);
      this.appendValue(listed.values);
      this.append(after);
    }
  }
}
