import { ServiceError } from "../../contract/errors.ts";

/**
 * An error that another attempt would get, too, so commands that wait end: an answer that is not from the service or not in the
 * form of the contract, or a certificate that is not trusted.
 */
export class PermanentError extends ServiceError {}
