import { AppError } from "../base/errors.ts";
import { bearerTokenCharsMax, staticTokenCharsMin, staticTokensMax } from "../base/limits.ts";
import type { Principal } from "./principal.ts";
import { isScope } from "./scope-text.ts";
import { digestToken } from "./token-digest.ts";

/** A static token: its SHA-256 and whom it stands for. */
export interface KnownToken {
  readonly digest: Uint8Array;
  readonly principal: Principal;
}

/** The characters that can follow `Bearer` (RFC 6750 section 2.1). */
const tokenExpression = /^[A-Za-z0-9\-._~+/]+=*$/;
const labelExpression = /^[A-Za-z0-9._-]{1,64}$/;

/**
 * Parses the text of a token file: one token a line.
 *
 * ```text
 * # a comment; also at the end of a line
 * <token>                            label "default", may do everything
 * <label> <token>                    may do everything
 * <label> <token> <scope> <scope> …  may do what the scopes allow
 * ```
 *
 * Blanks or tabs separate. A label has 1 to 64 letters, digits, `.`, `_`, `-`; it names the holder in logs.
 * A token has 16 characters or more of those that a header can carry. No label and no token twice.
 * @param place what error messages call the file
 * @throws AppError "config" that names the line, never anything in it: any word of it may be a token
 */
export function parseTokenList(text: string, place: string): KnownToken[] {
  const tokens: KnownToken[] = [];
  const seen = new Set<string>();
  const lines = text.replace(/^\uFEFF/, "").split(/\r?\n/);
  for (const [index, line] of lines.entries()) {
    const words = wordsOf(line);
    if (words.length === 0) continue;
    const fail = (what: string): never => {
      throw new AppError("config", `Line ${index + 1} of ${place} ${what}`);
    };
    if (tokens.length === staticTokensMax)
      fail(`is one token too many: ${staticTokensMax} at most.`);
    tokens.push(parseLine(words, seen, fail));
  }
  if (tokens.length > 0) return tokens;
  throw new AppError(
    "config",
    `There is no token in ${place}: write one, or "label token", a line.`,
  );
}

function wordsOf(line: string): string[] {
  const words = line.split(/[ \t]+/).filter((word) => word !== "");
  const comment = words.findIndex((word) => word.startsWith("#"));
  return comment === -1 ? words : words.slice(0, comment);
}

function parseLine(
  words: readonly string[],
  seen: Set<string>,
  fail: (what: string) => never,
): KnownToken {
  const [label = "", token = "", ...scopes] = words.length === 1 ? ["default", ...words] : words;
  if (!labelExpression.test(label))
    fail(
      `has a label of other than 1 to 64 letters, digits, ".", "_", "-": write "label token scopes".`,
    );
  if (!tokenExpression.test(token))
    fail(
      `has a token with characters that a header cannot carry: use letters, digits and "-._~+/".`,
    );
  if (token.length < staticTokenCharsMin)
    fail(
      `has a token of fewer than ${staticTokenCharsMin} characters: make one with "openssl rand -hex 32".`,
    );
  if (token.length > bearerTokenCharsMax)
    fail(`has a token of more than ${bearerTokenCharsMax} characters: make a shorter one.`);
  if (!scopes.every(isScope))
    fail(`has a scope with a quotation mark, a backslash or a character outside ASCII.`);
  // The separator is in neither, so a label never equals a token here.
  if (seen.has(`label ${label}`)) fail("has the label of another line: one label for each token.");
  if (seen.has(`token ${token}`)) fail("has the token of another line: one token for each label.");
  seen.add(`label ${label}`).add(`token ${token}`);
  const principal = {
    id: `token:${label}`,
    scopes: scopes.length === 0 ? undefined : new Set(scopes),
  };
  return { digest: digestToken(token), principal };
}
