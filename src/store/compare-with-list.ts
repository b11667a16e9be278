import { type BinaryOperationNode, OperatorNode, PrimitiveValueListNode, RawNode, ValueNode } from "kysely";
import { Parameter } from "./query-parameter.ts";

/**
 * Returns `in` with an array, or with the parameter of a prepared query, as a comparison with one parameter between the texts of
 * `list`: the statement is the same for any number of values. A prepared query compares with the value itself when there is only
 * one, which is quicker. Returns undefined for other operations.
 */
export function compareWithList(
  { leftOperand, operator, rightOperand }: BinaryOperationNode,
  list: readonly [before: string, after: string],
): RawNode | undefined {
  const compare = (value: unknown, [before, after] = list) =>
    RawNode.create(["", before, after], [leftOperand, ValueNode.create(value)]);
  if (!OperatorNode.is(operator) || operator.operator !== "in") return undefined;
  if (PrimitiveValueListNode.is(rightOperand)) return compare(rightOperand.values);
  if (!ValueNode.is(rightOperand) || !(rightOperand.value instanceof Parameter)) return undefined;
  return rightOperand.value.asList() ? compare(rightOperand.value, [" = ", ""]) : compare(rightOperand.value);
}
