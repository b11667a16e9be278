import { ServiceError } from "../../contract/errors.ts";

/** Something else than the service answered, or answered in another form than the contract has. It does so again, so commands that wait end. */
export class UnexpectedAnswer extends ServiceError {}
