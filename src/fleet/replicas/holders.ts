import { Script } from "../engine/script.ts";
import type { SharedEngine } from "../engine/shared-engine.ts";
import { liveFunction, type Replica } from "./replica.ts";

/** KEYS: replicas, clock, the place. ARGV: the replica that would have it. */
const claimScript = new Script(`${liveFunction}
local holder = redis.call('GET', KEYS[3])
if holder and live(holder) then return holder end
redis.call('SET', KEYS[3], ARGV[1])
return ARGV[1]
`);

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
    const key = this.#engine.keys.of("held", digestOf(name));
    const { liveKeys, id } = this.#replica;
    const holder = await claimScript.run(this.#engine, [...liveKeys, key], [id]);
    return typeof holder === "string" ? holder : id;
  }
}

/** Names come from tokens and may hold anything. */
function digestOf(name: string): string {
  return new Bun.CryptoHasher("sha256").update(name).digest("base64url");
}
