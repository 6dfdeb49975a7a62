import {
  upstreamLogLineCharsMax,
  upstreamStderrBytesMax,
  upstreamStderrLinesMax,
} from "../../base/upstream-limits.ts";

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
