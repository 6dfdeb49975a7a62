import { hookLookMs } from "../../../base/limits.ts";
import type { Hook, HookFinding, HooksFolder } from "./hook.ts";
import { readHooks } from "./read-hooks.ts";

interface Entry {
  readonly hooks: readonly Hook[];
  /** On the clock of `performance.now()`. */
  readonly freshUntil: number;
}

/** The hooks of each event, looked at again when they are asked for after `hookLookMs`: every call asks. */
export class HookCache {
  readonly #folders: readonly HooksFolder[];
  readonly #onRefused: (finding: HookFinding) => void;
  readonly #entries = new Map<string, Entry>();
  readonly #reading = new Map<string, Promise<readonly Hook[]>>();

  /**
   * @param folders in the order in which their hooks run
   * @param onRefused told of each file that is not run, at each look
   */
  constructor(folders: readonly HooksFolder[], onRefused: (finding: HookFinding) => void) {
    this.#folders = folders;
    this.#onRefused = onRefused;
  }

  /** True when it is known that there are none: then nothing has to be waited for. */
  hasNone(eventName: string): boolean {
    const entry = this.#entries.get(eventName);
    return entry?.hooks.length === 0 && performance.now() < entry.freshUntil;
  }

  /** In the order in which they run. Never rejects. */
  list(eventName: string): Promise<readonly Hook[]> {
    const entry = this.#entries.get(eventName);
    if (entry !== undefined && performance.now() < entry.freshUntil) {
      return Promise.resolve(entry.hooks);
    }
    let reading = this.#reading.get(eventName);
    if (reading === undefined) this.#reading.set(eventName, (reading = this.#read(eventName)));
    return reading;
  }

  async #read(eventName: string): Promise<readonly Hook[]> {
    const found = await Promise.all(this.#folders.map((folder) => readHooks(folder, eventName)));
    const findings = found.flat();
    for (const finding of findings) if (finding.kind === "refused") this.#onRefused(finding);
    const hooks = findings.flatMap((finding) =>
      finding.kind === "hook" ? [finding.hook] : (finding.guard ?? []),
    );
    this.#entries.set(eventName, { hooks, freshUntil: performance.now() + hookLookMs });
    this.#reading.delete(eventName);
    return hooks;
  }
}
