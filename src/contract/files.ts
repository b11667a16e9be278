import { z } from "zod";
import { id } from "./common-schemas.ts";
import { content } from "./file-schemas.ts";
import { operation, operationGroup } from "./operation.ts";

export const files = operationGroup("files", {
  get: operation({
    method: "GET",
    path: "/files/{id}",
    summary: "Download a file",
    description:
      "For whoever may read the post or event, or is in the conversation, that it belongs to. Answers with the bytes, or with the range that is asked for (RFC 9110, section 14); the ETag never changes. A video elsewhere has none: 404 with its URL.",
    access: "signed_in",
    input: () => z.strictObject({ id: id("files") }),
    output: content,
    status: 200,
    bytes: true,
    errors: ["range_not_satisfiable"],
  }),
});
