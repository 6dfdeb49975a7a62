import type { ByteReader, ServerPipes } from "./server-pipes.ts";

/** Descriptors of this process that lead to a server. */
export interface ServerDescriptors {
  readonly input: number;
  readonly output: number;
  readonly errors: number;
}

/**
 * Opens the pipes of a server. The runtime makes copies of the descriptors of its own before this returns, which end with
 * this thread: whoever owns the originals can close them.
 */
export function openDescriptorPipes(descriptors: ServerDescriptors): ServerPipes {
  const output = readerOf(descriptors.output);
  const errors = readerOf(descriptors.errors);
  const sink = Bun.file(descriptors.input).writer();
  let isEnded = false;
  return {
    // Every answer comes this way: a stream around the stream would cost each of them several promises.
    output: { getReader: () => output.reader },
    errors: streamOf(errors),
    async write(text) {
      if (isEnded) throw new Error("its input is closed");
      await sink.write(text);
      await sink.flush();
    },
    endInput() {
      if (isEnded) return;
      isEnded = true;
      // What it did not read is lost on purpose; it may be gone as well.
      Promise.resolve(sink.end()).catch(() => {});
    },
    release() {
      this.endInput();
      output.cancel();
      errors.cancel();
    },
  };
}

interface Opened {
  readonly reader: ByteReader;
  cancel(): void;
}

function readerOf(descriptor: number): Opened {
  const reader = Bun.file(descriptor).stream().getReader();
  // The first read is what makes the copy.
  let first: ReturnType<typeof reader.read> | undefined = reader.read();
  first.catch(() => {});
  return {
    reader: {
      read() {
        const reading = first ?? reader.read();
        first = undefined;
        return reading;
      },
      cancel: () => reader.cancel(),
    },
    cancel: () => void reader.cancel().catch(() => {}),
  };
}

function streamOf({ reader }: Opened): ReadableStream<Uint8Array> {
  return new ReadableStream<Uint8Array>(
    {
      async pull(controller) {
        const { done, value } = await reader.read();
        if (done || value === undefined) controller.close();
        else controller.enqueue(value);
      },
      cancel: () => reader.cancel(),
    },
    { highWaterMark: 0 },
  );
}
