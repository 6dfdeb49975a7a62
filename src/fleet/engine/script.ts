import type { Reply, SharedEngine } from "./shared-engine.ts";

/** A script that the engine runs as one step, called by its digest. Made once, when its file is loaded. */
export class Script {
  readonly #text: string;
  readonly #digest: string;

  /** @param text Lua; takes all its keys from KEYS */
  constructor(text: string) {
    this.#text = text;
    this.#digest = new Bun.CryptoHasher("sha1").update(text).digest("hex");
  }

  /** @throws SharedEngineError */
  run(
    engine: SharedEngine,
    keys: readonly string[],
    args: readonly (string | number)[],
  ): Promise<Reply> {
    // It goes out right before, over the same connection: requests keep their order.
    engine.prepare(this.#text);
    const rest = [String(keys.length), ...keys, ...args.map(String)];
    return engine.request("EVALSHA", this.#digest, ...rest);
  }
}
