import { upstreamNoticesKept } from "../../base/upstream-limits.ts";
import type { UpstreamHost } from "../worker/upstream-work.ts";

/** Sentences for the user. */
export class Notices {
  readonly #host: Pick<UpstreamHost, "notify">;
  readonly #told = new Set<string>();

  constructor(host: Pick<UpstreamHost, "notify">) {
    this.#host = host;
  }

  /** Each text once: files are read again and again. */
  readonly tell = (text: string): void => {
    if (text === "" || this.#told.has(text)) return;
    if (this.#told.size >= upstreamNoticesKept) this.#told.clear();
    this.#told.add(text);
    this.#host.notify({ kind: "notice", text });
  };
}
