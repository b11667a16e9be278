import { z } from "zod";
import type { ZodOpenApiObject } from "zod-openapi";
import { type ErrorCode, errorCodes } from "../contract/errors.ts";
import { issue } from "../contract/user-schemas.ts";

type Components = NonNullable<ZodOpenApiObject["components"]>;

/** Codes of one status share its description. */
type OwnDescription = Exclude<ErrorCode, "method_not_allowed" | "otp_required" | "two_factor_required">;

/** Descriptions of the error codes that a documented path can return. */
const errors: Record<OwnDescription, string> = {
  bad_request: "The request is not valid JSON or not valid HTTP",
  unauthenticated:
    "The token or the credentials are missing or no longer valid; otp_required: the code of a second factor is missing or wrong",
  forbidden:
    "The user is signed in but lacks the permission; two_factor_required: administrators must set up two factors first",
  not_found: "The resource does not exist",
  conflict:
    "A unique value is taken, the state forbids it, or the same request is still running; only the last has Retry-After",
  gone: "The resource was deleted",
  precondition_failed: "The ETag of the file is not in If-Match",
  payload_too_large: "The body is over the limit",
  unsupported_media_type: "The body is not of type application/json",
  range_not_satisfiable: "The file has no bytes in the range",
  validation_failed: "Fields are invalid; the response names all of them",
  too_many_requests: "Too many attempts, or too much at a time; Retry-After says when to retry",
  internal: "The service failed",
  unavailable: "The service is shutting down or without its database; Retry-After says when to retry",
};

export const header = (name: string) => ({ $ref: `#/components/headers/${name}` });
export const requestId = { "X-Request-Id": header("XRequestId") };

const moreHeaders: Readonly<Record<string, Record<string, { $ref: string }>>> = {
  unauthenticated: { "WWW-Authenticate": header("WWWAuthenticate") },
  conflict: { "Retry-After": header("RetryAfter") },
  range_not_satisfiable: { "Content-Range": header("ContentRange") },
  too_many_requests: { "Retry-After": header("RetryAfter") },
  unavailable: { "Retry-After": header("RetryAfter") },
};

const headers: Components["headers"] = {
  XRequestId: {
    description: "ID of the request in the log; taken from the request if it has one",
    schema: { type: "string" },
  },
  Location: { description: "URL of the new resource", schema: { type: "string", format: "uri-reference" } },
  ETag: { description: "Identifies the content: equal exactly when the bytes are equal", schema: { type: "string" } },
  AcceptRanges: { description: "The unit of ranges: bytes", schema: { type: "string" } },
  ContentDisposition: {
    description: "inline or attachment, with the name of the file (RFC 6266)",
    schema: { type: "string" },
  },
  ContentRange: {
    description: "The range in the response and the size of the file, like bytes 0-1023/4096; with 416 bytes */4096",
    schema: { type: "string" },
  },
  RetryAfter: { description: "Seconds", schema: { type: "integer" } },
  WWWAuthenticate: { description: "The scheme to use", schema: { type: "string" } },
};

const parameters: Components["parameters"] = {
  IdempotencyKey: {
    name: "Idempotency-Key",
    in: "header",
    description: "Repeats with the same key and body within 24 hours get the first response",
    schema: { type: "string", minLength: 1, maxLength: 255, pattern: "^[!-~]+$" },
  },
  Range: {
    name: "Range",
    in: "header",
    description: "Range of bytes, like bytes=0-1023; for several ranges, the response is the whole content",
    schema: { type: "string" },
  },
  DryRun: {
    name: "Dry-Run",
    in: "header",
    description: "true performs the request and rolls it back; the response has the same header",
    schema: { type: "string", enum: ["true", "false"] },
  },
};

export function components(): Components {
  const error = z
    .object({
      error: z.object({
        code: z.enum(Object.keys(errorCodes) as ErrorCode[]).meta({ description: "More may be added" }),
        message: z.string().meta({ description: "One sentence that says what happened" }),
        request_id: z
          .string()
          .meta({ description: "ID of the request in the log of the service; also in the header X-Request-Id" }),
        fields: z
          .record(z.string(), z.array(z.string()))
          .optional()
          .meta({ description: "Only with validation_failed: messages about each wrong field, by its path" }),
        issues: z.array(issue()).optional().meta({ description: "Only with fields: the same as codes" }),
      }),
    })
    .meta({ id: "Error" });
  const responses = Object.entries(errors).map(([code, description]) => [
    code,
    {
      description,
      headers: { ...requestId, ...moreHeaders[code] },
      content: { "application/json": { schema: error } },
    },
  ]);
  return {
    securitySchemes: {
      bearer: {
        type: "http",
        scheme: "bearer",
        description: "The token of a sign-in (JWT), or an API token (wcs_...)",
      },
    },
    responses: Object.fromEntries(responses),
    headers,
    parameters,
  };
}
