import { leaseFenceMs, leaseMs, leaseRenewMs } from "../../base/limits.ts";
import { type Reply, Script, type SharedEngine } from "../engine/shared-engine.ts";

/**
 * Renews a lease, in the time of the engine. When nobody has renewed for half a lease, the engine was away, has lost what it
 * held, or has another clock than before (a failover): then all are taken for live for a lease more, since none of them can have been
 * late by its own fault.
 * KEYS: replicas, clock. ARGV: id, lease in ms, "0" to give it back.
 * Answers with the time, 1 if the lease was there before, 1 while all are taken for live, and the ids of the live ones.
 */
const renewScript = new Script(`
local t = redis.call('TIME')
local now = t[1] * 1000 + math.floor(t[2] / 1000)
local lease = tonumber(ARGV[2])
local last = tonumber(redis.call('HGET', KEYS[2], 'at') or 0)
if now - last > lease / 2 or now < last then
  redis.call('HSET', KEYS[2], 'grace', now + lease)
end
redis.call('HSET', KEYS[2], 'at', now)
local known = redis.call('ZSCORE', KEYS[1], ARGV[1]) and 1 or 0
if ARGV[3] == '0' then
  redis.call('ZREM', KEYS[1], ARGV[1])
else
  redis.call('ZADD', KEYS[1], now + lease, ARGV[1])
end
redis.call('ZREMRANGEBYSCORE', KEYS[1], '-inf', now - 12 * lease)
local grace = now < tonumber(redis.call('HGET', KEYS[2], 'grace') or 0)
local from = now
if grace then from = '-inf' end
return {now, known, grace and 1 or 0, redis.call('ZRANGEBYSCORE', KEYS[1], from, '+inf')}
`);

/**
 * Whether the lease of a replica has not ended.
 * In scripts: `live(id)`, with KEYS[1] the replicas and KEYS[2] the clock.
 */
export const liveFunction = `
local function live(id)
  local t = redis.call('TIME')
  local now = t[1] * 1000 + math.floor(t[2] / 1000)
  if now < tonumber(redis.call('HGET', KEYS[2], 'grace') or 0) then return true end
  return tonumber(redis.call('ZSCORE', KEYS[1], id) or 0) > now
end
`;

/** KEYS: replicas, clock. ARGV: id. */
const liveScript = new Script(`${liveFunction}
return live(ARGV[1]) and 1 or 0
`);

/** Time as a replica sees it; tests bring their own. Milliseconds that never go back. */
export type ReplicaClock = () => number;

export interface ReplicaParts {
  readonly engine: SharedEngine;
  readonly warn: (message: string) => void;
  readonly now?: ReplicaClock;
}

/**
 * This process among the replicas of its fleet: its id, its lease and who else is there. A replica that cannot renew its lease
 * stops what must not run twice before others take it for gone; when it is back it has another id, and the old one is never
 * seen again (FL3).
 */
export class Replica implements AsyncDisposable {
  readonly #engine: SharedEngine;
  readonly #warn: (message: string) => void;
  readonly #now: ReplicaClock;
  readonly #onFence = new Set<() => void>();
  readonly #onNewPlace = new Set<() => void>();
  readonly #onGone = new Set<(id: string) => void>();
  readonly #formerIds = new Set<string>();
  #id = freshId();
  #live: ReadonlySet<string> = new Set();
  /** When the renewal that counts was asked for, on the clock of `now`. */
  #renewedAt: number;
  /** The engine's clock minus that of this process. */
  #offsetMs = 0;
  #isFenced = false;
  #isClosed = false;
  #renewing: Promise<void> | undefined;
  #timer: ReturnType<typeof setTimeout> | undefined;
  #fenceTimer: ReturnType<typeof setTimeout> | undefined;

  private constructor({ engine, warn, now = () => performance.now() }: ReplicaParts) {
    this.#engine = engine;
    this.#warn = warn;
    this.#now = now;
    this.#renewedAt = now();
  }

  /** With a lease. @throws SharedEngineError */
  static async start(parts: ReplicaParts): Promise<Replica> {
    const replica = new Replica(parts);
    await replica.renew();
    parts.engine.onReady(() => replica.#renewSoon(0));
    return replica;
  }

  /** Keys for scripts that use `liveFunction`, in its order. */
  get liveKeys(): readonly [string, string] {
    const { keys } = this.#engine;
    return [keys.of("replicas"), keys.of("clock")];
  }

  /** Ten characters, of this start and this lease; another one after a fence. */
  get id(): string {
    return this.#id;
  }

  /** True for the id of this process, present or former. */
  isOwn(id: string): boolean {
    return id === this.#id || this.#formerIds.has(id);
  }

  /** True when the lease may have ended for others: what belongs to it must not be reported any more. */
  get isFenced(): boolean {
    return this.#isFenced || this.#now() - this.#renewedAt >= leaseMs - leaseFenceMs;
  }

  /** The replicas whose lease had not ended at the last renewal, this one too. */
  live(): readonly string[] {
    return [...this.#live];
  }

  /** As of the last renewal: a replica that died is live for the rest of its lease. */
  isLive(id: string): boolean {
    return id === this.#id || this.#live.has(id);
  }

  /** Whether the lease of a replica has not ended, as the engine knows it now. @throws SharedEngineError */
  async isLiveNow(id: string): Promise<boolean> {
    return (await liveScript.run(this.#engine, this.liveKeys, [id])) === 1;
  }

  /** The time of the engine in milliseconds since 1970, as this process knows it: within the time of one answer. */
  engineNow(): number {
    return Math.round(this.#now() + this.#offsetMs);
  }

  /** Calls `hook` once for each lease that could not be renewed, `leaseFenceMs` before its end. Returns how to stop that. */
  onFence(hook: () => void): () => void {
    this.#onFence.add(hook);
    return () => this.#onFence.delete(hook);
  }

  /** Calls `hook` when this process has another id, or the engine has lost what it kept for it. */
  onNewPlace(hook: () => void): () => void {
    this.#onNewPlace.add(hook);
    return () => this.#onNewPlace.delete(hook);
  }

  /** Calls `hook` with the id of each replica that was seen alive and is not any more; every replica calls its own. */
  onGone(hook: (id: string) => void): () => void {
    this.#onGone.add(hook);
    return () => this.#onGone.delete(hook);
  }

  /** Renews the lease now. @throws SharedEngineError */
  renew(): Promise<void> {
    this.#renewing ??= this.#renew().finally(() => {
      this.#renewing = undefined;
    });
    return this.#renewing;
  }

  /** Gives the lease back: others know at their next renewal. */
  async [Symbol.asyncDispose](): Promise<void> {
    this.#isClosed = true;
    clearTimeout(this.#timer);
    clearTimeout(this.#fenceTimer);
    await this.#renewing?.catch(() => {});
    await renewScript.run(this.#engine, this.liveKeys, [this.#id, leaseMs, 0]).catch(() => {});
  }

  async #renew(): Promise<void> {
    // A lease that ended is not taken up again: others may have acted on its end.
    if (this.isFenced) this.#fence();
    if (this.#isFenced) await this.#leave();
    const askedAt = this.#now();
    try {
      const reply = await renewScript.run(this.#engine, this.liveKeys, [this.#id, leaseMs, 1]);
      if (this.#isClosed) return;
      this.#renewed(askedAt, reply);
    } finally {
      this.#renewSoon(leaseRenewMs);
    }
  }

  #renewed(askedAt: number, reply: Reply): void {
    const [engineNow, known, grace, ids] = Array.isArray(reply) ? (reply as readonly Reply[]) : [];
    const isForgotten = known === 0 && this.#live.has(this.#id);
    const isNew = this.#isFenced;
    this.#isFenced = false;
    this.#renewedAt = askedAt;
    this.#offsetMs = Number(engineNow) - (askedAt + this.#now()) / 2;
    clearTimeout(this.#fenceTimer);
    this.#fenceTimer = setTimeout(() => this.#fence(), leaseMs - leaseFenceMs);
    this.#fenceTimer.unref();
    if (isNew || isForgotten) for (const hook of this.#onNewPlace) hook();
    const live = Array.isArray(ids) ? ids.map(String) : [];
    this.#seen(new Set(grace === 1 ? [...this.#live, ...live] : live));
  }

  #seen(live: ReadonlySet<string>): void {
    const before = this.#live;
    this.#live = live;
    for (const id of before) {
      if (live.has(id) || this.isOwn(id)) continue;
      for (const hook of this.#onGone) hook(id);
    }
  }

  /** The old lease is ended for all to see, in case it has not ended by itself. */
  async #leave(): Promise<void> {
    await renewScript.run(this.#engine, this.liveKeys, [this.#id, leaseMs, 0]);
    this.#formerIds.add(this.#id);
    this.#id = freshId();
  }

  #fence(): void {
    if (this.#isFenced || this.#isClosed || !this.isFenced) return;
    this.#isFenced = true;
    this.#warn(
      `${this.#engine.label} did not renew the lease of this replica for ${(leaseMs - leaseFenceMs) / 1000} s: what must not run twice is ended here`,
    );
    for (const hook of this.#onFence) hook();
  }

  #renewSoon(delayMs: number): void {
    clearTimeout(this.#timer);
    if (this.#isClosed) return;
    // Not all replicas at the same moment.
    const jittered = delayMs * (0.9 + Math.random() / 10);
    this.#timer = setTimeout(() => void this.renew().catch(() => {}), jittered);
    this.#timer.unref();
  }
}

const idChars = 10;

/** 50 bits: no two of the some thousand starts of a fleet are the same. */
function freshId(): string {
  const bytes = crypto.getRandomValues(new Uint8Array(idChars));
  return Array.from(bytes, (byte) => "abcdefghijklmnopqrstuvwxyz234567"[byte & 31]).join("");
}
