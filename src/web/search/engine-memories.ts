import type { EngineId, EngineMemory } from "./engine.ts";

/** Texts that one engine keeps; none has more than a few. */
const textsMax = 16;
/** Characters of one of them: cookies have at most 4 KiB. */
const textCharsMax = 8 * 1024;

/** The data that engines keep from one question to the next, as long as this process lives. */
export class EngineMemories {
  readonly #memories = new Map<EngineId, EngineMemory>();

  of(engine: EngineId): EngineMemory {
    const known = this.#memories.get(engine);
    if (known !== undefined) return known;
    const memory = new ExpiringTexts();
    this.#memories.set(engine, memory);
    return memory;
  }
}

class ExpiringTexts implements EngineMemory {
  /** `endsAt` on the clock of `performance.now()`. */
  readonly #texts = new Map<string, { readonly value: string; readonly endsAt: number }>();

  get(name: string): string | undefined {
    const text = this.#texts.get(name);
    if (text === undefined) return undefined;
    if (text.endsAt > performance.now()) return text.value;
    this.#texts.delete(name);
    return undefined;
  }

  set(name: string, value: string, lifeMs: number): void {
    if (value.length > textCharsMax) return;
    this.#texts.delete(name);
    const [oldest] = this.#texts.keys();
    if (this.#texts.size >= textsMax && oldest !== undefined) this.#texts.delete(oldest);
    this.#texts.set(name, { value, endsAt: performance.now() + lifeMs });
  }

  delete(name: string): void {
    this.#texts.delete(name);
  }
}
