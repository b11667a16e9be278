import { allOperations } from "../../contract/all-operations.ts";
import type { AnyOperation, Paging } from "../../contract/operation.ts";
import { isReplayable } from "../../contract/secrets.ts";
import { type AnswerShape, answerShapeOf } from "../client/read-answer.ts";
import { textListsOf } from "../codec.ts";
import { renamedPathFields } from "../field-names.ts";

/** An operation as the client package knows it: plain data, which needs neither the contract nor zod. */
export interface OperationRow extends AnswerShape {
  readonly name: string;
  readonly method: AnyOperation["method"];
  readonly path: string;
  readonly public?: true;
  readonly bytes?: true;
  /** Set when a repetition with the same Idempotency-Key gets the first answer. */
  readonly replayable?: true;
  readonly textLists?: readonly string[];
  /** Names of fields in errors, by their name on the wire. */
  readonly fieldNames?: Readonly<Record<string, string>>;
  readonly paging?: Paging;
}

export async function operationRows(): Promise<OperationRow[]> {
  return (await allOperations()).map(rowOf);
}

function rowOf(op: AnyOperation): OperationRow {
  const { name, method, path, list } = op;
  const textLists = textListsOf(op);
  const { apart } = renamedPathFields(op);
  return {
    name,
    method,
    path,
    ...(op.access === "public" && { public: true }),
    ...(op.bytes && { bytes: true }),
    ...(isReplayable(op) && { replayable: true }),
    ...(textLists.length > 0 && { textLists }),
    ...(apart.length > 0 && { fieldNames: Object.fromEntries(apart.map(({ wire, name }) => [wire, name])) }),
    ...answerShapeOf(op),
    ...(list?.paging && { paging: list.paging }),
  };
}
