import { existsSync } from "node:fs";
import { join } from "node:path";

import { AppError } from "../../base/errors.ts";
import { endedTokenMsMax, storedTokensMax } from "../../base/limits.ts";

/** A token that scorpiox-code made: all that is kept of it. Times are milliseconds since 1970. */
export interface TokenRecord {
  /** SHA-256 of the token (`tokenDigest`): its identity here. */
  readonly digest: string;
  /** The holder: several tokens of one label are one principal. */
  readonly label: string;
  /** Absent: everything. */
  readonly scopes?: readonly string[];
  /** The upstream servers whose tools it sees and may call; absent: all. */
  readonly servers?: readonly string[];
  readonly createdAtMs: number;
  /** It is refused from then on; absent: never. */
  readonly expiresAtMs?: number;
  /** Another one has taken its place: it is valid until `expiresAtMs` only so that its holder has time to change it. */
  readonly replacedAtMs?: number;
  readonly revokedAtMs?: number;
  /** About when it was last used, to the minute. */
  readonly usedAtMs?: number;
}

/**
 * Where made tokens are kept, for all processes that accept or change them. Every change is whole or not at all, also when the
 * process is killed in it, and two at the same time are both made.
 */
export interface TokenStore extends AsyncDisposable {
  /** For messages: a path, or an address without its password. */
  readonly place: string;
  /** Every record, also of tokens that ended lately. @throws AppError when they cannot be read */
  list(): Promise<readonly TokenRecord[]>;
  /** Another text whenever `list` gives another list; much cheaper. @throws AppError */
  version(): Promise<string>;
  /** @throws AppError `usage` when the label has a valid token, `limit` when there are `storedTokensMax` */
  add(record: TokenRecord): Promise<void>;
  /** Ends the tokens of a label. @returns how many were valid */
  revoke(label: string, nowMs: number): Promise<number>;
  /** @returns the new record @throws AppError `not_found` when the label has no valid token */
  rotate(rotation: Rotation): Promise<TokenRecord>;
  /** Notes when tokens were used, by digest. A time before the known one changes nothing. */
  noteUses(uses: ReadonlyMap<string, number>): Promise<void>;
}

/** A new token in the place of those of a label. */
export interface Rotation {
  readonly label: string;
  /** The digest of the new token, which has the rights and the lifetime of the newest. */
  readonly digest: string;
  readonly nowMs: number;
  /** The old ones are valid for this long. */
  readonly graceMs: number;
  /** Undefined: the old one's lifetime from now on. */
  readonly expiresAtMs?: number | undefined;
}

/** The state of a token, in the words of `token list`. */
export type TokenStatus = "valid" | "replaced" | "expired" | "revoked";

export function statusOf(record: TokenRecord, nowMs: number): TokenStatus {
  if (record.revokedAtMs !== undefined) return "revoked";
  if (record.expiresAtMs !== undefined && record.expiresAtMs <= nowMs) return "expired";
  return record.replacedAtMs === undefined ? "valid" : "replaced";
}

export function isAccepted(record: TokenRecord, nowMs: number): boolean {
  const status = statusOf(record, nowMs);
  return status === "valid" || status === "replaced";
}

// ---- Changes, as functions of the saved tokens: alike for every store --------------------------------

/** @throws AppError as `TokenStore.add` */
export function withAdded(
  records: readonly TokenRecord[],
  record: TokenRecord,
): readonly TokenRecord[] {
  const { label, createdAtMs } = record;
  if (records.some((known) => known.label === label && isAccepted(known, createdAtMs))) {
    const text = `${label} has a valid token. Use "token rotate ${label}" for another one, or "token revoke ${label}" first.`;
    throw new AppError("usage", text);
  }
  return bounded([...records, record], createdAtMs);
}

/** The records after a revocation, and how many tokens it ended. */
export function withRevoked(
  records: readonly TokenRecord[],
  label: string,
  nowMs: number,
): { readonly records: readonly TokenRecord[]; readonly count: number } {
  const ended = records.filter((known) => known.label === label && isAccepted(known, nowMs));
  const revoked = records.map((known) =>
    ended.includes(known) ? { ...known, revokedAtMs: nowMs } : known,
  );
  return { records: revoked, count: ended.length };
}

/** @throws AppError as `TokenStore.rotate` */
export function withRotated(
  records: readonly TokenRecord[],
  { label, digest, nowMs, graceMs, expiresAtMs }: Rotation,
): { readonly records: readonly TokenRecord[]; readonly record: TokenRecord } {
  const old = records.filter((known) => known.label === label && isAccepted(known, nowMs));
  const newest = old.toSorted((one, other) => one.createdAtMs - other.createdAtMs).at(-1);
  if (newest === undefined) {
    throw new AppError(
      "not_found",
      `There is no valid token of ${label}: make one with "token add ${label}".`,
    );
  }
  const endsAtMs = nowMs + graceMs;
  const replaced = records.map((known) =>
    old.includes(known)
      ? {
          ...known,
          replacedAtMs: known.replacedAtMs ?? nowMs,
          expiresAtMs: Math.min(known.expiresAtMs ?? endsAtMs, endsAtMs),
        }
      : known,
  );
  const { scopes, servers } = newest;
  const endMs = expiresAtMs ?? sameLifetime(newest, nowMs);
  const record: TokenRecord = {
    digest,
    label,
    ...(scopes !== undefined && { scopes }),
    ...(servers !== undefined && { servers }),
    createdAtMs: nowMs,
    ...(endMs !== undefined && { expiresAtMs: endMs }),
  };
  return { records: bounded([...replaced, record], nowMs), record };
}

function sameLifetime(
  { createdAtMs, expiresAtMs, replacedAtMs }: TokenRecord,
  nowMs: number,
): number | undefined {
  // One that was replaced ends for that reason: its lifetime is not known any more.
  if (expiresAtMs === undefined || replacedAtMs !== undefined) return undefined;
  return nowMs + (expiresAtMs - createdAtMs);
}

export function withUses(
  records: readonly TokenRecord[],
  uses: ReadonlyMap<string, number>,
): readonly TokenRecord[] {
  return records.map((known) => {
    const usedAtMs = uses.get(known.digest) ?? 0;
    return usedAtMs > (known.usedAtMs ?? 0) ? { ...known, usedAtMs } : known;
  });
}

/** Without those that ended long ago. @throws AppError `limit` */
function bounded(records: readonly TokenRecord[], nowMs: number): readonly TokenRecord[] {
  const kept = records.filter((record) => {
    const endedAtMs = Math.min(record.revokedAtMs ?? Infinity, record.expiresAtMs ?? Infinity);
    return endedAtMs > nowMs - endedTokenMsMax;
  });
  if (kept.length <= storedTokensMax) return kept;
  throw new AppError(
    "limit",
    `There are ${storedTokensMax} tokens, the most that are kept, those that ended lately included. Use signed tokens for so many people.`,
  );
}

/** The beginning of every token that scorpiox-code makes: scanners for secrets find them by it. */
export const tokenPrefix = "scx_";

/** Whether the text may name the holder of a token: it is part of ids and logs. */
export function isTokenLabel(text: string): boolean {
  return /^[A-Za-z0-9._-]{1,64}$/.test(text);
}

/** Random bytes of a token: nobody guesses 256 bits, so a digest without salt can be kept. */
const tokenBytes = 32;

/** A new token: `scx_` and 43 characters of base64url. It is shown to its holder and kept nowhere. */
export function makeToken(): string {
  const bytes = crypto.getRandomValues(new Uint8Array(tokenBytes));
  return tokenPrefix + bytes.toBase64({ alphabet: "base64url", omitPadding: true });
}

/** SHA-256 of a token in base64: it is kept and looked up in place of the token. */
export function tokenDigest(token: string): string {
  return Bun.SHA256.hash(token, "base64");
}

/** The file of made tokens in `~/.scorpiox`. */
export function tokenStoreFile(scorpioxDir: string): string {
  return join(scorpioxDir, "http-tokens.json");
}

/** Whether tokens were ever made there: from then on a server needs one, also when all of them have ended. */
export function hasTokenStore(scorpioxDir: string): boolean {
  return existsSync(tokenStoreFile(scorpioxDir));
}
