import { type BinaryOperationNode, OperatorNode, PrimitiveValueListNode, ValueNode } from "kysely";
import { Parameter } from "./query-parameter.ts";

/**
 * Returns the values that `in` lists: an array, or the parameter of a prepared query. They go in one parameter: the statement is
 * the same for any number of values. A prepared query compares with the value itself when there is only one, which is quicker.
 */
export function listedValues({ operator, rightOperand }: BinaryOperationNode) {
  if (!OperatorNode.is(operator) || operator.operator !== "in") return undefined;
  if (PrimitiveValueListNode.is(rightOperand)) return { values: rightOperand.values, isOne: false };
  if (!ValueNode.is(rightOperand) || !(rightOperand.value instanceof Parameter)) return undefined;
  return { values: rightOperand.value, isOne: rightOperand.value.asList() };
}
