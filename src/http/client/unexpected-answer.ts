import { ServiceError } from "../../contract/errors.ts";

/** An answer that is not from the service, or not in the form of the contract, or a certificate that is not trusted. Another attempt would get the same, so commands that wait end. */
export class UnexpectedAnswer extends ServiceError {}
