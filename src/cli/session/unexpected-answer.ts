import { ServiceError } from "../../contract/errors.ts";

/** An instance sent an answer of another form than the contract has. It does so again, so commands that wait for it end. */
export class UnexpectedAnswer extends ServiceError {}
