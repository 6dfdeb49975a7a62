import { uriCharsMax } from "../base/limits.ts";

/** Schemes whose form the URL parser knows; for others it allows anything. */
const specialScheme = /^(?:https?|wss?|ftp|file):/i;
const anyScheme = /^[A-Za-z][A-Za-z0-9+.-]*:./;
/** `..` as a part of its own, also when dots or slashes are percent-encoded, once or more often. */
const traversal =
  /(?:^|[:/\\]|%(?:25)*(?:2f|5c))(?:\.|%(?:25)*2e){2}(?=$|[/\\?#]|%(?:25)*(?:2f|5c))/i;

/**
 * The fault in `value` as the URI of a resource, in words that follow "uri"; undefined when it is valid. Whether the
 * resource exists is for its provider to say (docs/spec/modern.md#resources-and-prompts).
 */
export function uriProblem(value: unknown): string | undefined {
  if (typeof value !== "string" || value === "") return "must be a URI";
  if (value.length > uriCharsMax) return `must have at most ${uriCharsMax} characters`;
  if (hasControlCharacter(value) || !value.isWellFormed()) {
    return "must not have control characters: percent-encode them";
  }
  if (!anyScheme.test(value)) return "must begin with a scheme, as in file:///a";
  if (specialScheme.test(value) && !URL.canParse(value)) return "must be a valid URL";
  if (traversal.test(value)) return 'must not have ".." as a part of its path';
  return undefined;
}

/** NUL and the others, plain or percent-encoded NUL: file systems end names there. */
function hasControlCharacter(value: string): boolean {
  // oxlint-disable-next-line no-control-regex
  return /[\u0000-\u001F\u007F]|%(?:25)*00/i.test(value);
}
