import { upstreamReasonCharsMax } from "../../base/upstream-limits.ts";
import type { LogLevel } from "../../protocol/log-level.ts";
import type { UpstreamHost } from "../worker/upstream-work.ts";

/** What is said by one server, or of it, for its log. */
export class ServerLog {
  readonly #write: (line: string) => void;
  #dropped = 0;

  /** @param clean takes control sequences and secrets out of a text */
  constructor(host: Pick<UpstreamHost, "log">, server: string, clean: (text: string) => string) {
    this.#write = (line) => host.log(server, clean(line));
  }

  /** Messages that nobody had asked for. */
  get dropped(): number {
    return this.#dropped;
  }

  /** A sentence of ours. */
  readonly say = (text: string): void => this.#write(text);

  readonly onLog = (level: LogLevel, data: unknown): void => {
    const text = typeof data === "string" ? data : (JSON.stringify(data) ?? "");
    this.#write(`${level}: ${text.slice(0, upstreamReasonCharsMax)}`);
  };

  readonly onStray = (text: string): void => {
    this.#dropped++;
    this.#write(text);
  };
}
