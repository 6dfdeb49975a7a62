import { upstreamStderrBytesMax, upstreamStderrLinesMax } from "../../base/upstream-limits.ts";

/** The last that a server wrote to stderr. */
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

  /** The last lines that are not empty, twenty at most; the first may have lost its beginning. */
  lines(): readonly string[] {
    const bytes = Buffer.concat(this.#chunks);
    const text = bytes.subarray(Math.max(0, bytes.length - upstreamStderrBytesMax)).toString();
    const lines = text.split(/\r?\n|\r/).filter((line) => line.trim() !== "");
    return lines.slice(-upstreamStderrLinesMax);
  }
}
