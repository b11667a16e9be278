import { type BinaryOperationNode, OperatorNode, PrimitiveValueListNode, ValueNode } from "kysely";
import { Parameter } from "./query-parameter.ts";

interface ListedValues {
  /** An array, or the parameter of a prepared query. */
  readonly values: unknown;
  /** A prepared query compares with the value itself when there is only one, which is quicker. */
  readonly isOne: boolean;
}

/** Returns the values that `in` lists. They go in one parameter: the statement is the same for any number of values. */
export function listedValues({ operator, rightOperand }: BinaryOperationNode): ListedValues | undefined {
  if (!OperatorNode.is(operator) || operator.operator !== "in") return undefined;
  if (PrimitiveValueListNode.is(rightOperand)) return { values: rightOperand.values, isOne: false };
  if (!ValueNode.is(rightOperand) || !(rightOperand.value instanceof Parameter)) return undefined;
  return { values: rightOperand.value, isOne: rightOperand.value.asList() };
}
