import { upstreamMessageBytesMax } from "../../base/limits.ts";

const newline = 0x0a;
const carriageReturn = 0x0d;

/**
 * The body of a response, ended with `error()` when one message in it is longer than the limit: the whole body of a document,
 * or what stands between two empty lines of a stream of events.
 */
export function boundBody(
  body: ReadableStream<Uint8Array>,
  isEventStream: boolean,
  error: () => Error,
  bytesMax: number = upstreamMessageBytesMax,
): ReadableStream<Uint8Array> {
  const size = new MessageSize(isEventStream);
  return body.pipeThrough(
    new TransformStream<Uint8Array, Uint8Array>({
      transform(chunk, controller) {
        if (size.note(chunk) > bytesMax) controller.error(error());
        else controller.enqueue(chunk);
      },
    }),
  );
}

/** Counts the bytes since the last empty line. */
class MessageSize {
  #bytes = 0;
  #isLineEmpty = true;

  constructor(private readonly isEventStream: boolean) {}

  /** The size of the largest message that a piece of `chunk` belongs to. */
  note(chunk: Uint8Array): number {
    if (!this.isEventStream) return (this.#bytes += chunk.length);
    let largest = 0;
    let start = 0;
    for (let end = chunk.indexOf(newline); end !== -1; end = chunk.indexOf(newline, start)) {
      const isEmpty = this.#isLineEmpty && isBlank(chunk, start, end);
      this.#bytes += end + 1 - start;
      largest = Math.max(largest, this.#bytes);
      if (isEmpty) this.#bytes = 0;
      this.#isLineEmpty = true;
      start = end + 1;
    }
    this.#bytes += chunk.length - start;
    this.#isLineEmpty &&= isBlank(chunk, start, chunk.length);
    return Math.max(largest, this.#bytes);
  }
}

function isBlank(bytes: Uint8Array, start: number, end: number): boolean {
  return end === start || (end === start + 1 && bytes[start] === carriageReturn);
}
