import { hideTokens } from "../../base/secrets.ts";
import { upstreamReasonCharsMax } from "../../base/upstream-limits.ts";
import type { LogLevel } from "../../protocol/json-rpc.ts";
import type { UpstreamHost } from "../worker/upstream-options.ts";

/** What is said by one server, or of it, for its log. */
export class ServerLog {
  readonly #write: (line: string) => void;
  #dropped = 0;

  /** Of texts that people read in logs and status: there no token belongs, whoever's it is. */
  readonly clean: (text: string) => string;

  /** @param clean takes control sequences and the secrets of the entry out of a text */
  constructor(host: Pick<UpstreamHost, "log">, server: string, clean: (text: string) => string) {
    this.clean = (text) => hideTokens(clean(text));
    this.#write = (line) => host.log(server, this.clean(line));
  }

  /** Messages that nobody had asked for. */
  get dropped(): number {
    return this.#dropped;
  }

  /** A sentence of ours. */
  readonly say = (text: string): void => this.#write(text);

  /** Why the server is as it is, short enough to be shown. */
  reasonText(reason: string): string {
    return this.clean(reason).slice(0, upstreamReasonCharsMax).toWellFormed();
  }

  readonly onLog = (level: LogLevel, data: unknown): void => {
    const text = typeof data === "string" ? data : (JSON.stringify(data) ?? "");
    this.#write(`${level}: ${text.slice(0, upstreamReasonCharsMax)}`);
  };

  readonly onStray = (text: string): void => {
    this.#dropped++;
    this.#write(text);
  };
}
