import { basename } from "node:path";

/** Groups modules that are needed together, because each file of a bundle takes some 0.2 ms to load. */
export const chunkGroups = [
  {
    name: "start",
    test: /src\/(contract\/(errors|once|operation-groups)|cli\/(errors\/.*|terminal\/(terminal|standard-output|sanitize|global-options|help-layout)|session\/version|run-line|registry|kit\/(router|command-spec)|help\/show-help))\.ts$/,
  },
  {
    name: "command",
    test: /node_modules\/commander\/|src\/cli\/(kit\/(command-context|run-command|build-command|commander-command|line-issues|note-done)|output\/(create-output|item|format-value|field-selection|template-writer|placeholders|renderer|json-writer)|session\/(open-caller|connection|target|config)|file-io\/value-sources|time\/(zone-clock|parse-time))/,
  },
  {
    name: "operation",
    test: /node_modules\/zod\/|src\/(cli\/(kit\/(run-operation|input-spec|read-line|read-input|field-flags|missing-fields|parse-value|walk-list|shown-line|shown-names|alternative-requests)|commands\/(files\/files-commands|transfer\/transfer-commands))|contract\/(bounded-map|fold-text|time-zone|common-schemas|operation|api-token-prefix|token-scopes|secrets|settings|image-operations|field-spec|field-metadata|parse-input|issue-messages))\.ts$/,
  },
  {
    name: "client",
    test: /src\/http\/(codec|field-names|client\/(client|base-url|bearer-header|connection-errors|read-answer|repeat-request|token-times|transport))\.ts$|src\/contract\/(retry-after|abortable-sleep)\.ts$|src\/cli\/session\/token-renewal\.ts$/,
  },
  // Each file that several operation groups share gets its own chunk, because none should load the others.
  {
    debugName: "shared",
    name: (id: string) => basename(id, ".ts"),
    test: /src\/contract\/(?!membership|user-import)[\w-]+-(schemas|operations)\.ts$/,
  },
  {
    debugName: "group",
    // Only the group of users has operations in several files.
    name: (id: string) => `group-${basename(id, ".ts").replace(/^(membership|user-import)-operations$/, "users")}`,
    test: /src\/contract\/(?!errors|semaphore)[\w-]+\.ts$/,
  },
  {
    name: "kysely",
    test: /node_modules\/kysely\/(?!.*(migrat|dialect\/postgres\/(?!postgres-adapter)))|src\/store\/(compare-with-list|sqlite\/kysely-on-sqlite)\.ts$/,
  },
  {
    name: "string-width",
    test: /(?<!cli-table3\/)node_modules\/(string-width|get-east-asian-width|strip-ansi|ansi-regex)\//,
  },
  {
    name: "service",
    test: /src\/(contract\/semaphore|store\/(?!migrations|schema|insert-by-copy|message-words|missing-rights|sqlite\/(?:wait-until-unused|can-create)|postgres|backup|integrity|move|rotate-secret-key|password-tokens)|core\/(service|execute-operation|find-handler|pipeline\/(context|actor|identify-caller|unit-path|idempotency|last-uses|load-instance|memory-cache|outbox|permissions|cursor|changed-columns|only-item)|directory\/(?!attempts|write-events|passwords)|users\/(?!deactivate-missing|delete-user|export-|free-claimed-keys|import-users|user-import|search-users|send-welcome|set-password)))/,
  },
];
