import { allOperations } from "../contract/all-operations.ts";
import { openapi } from "./openapi.ts";

/** Returns openapi.json without what differs between instances. The build replaces this module by the text: making it takes 240 ms. */
export const openapiDocument = async (): Promise<string> => JSON.stringify(openapi(await allOperations()));
