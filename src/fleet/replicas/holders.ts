import { sha256Name } from "../../base/digests.ts";
import { Script, type SharedEngine } from "../engine/shared-engine.ts";
import { liveFunction, type Replica } from "./replica.ts";

/** KEYS: replicas, clock, the place, replicas that leave. ARGV: the replica that would have it. */
const claimScript = new Script(`${liveFunction}
local holder = redis.call('GET', KEYS[3])
if holder and live(holder) and redis.call('HEXISTS', KEYS[4], holder) == 0 then return holder end
redis.call('SET', KEYS[3], ARGV[1])
return ARGV[1]
`);

/** KEYS: replicas that leave. ARGV: the replica, ms after which all of them are gone. */
const leaveScript = new Script(`
redis.call('HSET', KEYS[1], ARGV[1], 1)
redis.call('PEXPIRE', KEYS[1], ARGV[2])
`);

/** A replica that leaves has ended long before. */
const leavingMs = 60 * 60 * 1000;

/** Which replica has what can be in one place only, such as the workspace of a principal (FL3). */
export class Holders {
  readonly #engine: SharedEngine;
  readonly #replica: Replica;

  constructor(engine: SharedEngine, replica: Replica) {
    this.#engine = engine;
    this.#replica = replica;
  }

  /**
   * The id of the replica that holds `name`: this one takes it when nobody does, or when the holder is gone. It never moves
   * from a replica that lives.
   * @throws SharedEngineError
   */
  async holderOf(name: string): Promise<string> {
    const key = this.#engine.keys.of("held", sha256Name(name));
    const { liveKeys, id } = this.#replica;
    const keys = [...liveKeys, key, this.#leaving];
    const holder = await claimScript.run(this.#engine, keys, [id]);
    return typeof holder === "string" ? holder : id;
  }

  /** Others may take what this replica holds: it ends what it has begun, and goes. @throws SharedEngineError */
  async leave(): Promise<void> {
    await leaveScript.run(this.#engine, [this.#leaving], [this.#replica.id, leavingMs]);
  }

  get #leaving(): string {
    return this.#engine.keys.of("leaving");
  }
}
