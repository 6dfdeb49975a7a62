import { hideTokens } from "../../base/secrets.ts";
import { upstreamReasonCharsMax } from "../../base/upstream-limits.ts";
import type { LogLevel } from "../../protocol/json-rpc.ts";
import type { UpstreamHost } from "../worker/upstream-work.ts";

/** Writes messages of and about one server to its log. */
export class ServerLog {
  readonly #write: (line: string) => void;
  #dropped = 0;

  /** Cleans texts for logs and status, which must not contain any token. */
  readonly clean: (text: string) => string;

  /** @param clean removes control sequences and the entry's secrets from a text */
  constructor(host: Pick<UpstreamHost, "log">, server: string, clean: (text: string) => string) {
    this.clean = (text) => hideTokens(clean(text));
    this.#write = (line) => host.log(server, this.clean(line));
  }

  /** The number of unsolicited messages that were dropped. */
  get dropped(): number {
    return this.#dropped;
  }

  /** Logs a sentence of scorpiox-code. */
  readonly say = (text: string): void => this.#write(text);

  /** The reason of a server's state, cleaned and cut for display. */
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
