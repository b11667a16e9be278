import { type FieldErrors, invalid } from "../../contract/errors.ts";
import { type Issue, messageOf } from "../../contract/issue-messages.ts";

export function refuse(issues: FieldErrors): void {
  if (Object.keys(issues).length > 0) throw invalid(issues);
}

/** Throws `validation_failed` when there are issues, and tells their codes. */
export function refuseIssues(issues: readonly Issue[]): void {
  if (issues.length > 0) throw invalid(fieldErrorsOf(issues), issues);
}

export function fieldErrorsOf(issues: readonly Issue[]): FieldErrors {
  const fields: FieldErrors = {};
  for (const issue of issues) {
    fields[issue.field] ??= [];
    fields[issue.field]?.push(messageOf(issue));
  }
  return fields;
}
