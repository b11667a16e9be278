import { z } from "zod";
import {
  createDocument,
  type ZodOpenApiObject,
  type ZodOpenApiOperationObject,
  type ZodOpenApiOverride,
  type ZodOpenApiPathsObject,
} from "zod-openapi";
import { type ErrorCode, errorCodes } from "../contract/errors.ts";
import { type FieldFormat, internalMetadata } from "../contract/field-metadata.ts";
import { describeField, describeReference, fieldOf, metadataOf, pathFields } from "../contract/field-spec.ts";
import type { Access, AnyOperation, Reach } from "../contract/operation.ts";
import { type GroupName, groupEntries, operationGroups } from "../contract/operation-groups.ts";
import { isReplayable } from "../contract/secrets.ts";
import { hasBody } from "./encode-request.ts";
import { components, header, requestId } from "./openapi-components.ts";
import recorded from "./openapi-examples.json" with { type: "json" };
import { describeWebhooks } from "./openapi-webhooks.ts";

/** Requests and answers of a service, recorded by test/http/openapi-examples.test.ts. */
export const recordedExamples: Readonly<Record<string, { readonly request?: unknown; readonly response?: unknown }>> =
  recorded;

/** The version of the interface, which clients rely on. The version of the program is in `x-wcs-version`. */
const interfaceVersion = "1.0";

/** Returns the document of these operations, for any instance. */
export function openapi(operations: readonly AnyOperation[]) {
  const paths: ZodOpenApiPathsObject = {};
  for (const op of operations) {
    const path = documentedPath(op);
    paths[path] = { ...paths[path], [op.method.toLowerCase()]: describeOperation(op) };
  }
  const document: ZodOpenApiObject = {
    openapi: "3.1.0",
    info: {
      title: "Workplace communication service",
      version: interfaceVersion,
      "x-wcs-version": "0.0.0",
      description:
        "Users, units, posts, events and conversations of a workplace. Timestamps are Unix time in seconds. Responses have no CORS headers, so a page in a browser can call only the service that it comes from. Bodies, messages, comments and descriptions hold tabs and line feeds, and no other control characters; CR LF becomes LF. All other text is one line, without control characters and direction overrides.",
      contact: { name: "Administrators of this instance" },
      license: { name: "MIT", identifier: "MIT" },
    },
    servers: [{ url: "/" }],
    security: [{ bearer: [] }],
    tags: tagsOf(operations),
    paths,
    webhooks: describeWebhooks(),
    components: components(),
  };
  const created = createDocument(document, { override: adjustSchema });
  openReferences(created);
  return created;
}

/** Removes `additionalProperties` beside references: zod closes a reference that has a description, which then allows no field. */
function openReferences(value: unknown): void {
  if (typeof value !== "object" || value === null) return;
  if ("$ref" in value && "additionalProperties" in value) delete value.additionalProperties;
  Object.values(value).forEach(openReferences);
}

/** Paths that the interface writes without `/api`. Every operation responds to both forms. */
const withoutPrefix = /^\/(content|conversations|muterules|units|users\/collection|users\/\{user\}\/units|usertypes)\b/;

/** Returns the path of an operation, relative to the base URL, as the interface writes it. */
export function documentedPath({ path }: AnyOperation): string {
  return `${withoutPrefix.test(path) ? "" : "/api"}${path.replace(/\{(\w+)=\w+\}/g, "{$1}")}`;
}

function tagsOf(operations: readonly AnyOperation[]) {
  const used = new Set(operations.map(tagOf));
  const tags = new Map(groupEntries.flatMap(([, group]) => Object.entries(group.tags)));
  return [...tags].flatMap(([name, description]) => (used.has(name) ? [{ name, description }] : []));
}

function tagOf({ name, tag }: AnyOperation): string {
  const group = name.slice(0, name.indexOf(".")) as GroupName;
  // Every group has a tag.
  return tag ?? Object.keys(operationGroups[group].tags)[0]!;
}

function describeOperation(op: AnyOperation): ZodOpenApiOperationObject {
  const shape = (op.input() as z.ZodObject).shape as Record<string, z.ZodType>;
  const inPath = pathFields(op);
  const names = new Set(inPath.map(({ name }) => name));
  const rest = Object.fromEntries(Object.entries(shape).filter(([name]) => !names.has(name)));
  // The input has every field that the path names, or else the codec fails.
  const path = Object.fromEntries(inPath.map(({ wire, name }) => [wire, shape[name]!]));
  const isEmpty = Object.keys(rest).length === 0;
  return {
    operationId: op.name,
    tags: [tagOf(op)],
    summary: op.summary,
    description: [op.description, `May be called by: ${describeAccess(op.access)}.`].filter(Boolean).join("\n\n"),
    ...(op.access === "public" && { security: [] }),
    requestParams: { path: parametersOf(path), ...(!hasBody(op) && { query: parametersOf(rest) }) },
    parameters: [
      ...(isReplayable(op) ? [{ $ref: "#/components/parameters/IdempotencyKey" }] : []),
      ...(op.method === "GET" ? [] : [{ $ref: "#/components/parameters/DryRun" }]),
      ...(op.bytes ? [{ $ref: "#/components/parameters/Range" }] : []),
    ],
    ...(hasBody(op) && !isEmpty && { requestBody: bodyOf(op, rest) }),
    responses: {
      [op.status]: successResponse(op),
      ...(op.bytes && ranges),
      ...errorResponses(op, Object.values(path)),
    },
  };
}

/** Copies descriptions to the parameters, which have their own in addition to that of the schema. */
function parametersOf(fields: Record<string, z.ZodType>) {
  const described = Object.entries(fields).map(([name, schema]) => {
    const description = describeSchema(schema);
    return [name, description === undefined ? schema : schema.meta({ param: { description } })] as const;
  });
  return z.object(Object.fromEntries(described));
}

function bodyOf(op: AnyOperation, rest: Record<string, z.ZodType>) {
  const required = Object.values(rest).some((schema) => schema._zod.optin === undefined);
  const shown = Object.entries(rest).map(([name, field]) => [name, documentedSchema(field)] as const);
  const schema = z.strictObject(Object.fromEntries(shown));
  return { required, content: { "application/json": { schema, example: recordedExamples[op.name]?.request } } };
}

/** Returns the schema to document for a list: some lists accept invalid items, in order to report them. */
function documentedSchema(field: z.ZodType): z.ZodType {
  if (!(field instanceof z.ZodArray)) return field;
  const item = metadataOf(field.def.element).documentedAs;
  return item ? z.core.clone(field, { ...field.def, element: item() }).meta(field.meta() ?? {}) : field;
}

function successResponse(op: AnyOperation) {
  const headers = { ...requestId, ...(op.location && { Location: header("Location") }) };
  if (op.status === 204) return { description: "Done", headers };
  if (op.bytes) return { description: "The bytes", headers: { ...headers, ...contentHeaders }, content: bytes };
  return {
    description: op.status === 201 ? "Created" : "Done",
    headers,
    content: { "application/json": { schema: op.output(), example: recordedExamples[op.name]?.response } },
  };
}

const bytes = { "application/octet-stream": {} };
const cacheHeaders = { ETag: header("ETag"), "Accept-Ranges": header("AcceptRanges") };
const contentHeaders = { ...cacheHeaders, "Content-Disposition": header("ContentDisposition") };
const rangeHeaders = { ...requestId, ...contentHeaders, "Content-Range": header("ContentRange") };

const ranges = {
  206: { description: "The requested range", headers: rangeHeaders, content: bytes },
  304: { description: "The content matches If-None-Match", headers: { ...requestId, ...cacheHeaders } },
};

/** Things that stay known after they were deleted. */
const rememberedKinds: readonly unknown[] = ["users", "posts", "events"];

/** Returns false for a list, from which what does not exist is left out, and for one of several words. */
function isLookedUp(schema: z.ZodType): boolean {
  const { kind, values } = fieldOf("", schema);
  return kind !== "array" && values === undefined;
}

/** Returns the error responses by status: those that the operation declares and those that its definition implies. */
function errorResponses(op: AnyOperation, [thing]: readonly z.ZodType[]): Record<string, { $ref: string }> {
  const codes = new Set<ErrorCode>([
    "bad_request",
    "validation_failed",
    "internal",
    "unavailable",
    ...(op.errors ?? []),
  ]);
  // API tokens may lack the scope for any operation.
  if (op.access !== "public") codes.add("unauthenticated").add("forbidden");
  if (thing && isLookedUp(thing)) codes.add("not_found");
  if (thing && rememberedKinds.includes(metadataOf(thing).refersTo)) codes.add("gone");
  if (hasBody(op)) codes.add("payload_too_large").add("unsupported_media_type");
  // A request is refused while another one with its Idempotency-Key is running, even if no response is stored.
  if (op.method === "POST" && op.access !== "public") codes.add("conflict");
  // The service accepts one large body per user at a time.
  if (op.bodyLimit !== undefined) codes.add("too_many_requests");
  const table = [...codes].map((code) => [errorCodes[code].status, { $ref: `#/components/responses/${code}` }]);
  return Object.fromEntries(table);
}

function describeAccess(access: Access): string {
  if (access === "public") return "everyone, without a token";
  if (access === "signed_in") return "any signed-in user";
  if (access === "administrator") return "administrators";
  const places = access.at?.flatMap(describeReach).join(" and ");
  const holders = `users with the ability \`${access.ability}\` ${places || "in any unit"}`;
  return `administrators; ${holders}${describeTakeover(access.takeover)}${access.self ? "; this user" : ""}`;
}

function describeReach(reach: Reach): string[] {
  if ("user" in reach) return [`over the user in \`${reach.user}\``];
  return "unit" in reach ? [`in the unit in \`${reach.unit}\``] : [];
}

function describeTakeover(takeover: true | readonly string[] | undefined): string {
  if (takeover === undefined) return "";
  const when = takeover === true ? "" : ` (only if ${takeover.map((field) => `\`${field}\``).join(" or ")} changes)`;
  return ` and every ability of this user, in the same units${when}`;
}

/** Names of the units of formats that JSON Schema does not know. */
const formatNames: Partial<Record<FieldFormat, string>> = {
  "unix-time": "Unix time in seconds",
  duration: "seconds",
  bytes: "bytes",
};

/** Adds the unit and the explanations of the values, as in `When voting ends (Unix time in seconds)`. */
export function describeSchema(schema: z.core.$ZodType, metadata = metadataOf(schema)): string | undefined {
  const text = describeField(
    metadata.description ?? describeReference(fieldOf("", schema as z.ZodType)),
    metadata.values,
  );
  const unit = metadata.format && formatNames[metadata.format];
  if (unit === undefined) return text;
  return text === undefined ? unit.charAt(0).toUpperCase() + unit.slice(1) : `${text} (${unit})`;
}

const adjustSchema: ZodOpenApiOverride = ({ jsonSchema, zodSchema, io }) => {
  const metadata = metadataOf(zodSchema);
  for (const key of internalMetadata) delete (jsonSchema as Record<string, unknown>)[key];
  const isOwnFormat = metadata.format !== undefined && formatNames[metadata.format] !== undefined;
  if (isOwnFormat) delete jsonSchema.format;
  // Generators show the description of a field, and none of those of its alternatives.
  const description = describeSchema(zodSchema, metadata);
  if (description !== undefined) jsonSchema.description = description;
  if (metadata.secret === true && io === "input") jsonSchema.writeOnly = true;
  if (jsonSchema.type === "integer") {
    jsonSchema.format = "int64";
    if (jsonSchema.minimum === Number.MIN_SAFE_INTEGER) delete jsonSchema.minimum;
    if (jsonSchema.maximum === Number.MAX_SAFE_INTEGER) delete jsonSchema.maximum;
  }
  // URLs may have characters beyond ASCII, which are stored as they are.
  if (jsonSchema.format === "uri") jsonSchema.format = "iri";
  // The format replaces the pattern that zod uses for its check.
  if (jsonSchema.format !== undefined) delete jsonSchema.pattern;
  // Client generators support an array of one item, but not a tuple of one.
  if (jsonSchema.prefixItems?.length === 1) {
    Object.assign(jsonSchema, { items: jsonSchema.prefixItems[0], minItems: 1, maxItems: 1 });
    delete jsonSchema.prefixItems;
  }
  // Later versions may add fields to responses, which zod closes.
  if (io === "output" && jsonSchema.additionalProperties === false) delete jsonSchema.additionalProperties;
};
