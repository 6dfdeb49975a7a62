import { JsonWeight } from "../../base/json-weight.ts";
import { upstreamMessageBytesMax } from "../../base/upstream-limits.ts";
import { noteRead } from "./message-remains.ts";

const newline = 0x0a;
const carriageReturn = 0x0d;

/**
 * The body of a response, ended with an error when one message in it is more than may be read: the whole body of a
 * document, or what stands between two empty lines of a stream of events.
 * @param error of what is too much: `N bytes`, `N values`
 */
export function boundBody(
  body: ReadableStream<Uint8Array>,
  isEventStream: boolean,
  error: (excess: string) => Error,
  bytesMax: number = upstreamMessageBytesMax,
): ReadableStream<Uint8Array> {
  const size = new MessageSize(isEventStream, bytesMax);
  return body.pipeThrough(
    new TransformStream<Uint8Array, Uint8Array>({
      transform(chunk, controller) {
        const excess = size.note(chunk);
        if (excess === undefined) controller.enqueue(chunk);
        else controller.error(error(excess));
      },
    }),
  );
}

/** Counts what has come since the last empty line. */
class MessageSize {
  #bytes = 0;
  readonly #weight = new JsonWeight();
  #isLineEmpty = true;

  constructor(
    private readonly isEventStream: boolean,
    private readonly bytesMax: number,
  ) {}

  /** What is too much in one of the messages that `chunk` has a piece of. */
  note(chunk: Uint8Array): string | undefined {
    if (!this.isEventStream) return this.#add(chunk);
    let excess: string | undefined;
    let start = 0;
    for (let end = chunk.indexOf(newline); end !== -1; end = chunk.indexOf(newline, start)) {
      const isEmpty = this.#isLineEmpty && isBlank(chunk, start, end);
      excess ??= this.#add(chunk.subarray(start, end + 1));
      if (isEmpty) this.#reset();
      this.#isLineEmpty = true;
      start = end + 1;
    }
    excess ??= this.#add(chunk.subarray(start));
    this.#isLineEmpty &&= isBlank(chunk, start, chunk.length);
    return excess;
  }

  #add(bytes: Uint8Array): string | undefined {
    this.#bytes += bytes.length;
    noteRead(bytes.length);
    this.#weight.add(bytes);
    return this.#bytes > this.bytesMax ? `${this.bytesMax} bytes` : this.#weight.excess;
  }

  #reset(): void {
    this.#bytes = 0;
    this.#weight.reset();
  }
}

function isBlank(bytes: Uint8Array, start: number, end: number): boolean {
  return end === start || (end === start + 1 && bytes[start] === carriageReturn);
}
