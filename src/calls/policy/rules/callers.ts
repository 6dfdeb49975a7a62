import type { Person } from "../../../base/person.ts";
import { createGlob, type Glob, globMatches } from "./glob.ts";
import type { JudgedCall, OwnerMatch, Rule } from "./rule.ts";

/** A label has none of these characters, and an issuer is a URL: a label is never taken for a subject. */
const subjectExpression = /^(https?:\/\/[^|]+)\|(.+)$/s;

/** `LABEL`, or `ISSUER|SUB`; undefined for another text. In labels and subjects `*` and `?` are patterns. */
export function parseOwner(text: string): OwnerMatch | undefined {
  const [, issuer, sub] = subjectExpression.exec(text) ?? [];
  if (issuer !== undefined && sub !== undefined) {
    return { kind: "subject", issuer, sub: createGlob(sub) };
  }
  return /^[\w.*?-]{1,64}$/.test(text) ? { kind: "label", label: createGlob(text) } : undefined;
}

/** The text that `parseOwner` reads. */
export function ownerText(owner: OwnerMatch): string {
  return owner.kind === "label" ? owner.label.pattern : `${owner.issuer}|${owner.sub.pattern}`;
}

/**
 * Whether a rule is about the one who calls. Where nobody is known (stdin and stdout, HTTP without tokens), a rule that names a
 * person or a group is about nobody. Where only the groups are unknown, one that denies or asks may be about any of them.
 */
export function isAboutCaller({ owners, groups, action }: Rule, { person }: JudgedCall): boolean {
  if (owners === undefined && groups === undefined) return true;
  if (person === undefined) return false;
  if (owners !== undefined && !owners.some((owner) => isOwner(owner, person))) return false;
  return groups === undefined || isInGroup(groups, person, action);
}

function isOwner(owner: OwnerMatch, { label, issuer, sub }: Person): boolean {
  if (owner.kind === "label") return label !== undefined && globMatches(owner.label, label);
  return issuer === owner.issuer && sub !== undefined && globMatches(owner.sub, sub);
}

function isInGroup(
  patterns: readonly Glob[],
  { groups = [] }: Person,
  action: Rule["action"],
): boolean {
  if (groups === "unknown") return action !== "allow";
  return groups.some((group) => patterns.some((glob) => globMatches(glob, group)));
}
