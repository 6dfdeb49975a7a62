import { turnOfLoop } from "../../base/turns.ts";
import { type FileHandle, mkdir, open, rename, stat, unlink } from "node:fs/promises";
import { dirname, join } from "node:path";

import { escapeUnsafe } from "../../base/unsafe-characters.ts";
import {
  upstreamLogFileBytesMax,
  upstreamLogFilesMax,
  upstreamLogWaitingBytesMax,
  upstreamLogLineCharsMax,
  upstreamStderrBytesMax,
  upstreamStderrLinesMax,
} from "../../base/upstream-limits.ts";

/** The source of a line in a server's log. */
export type LogSource = "stderr" | "stdout" | "note";

/** The log files of all servers: `mcp-<server>.log`. Several processes of the user may write to the same one. */
export class ServerLogs {
  readonly #dir: string;
  readonly #files = new Map<string, RotatedFile>();

  /** @param dir created with the first line */
  constructor(dir: string) {
    this.#dir = dir;
  }

  /** Writes one line, from which secrets were removed; escapes line breaks. Never throws. */
  write(server: string, source: LogSource, text: string): void {
    let file = this.#files.get(server);
    if (file === undefined) {
      file = new RotatedFile(join(this.#dir, `mcp-${server}.log`));
      this.#files.set(server, file);
    }
    const line = escapeUnsafe(text.slice(0, upstreamLogLineCharsMax)).replaceAll("\n", "\\n");
    file.append(`${new Date().toISOString()} ${source} ${line}\n`);
  }

  /** Resolves when all lines so far are written. */
  async flush(): Promise<void> {
    await Promise.all([...this.#files.values()].map((file) => file.flush()));
  }
}

/**
 * A private text file that is rotated when it is full. Callers never wait for the disk: lines that it cannot take in
 * time are dropped, and a line reports how many. If the folder cannot be written, only the log is lost.
 */
export class RotatedFile {
  readonly #path: string;
  readonly #bytesMax: number;
  #waiting: string[] = [];
  #waitingChars = 0;
  #leftOut = 0;
  #writing: Promise<void> | undefined;

  constructor(path: string, bytesMax = upstreamLogFileBytesMax) {
    this.#path = path;
    this.#bytesMax = bytesMax;
  }

  append(text: string): void {
    if (this.#waitingChars + text.length > upstreamLogWaitingBytesMax) {
      this.#leftOut += 1;
      return;
    }
    this.#waiting.push(text);
    this.#waitingChars += text.length;
    this.#writing ??= this.#writeAll();
  }

  /** Resolves when nothing waits. Never rejects. */
  async flush(): Promise<void> {
    while (this.#writing !== undefined) await this.#writing;
  }

  async #writeAll(): Promise<void> {
    // Lines of one turn are written together.
    await turnOfLoop();
    let file: FileHandle | undefined;
    try {
      await mkdir(dirname(this.#path), { recursive: true, mode: 0o700 });
      while (this.#waiting.length > 0) {
        file ??= await open(this.#path, "a", 0o600);
        await file.write(this.#take());
        if ((await file.stat()).size < this.#bytesMax) continue;
        await file.close();
        file = undefined;
        await this.#setAside();
      }
    } catch {
      this.#take();
    } finally {
      await file?.close().catch(() => {});
      this.#writing = undefined;
    }
    if (this.#waiting.length > 0) this.#writing ??= this.#writeAll();
  }

  #take(): string {
    const text = this.#waiting.join("");
    this.#waiting = [];
    this.#waitingChars = 0;
    const leftOut = this.#leftOut;
    this.#leftOut = 0;
    if (leftOut === 0) return text;
    return `${text}${new Date().toISOString()} note ${leftOut} lines were dropped here: they came too fast\n`;
  }

  async #setAside(): Promise<void> {
    // Another process may just have rotated it: then the file is small again.
    if ((await stat(this.#path)).size < this.#bytesMax) return;
    const names = Array.from(
      { length: upstreamLogFilesMax - 1 },
      (_, at) => `${this.#path}.${at + 1}`,
    );
    await unlink(names.at(-1) ?? "").catch(() => {});
    for (let at = names.length - 1; at > 0; at--) {
      await rename(names[at - 1] ?? "", names[at] ?? "").catch(() => {});
    }
    await rename(this.#path, names[0] ?? "");
  }
}

/** The end of a server's stderr. */
export class StderrRing {
  #chunks: Uint8Array[] = [];
  #bytes = 0;

  append(chunk: Uint8Array): void {
    const kept = chunk.subarray(Math.max(0, chunk.length - upstreamStderrBytesMax)).slice();
    this.#chunks.push(kept);
    this.#bytes += kept.length;
    while (this.#bytes - (this.#chunks[0]?.length ?? 0) >= upstreamStderrBytesMax) {
      this.#bytes -= this.#chunks.shift()?.length ?? 0;
    }
  }

  /** At most the last twenty non-empty lines; the first may be incomplete. */
  lines(): readonly string[] {
    const bytes = Buffer.concat(this.#chunks);
    const text = bytes.subarray(Math.max(0, bytes.length - upstreamStderrBytesMax)).toString();
    const lines = text.split(/\r?\n|\r/).filter((line) => line.trim() !== "");
    return lines.slice(-upstreamStderrLinesMax);
  }
}

/** Splits a stream of bytes into lines; a line without end is cut. */
export class LineSplitter {
  readonly #onLine: (line: string) => void;
  readonly #decoder = new TextDecoder();
  #rest = "";

  constructor(onLine: (line: string) => void) {
    this.#onLine = onLine;
  }

  add(chunk: Uint8Array): void {
    this.#take(this.#decoder.decode(chunk, { stream: true }));
  }

  /** Reports the rest as a line. */
  end(): void {
    this.#take(this.#decoder.decode());
    if (this.#rest !== "") this.#onLine(this.#rest);
    this.#rest = "";
  }

  #take(text: string): void {
    const lines = (this.#rest + text).split("\n");
    this.#rest = lines.pop() ?? "";
    for (const line of lines) this.#onLine(line.endsWith("\r") ? line.slice(0, -1) : line);
    while (this.#rest.length > upstreamLogLineCharsMax) {
      this.#onLine(this.#rest.slice(0, upstreamLogLineCharsMax));
      this.#rest = this.#rest.slice(upstreamLogLineCharsMax);
    }
  }
}
