import type * as z from "zod/mini";

/** One fault that zod found. */
export type Issue = z.core.$ZodIssue;
type IssueOf<Code extends Issue["code"]> = Extract<Issue, { readonly code: Code }>;

/** Faults in one message; a model corrects a few at a time. */
const issuesMax = 20;
/** Characters of the whole message: a name that the client made up may be long. */
const textCharsMax = 4_000;

/** The faults of a tool's arguments, one sentence for each, with its remedy; bounded. */
export function describeIssues(issues: readonly Issue[], allowed: readonly string[]): string {
  const told = issues.slice(0, issuesMax).map((issue) => describeIssue(issue, allowed));
  if (issues.length > issuesMax) told.push(`And ${issues.length - issuesMax} more.`);
  const text = told.join(" ");
  return text.length <= textCharsMax ? text : `${text.slice(0, textCharsMax)}…`.toWellFormed();
}

function describeIssue(issue: Issue, allowed: readonly string[]): string {
  const where = issue.path.length === 0 ? "The arguments" : `\`${issue.path.join(".")}\``;
  switch (issue.code) {
    case "unrecognized_keys":
      return unknownNames(issue.keys, allowed);
    case "invalid_type":
      return wrongType(where, issue);
    case "too_small":
      return tooSmall(where, issue);
    case "too_big":
      return tooBig(where, issue);
    case "invalid_value":
      return oneOf(where, issue.values.map(String).join(", "), issue.input);
    case "not_multiple_of":
    case "invalid_format":
    case "invalid_union":
    case "invalid_key":
    case "invalid_element":
    case "custom":
      return `${where} is not valid: ${issue.message}.`;
  }
}

function unknownNames(keys: readonly string[], allowed: readonly string[]): string {
  const names = keys.slice(0, issuesMax).map((key) => `\`${key.slice(0, 100)}\``);
  const more = keys.length > issuesMax ? ` and ${keys.length - issuesMax} more` : "";
  return `Unknown argument ${names.join(", ")}${more}. ${allowedNames(allowed)}`;
}

function wrongType(where: string, { path, expected, input }: IssueOf<"invalid_type">): string {
  if (path.length === 0) return "The arguments must be an object.";
  return input === undefined
    ? `${where} is missing: it must be ${article(expected)}.`
    : `${where} must be ${article(expected)}, not ${shown(input)}.`;
}

function tooSmall(where: string, { origin, minimum, input }: IssueOf<"too_small">): string {
  return origin === "string"
    ? tooShort(where, Number(minimum))
    : `${where} must be at least ${minimum}, not ${shown(input)}.`;
}

function tooBig(where: string, { origin, maximum, input }: IssueOf<"too_big">): string {
  return origin === "string"
    ? `${where} must not be longer than ${maximum} characters.`
    : `${where} must be at most ${maximum}, not ${shown(input)}.`;
}

function tooShort(where: string, charsMin: number): string {
  return charsMin === 1
    ? `${where} must not be empty.`
    : `${where} must not be shorter than ${charsMin} characters.`;
}

function oneOf(where: string, values: string, given: unknown): string {
  return given === undefined
    ? `${where} is missing: it must be one of ${values}.`
    : `${where} must be one of ${values}, not ${shown(given)}.`;
}

function allowedNames(allowed: readonly string[]): string {
  if (allowed.length === 0) return "This tool takes none.";
  return `Allowed: ${allowed.map((name) => `\`${name}\``).join(", ")}.`;
}

function article(type: string): string {
  const name = type === "int" ? "integer" : type;
  return /^[aeiou]/.test(name) ? `an ${name}` : `a ${name}`;
}

function shown(value: unknown): string {
  const text = JSON.stringify(value) ?? String(value);
  return text.length <= 60 ? text : `${text.slice(0, 60)}…`;
}
