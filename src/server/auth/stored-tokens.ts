import { messageOf } from "../../base/errors.ts";
import { tokenStoreLookMs, tokenUseMs } from "../../base/limits.ts";
import {
  statusOf,
  tokenDigest,
  tokenPrefix,
  type TokenRecord,
  type TokenStore,
} from "../../state/tokens/token-store.ts";
import { type Clock, systemClock } from "./clock.ts";
import type { Principal, TokenState } from "./principal.ts";

/** The facts about a token that scorpiox-code made. */
export type StoredToken =
  | { readonly kind: "accepted"; readonly principal: Principal }
  /** It was valid once. The reason is for the log: a client learns nothing that an unknown token would not have said. */
  | { readonly kind: "ended"; readonly principal: Principal; readonly reason: string };

interface Kept {
  readonly record: TokenRecord;
  /** One object as long as the rights of the token do not change: sessions and streams hang on it. */
  readonly principal: Principal;
}

export interface StoredTokensOptions {
  readonly warn: (message: string) => void;
  readonly clock?: Clock;
  readonly lookMs?: number;
  readonly useMs?: number;
}

/**
 * The tokens of a store as of a moment ago. Requests are answered from memory; a timer looks whether the store has changed. While the
 * store cannot be read the tokens read before stay as they are: an engine that restarts sends nobody away.
 */
export class StoredTokens implements AsyncDisposable {
  #kept: ReadonlyMap<string, Kept> = new Map();
  #version = "";
  #warning: string | undefined;
  #onChange: () => void = () => {};
  /** Labels that ever had a valid token: what they have stored may still be there. */
  readonly #principalIds = new Set<string>();
  /** Uses by digest, since they were last written. */
  #uses = new Map<string, number>();
  /** The token that a principal was found by. */
  readonly #digestOf = new WeakMap<Principal, string>();
  readonly #clock: Clock;
  readonly #timers: readonly ReturnType<typeof setInterval>[];
  #looking: Promise<void> | undefined;

  private constructor(
    private readonly store: TokenStore,
    private readonly options: StoredTokensOptions,
  ) {
    const { clock = systemClock, lookMs = tokenStoreLookMs, useMs = tokenUseMs } = options;
    this.#clock = clock;
    this.#timers = [
      setInterval(() => void this.look(), lookMs).unref(),
      setInterval(() => void this.writeUses(), useMs).unref(),
    ];
  }

  /** @throws AppError when the tokens cannot be read */
  static async open(store: TokenStore, options: StoredTokensOptions): Promise<StoredTokens> {
    // Taken before reading: a change in between is seen at the next look.
    const version = await store.version();
    const records = await store.list();
    const tokens = new StoredTokens(store, options);
    tokens.#version = version;
    tokens.#take(records);
    return tokens;
  }

  /** `id` of every principal that had a valid token so far. */
  get principalIds(): ReadonlySet<string> {
    return this.#principalIds;
  }

  /** Called after each change of the tokens, also when only expired tokens are concerned. */
  set onChange(listener: () => void) {
    this.#onChange = listener;
  }

  /** Undefined for a token that is not known. At once, and nothing is written. */
  find(token: string): StoredToken | undefined {
    if (!token.startsWith(tokenPrefix)) return undefined;
    const digest = tokenDigest(token);
    const kept = this.#kept.get(digest);
    if (kept === undefined) return undefined;
    const { principal } = kept;
    const reason = this.#reasonAgainst(kept.record);
    if (reason !== undefined) return { kind: "ended", principal, reason };
    this.#uses.set(digest, this.#clock.wallMs());
    return { kind: "accepted", principal };
  }

  /** The state of the token that `principal` was found by; undefined for another principal. */
  stateOf(principal: Principal): TokenState | undefined {
    const digest = this.#digestOf.get(principal);
    if (digest === undefined) return undefined;
    const kept = this.#kept.get(digest);
    // Its rights are others now: what was opened with the former ones is to end.
    if (kept === undefined || kept.principal !== principal) return "revoked";
    return this.#stateOf(kept);
  }

  /**
   * The state of the tokens of the principal with this `id`, of which one that counts is enough; undefined when it never had one
   * here. Revoked when one of them was: its holder may have none by now.
   */
  stateOfId(id: string): TokenState | undefined {
    const ofPrincipal = [...this.#kept.values()].filter(({ principal }) => principal.id === id);
    const states = new Set(ofPrincipal.map((kept) => this.#stateOf(kept)));
    if (states.has("valid")) return "valid";
    if (states.has("expired") && !states.has("revoked")) return "expired";
    // Records of tokens that ended long ago are gone.
    return states.size > 0 || this.#principalIds.has(id) ? "revoked" : undefined;
  }

  /** Reads the store if it has changed. Never rejects. */
  look(): Promise<void> {
    this.#looking ??= this.#look().finally(() => {
      this.#looking = undefined;
    });
    return this.#looking;
  }

  /** Writes when tokens were last used. Never rejects: it is tried again with later uses. */
  async writeUses(): Promise<void> {
    if (this.#uses.size === 0) return;
    const uses = this.#uses;
    this.#uses = new Map();
    try {
      await this.store.noteUses(uses);
    } catch (error) {
      this.#warnOnce(`The last uses of tokens cannot be written: ${messageOf(error)}`);
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    for (const timer of this.#timers) clearInterval(timer);
    await this.writeUses();
    await this.store[Symbol.asyncDispose]();
  }

  async #look(): Promise<void> {
    try {
      const version = await this.store.version();
      if (version === this.#version) return;
      this.#take(await this.store.list());
      this.#version = version;
      this.#warning = undefined;
      this.#onChange();
    } catch (error) {
      this.#warnOnce(`${messageOf(error)} Until then the tokens read before stay valid.`);
    }
  }

  #take(records: readonly TokenRecord[]): void {
    const before = this.#kept;
    const kept = new Map<string, Kept>();
    for (const record of records) {
      const known = before.get(record.digest);
      const principal =
        known !== undefined && hasSameRights(known.record, record)
          ? known.principal
          : principalOf(record);
      kept.set(record.digest, { record, principal });
      this.#digestOf.set(principal, record.digest);
      if (this.#reasonAgainst(record) === undefined) this.#principalIds.add(principal.id);
    }
    this.#kept = kept;
  }

  #stateOf({ record }: Kept): TokenState {
    const status = statusOf(record, this.#clock.wallMs());
    return status === "replaced" ? "valid" : status;
  }

  #reasonAgainst(record: TokenRecord): string | undefined {
    const status = statusOf(record, this.#clock.wallMs());
    if (status === "revoked") return `The token of ${record.label} was revoked.`;
    if (status !== "expired") return undefined;
    return record.replacedAtMs === undefined
      ? `The token of ${record.label} has expired.`
      : `The token of ${record.label} was replaced by another one.`;
  }

  #warnOnce(message: string): void {
    if (message === this.#warning) return;
    this.#warning = message;
    this.options.warn(message);
  }
}

function principalOf({ label, scopes, servers }: TokenRecord): Principal {
  return {
    id: `token:${label}`,
    label,
    scopes: scopes === undefined ? undefined : new Set(scopes),
    ...(servers !== undefined && { servers: new Set(servers) }),
  };
}

function hasSameRights(one: TokenRecord, other: TokenRecord): boolean {
  const rightsOf = ({ label, scopes, servers }: TokenRecord): string =>
    JSON.stringify([label, scopes ?? null, servers ?? null]);
  return rightsOf(one) === rightsOf(other);
}
