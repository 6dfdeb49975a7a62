import { timingSafeEqual } from "node:crypto";

import { AppError } from "../../base/errors.ts";
import { bearerTokenCharsMax, staticTokenCharsMin, staticTokensMax } from "../../base/limits.ts";
import { isTokenLabel } from "../../state/tokens/token-store.ts";
import { digestToken, isScope, type Principal } from "./principal.ts";

/** Where the tokens come from; asked for each request. */
export interface TokenSource {
  current(): readonly KnownToken[];
}

/** Tokens that are compared as they are. How long a comparison takes tells nothing about any of them. */
export class StaticTokens {
  #list: readonly KnownToken[] = [];
  /** The lines of the tokens in the list. */
  #lines: ReadonlySet<string> = new Set();
  /** The principals that were ever found; a list that is read again has new ones. */
  readonly #lineOf = new WeakMap<Principal, string>();

  /** Ids of principals, also of those whose line is gone by now: their stored data may still be there. */
  readonly #principals = new Set<string>();

  constructor(private readonly source: TokenSource) {
    this.#current();
  }

  /** `id` of every principal that there was so far. */
  get principalIds(): ReadonlySet<string> {
    return this.#principals;
  }

  /** The principal of the token; undefined for an unknown one. The whole list is always walked. */
  find(token: string): Principal | undefined {
    const digest = digestToken(token);
    let found: Principal | undefined;
    for (const known of this.#current())
      if (timingSafeEqual(known.digest, digest)) found = known.principal;
    return found;
  }

  /** Whether the token that `principal` was found by is still among them, with the same label. */
  includes(principal: Principal): boolean {
    this.#current();
    const line = this.#lineOf.get(principal);
    return line !== undefined && this.#lines.has(line);
  }

  /** Whether one of them stands for the principal with this `id`. */
  hasTokenOf(id: string): boolean {
    return this.#current().some(({ principal }) => principal.id === id);
  }

  #current(): readonly KnownToken[] {
    const list = this.source.current();
    if (list === this.#list) return list;
    this.#list = list;
    this.#lines = new Set(list.map(lineOf));
    for (const known of list) {
      this.#lineOf.set(known.principal, lineOf(known));
      this.#principals.add(known.principal.id);
    }
    return list;
  }
}

function lineOf({ principal, digest }: KnownToken): string {
  return `${principal.id} ${digest.toString()}`;
}

/** A static token: its SHA-256 and whom it stands for. */
export interface KnownToken {
  readonly digest: Uint8Array;
  readonly principal: Principal;
}

/** The content of a token file. */
export interface TokenLines {
  /** The tokens of the lines that are in order. */
  readonly tokens: readonly KnownToken[];
  /** "config": the first line that is not in order, or that there is none. No word of the file is in it: any may be a token. */
  readonly fault: AppError | undefined;
}

/** The characters that can follow `Bearer` (RFC 6750 section 2.1). */
const tokenExpression = /^[A-Za-z0-9\-._~+/]+=*$/;

/**
 * Reads the text of a token file: one token a line.
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
 */
export function readTokenLines(text: string, place: string): TokenLines {
  const tokens: KnownToken[] = [];
  const seen = new Set<string>();
  let fault: AppError | undefined;
  const lines = text.replace(/^\uFEFF/, "").split(/\r?\n/);
  for (const [index, line] of lines.entries()) {
    const words = wordsOf(line);
    if (words.length === 0) continue;
    const read = tokens.length < staticTokensMax ? readLine(words, seen) : tooMany;
    if (typeof read !== "string") tokens.push(read);
    else fault ??= new AppError("config", `Line ${index + 1} of ${place} ${read}`);
  }
  if (tokens.length === 0) fault ??= noTokens(place);
  return { tokens, fault };
}

const tooMany = `is one token too many: ${staticTokensMax} at most.`;

function noTokens(place: string): AppError {
  const text = `There is no token in ${place}: write one, or "label token", a line.`;
  return new AppError("config", text);
}

function wordsOf(line: string): string[] {
  const words = line.split(/[ \t]+/).filter((word) => word !== "");
  const comment = words.findIndex((word) => word.startsWith("#"));
  return comment === -1 ? words : words.slice(0, comment);
}

/** The token of a line, or the line's problem. */
function readLine(words: readonly string[], seen: Set<string>): KnownToken | string {
  const [label = "", token = "", ...scopes] = words.length === 1 ? ["default", ...words] : words;
  const fault = faultOf(label, token, scopes);
  if (fault !== undefined) return fault;
  // The separator is in neither, so a label never equals a token here.
  if (seen.has(`label ${label}`)) return "has the label of another line: one label for each token.";
  if (seen.has(`token ${token}`)) return "has the token of another line: one token for each label.";
  seen.add(`label ${label}`).add(`token ${token}`);
  const principal = {
    id: `token:${label}`,
    label,
    scopes: scopes.length === 0 ? undefined : new Set(scopes),
  };
  return { digest: digestToken(token), principal };
}

function faultOf(label: string, token: string, scopes: readonly string[]): string | undefined {
  if (!isTokenLabel(label))
    return `has a label of other than 1 to 64 letters, digits, ".", "_", "-": write "label token scopes".`;
  if (!tokenExpression.test(token))
    return `has a token with characters that a header cannot carry: use letters, digits and "-._~+/".`;
  if (token.length < staticTokenCharsMin)
    return `has a token of fewer than ${staticTokenCharsMin} characters: make one with "openssl rand -hex 32".`;
  if (token.length > bearerTokenCharsMax)
    return `has a token of more than ${bearerTokenCharsMax} characters: make a shorter one.`;
  if (!scopes.every(isScope))
    return `has a scope with a quotation mark, a backslash or a character outside ASCII.`;
  return undefined;
}
