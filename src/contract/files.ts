import { id } from "./common-schemas.ts";
import { content } from "./file-schemas.ts";
import { operation, operationGroup } from "./operation.ts";

export const files = operationGroup("files", {
  get: operation("GET", "/files/{id}", "Download a file", {
    description:
      "You need access to the post, event, conversation, user, unit or group that the file belongs to. The response is the content, or the requested range of it (RFC 9110, section 14); the ETag never changes. For videos hosted elsewhere the response is 404 with their URL.",
    access: "signed_in",
    input: () => ({ id: id("files") }),
    output: content,
    bytes: true,
    errors: ["precondition_failed", "range_not_satisfiable"],
  }),
});
