import { sha256Name } from "../../base/digests.ts";
import { heldClientsMax, heldStateMs } from "../../base/limits.ts";
import { isObject } from "../../base/values.ts";
import type { FleetSeal } from "../engine/fleet-secret.ts";
import { Script, type SharedEngine } from "../engine/shared-engine.ts";
import type { Replica } from "../replicas/replica.ts";

/** The state of clients that is worth more than the process that has it. */
export interface Holdings {
  /** As JSON can keep it; undefined when there is nothing to keep. */
  saved(clientId: string): unknown;
  /** Takes over what another replica, which is gone, had saved `passedMs` ago. */
  restore(clientId: string, state: unknown, passedMs: number): void | Promise<void>;
}

interface Kept {
  readonly principalId: string;
  readonly clientId: string;
  readonly replica: string;
  /** In the time of the engine. */
  readonly at: number;
  readonly state: unknown;
}

/** KEYS: the state, the clients of the principal, all principals. ARGV: client key, principal, ms that it is kept, state or "". */
const saveScript = new Script(`
if ARGV[4] == '' then
  redis.call('DEL', KEYS[1])
  redis.call('HDEL', KEYS[2], ARGV[1])
  if redis.call('EXISTS', KEYS[2]) == 0 then redis.call('HDEL', KEYS[3], ARGV[2]) end
  return 0
end
redis.call('SET', KEYS[1], ARGV[4], 'PX', ARGV[3])
redis.call('HSET', KEYS[2], ARGV[1], 1)
redis.call('PEXPIRE', KEYS[2], ARGV[3])
redis.call('HSET', KEYS[3], ARGV[2], 1)
return 1
`);

export interface HeldStateParts {
  readonly engine: SharedEngine;
  readonly replica: Replica;
  /** Access to the engine alone must not let anybody write callbacks and lines for others. */
  readonly seal: FleetSeal;
  readonly holdings: Holdings;
}

/**
 * Copies of the state that clients have in the memory of a replica (callbacks, lines that wait, the list of background tasks), so that
 * the replica that takes over their principal takes over these too. Written after each change, one at a time for each client.
 */
export class HeldState implements Disposable {
  readonly #parts: HeldStateParts;
  /** The principal of each client that was seen here, the longest unseen first. */
  readonly #principals = new Map<string, string>();
  readonly #changed = new Set<string>();
  readonly #stops: readonly (() => void)[];
  #saving: Promise<void> | undefined;

  constructor(parts: HeldStateParts) {
    this.#parts = parts;
    this.#stops = [
      parts.engine.onReady(() => void this.flushed()),
      // The copies are for the replica that takes over, be it this process.
      parts.replica.onFence(() => {
        this.#changed.clear();
        this.#principals.clear();
      }),
    ];
  }

  /** A client whose state is here from now on. */
  note(clientId: string, principalId: string): void {
    this.#principals.delete(clientId);
    this.#principals.set(clientId, principalId);
    const [longest] = this.#principals.keys();
    if (this.#principals.size > heldClientsMax && longest !== undefined)
      this.#principals.delete(longest);
  }

  /** The state of a client is another than before. */
  readonly changed = (clientId: string): void => {
    if (!this.#principals.has(clientId)) return;
    this.#changed.add(clientId);
    this.#saving ??= this.#save();
  };

  /** Resolves when all changes so far are in the engine, or cannot get there now. Never rejects. */
  flushed(): Promise<void> {
    if (this.#changed.size > 0) this.#saving ??= this.#save();
    return this.#saving ?? Promise.resolve();
  }

  /** The client is gone, and its state with it. */
  endClient(clientId: string): void {
    this.changed(clientId);
    void this.flushed().finally(() => this.#principals.delete(clientId));
  }

  /** Takes over the clients of a principal that is held here from now on. @throws SharedEngineError */
  async take(principalId: string): Promise<void> {
    const { engine, replica, seal, holdings } = this.#parts;
    const names = await engine.request("HKEYS", this.#clientsOf(principalId));
    if (!Array.isArray(names)) return;
    for (const name of names.map(String)) {
      const key = engine.keys.of("state", name);
      const reply = await engine.request("GET", key);
      const kept = typeof reply === "string" ? readKept(seal.verified(reply, key)) : undefined;
      if (kept?.principalId !== principalId || kept.replica === replica.id) continue;
      this.note(kept.clientId, principalId);
      await holdings.restore(kept.clientId, kept.state, Math.max(0, replica.engineNow() - kept.at));
      this.changed(kept.clientId);
    }
  }

  /** The principals that have state of a client somewhere. @throws SharedEngineError */
  async principals(): Promise<readonly string[]> {
    const names = await this.#parts.engine.request("HKEYS", this.#allPrincipals);
    return Array.isArray(names) ? names.map(String) : [];
  }

  [Symbol.dispose](): void {
    for (const stop of this.#stops) stop();
  }

  get #allPrincipals(): string {
    return this.#parts.engine.keys.of("state-principals");
  }

  #clientsOf(principalId: string): string {
    return this.#parts.engine.keys.of("state-clients", sha256Name(principalId));
  }

  /** A copy that could not be written waits for the next change, or for the engine to be back. */
  async #save(): Promise<void> {
    try {
      // Changes of one turn are written together.
      await Promise.resolve();
      for (const clientId of this.#changed) await this.#saveClient(clientId);
    } catch {
      // The engine says so at its own place; nothing here is lost as long as this process lives.
    } finally {
      this.#saving = undefined;
    }
  }

  async #saveClient(clientId: string): Promise<void> {
    const { engine, replica, seal, holdings } = this.#parts;
    const principalId = this.#principals.get(clientId);
    this.#changed.delete(clientId);
    if (principalId === undefined) return;
    const state = holdings.saved(clientId);
    const at = replica.engineNow();
    const kept: Kept = { principalId, clientId, replica: replica.id, at, state };
    const name = sha256Name(clientId);
    const key = engine.keys.of("state", name);
    const keys = [key, this.#clientsOf(principalId), this.#allPrincipals];
    const text = state === undefined ? "" : seal.sign(JSON.stringify(kept), key);
    try {
      await saveScript.run(engine, keys, [name, principalId, heldStateMs, text]);
    } catch (error) {
      this.#changed.add(clientId);
      throw error;
    }
  }
}

/** Undefined for what no replica of this version writes. */
function readKept(text: string | undefined): Kept | undefined {
  const value: unknown = text === undefined ? undefined : JSON.parse(text);
  if (!isObject(value)) return undefined;
  const { principalId, clientId, replica, at, state } = value;
  if (typeof principalId !== "string" || typeof clientId !== "string") return undefined;
  if (typeof replica !== "string" || typeof at !== "number") return undefined;
  return { principalId, clientId, replica, at, state };
}
