import { join } from "node:path";

import { upstreamLogLineCharsMax } from "../../base/upstream-limits.ts";
import { escapeUnsafe } from "../../base/unsafe-characters.ts";
import { RotatedFile } from "./rotated-file.ts";

/** Where a line of a server's log comes from. */
export type LogSource = "stderr" | "stdout" | "note";

/** The log files of all servers: `mcp-<server>.log`. Several processes of the user may write to the same one. */
export class ServerLogs {
  readonly #dir: string;
  readonly #files = new Map<string, RotatedFile>();

  /** @param dir made when there is something to write */
  constructor(dir: string) {
    this.#dir = dir;
  }

  /** One line, secrets taken out before; of several lines one is made. Never throws. */
  write(server: string, source: LogSource, text: string): void {
    let file = this.#files.get(server);
    if (file === undefined) {
      file = new RotatedFile(join(this.#dir, `mcp-${server}.log`));
      this.#files.set(server, file);
    }
    const line = escapeUnsafe(text.slice(0, upstreamLogLineCharsMax)).replaceAll("\n", "\\n");
    file.append(`${new Date().toISOString()} ${source} ${line}\n`);
  }

  /** Resolves when what was written so far is with the system. */
  async flush(): Promise<void> {
    await Promise.all([...this.#files.values()].map((file) => file.flush()));
  }
}
