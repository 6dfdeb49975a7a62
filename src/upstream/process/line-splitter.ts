import { upstreamLogLineCharsMax } from "../../base/upstream-limits.ts";

/** Makes lines of a stream of bytes; a line that does not end is cut. */
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

  /** What is left counts as a line. */
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
