import { describe, expect, test } from "bun:test";
import { OutputQueue, type OutputSink } from "../../../src/server/transport/stdio.ts";

/** A sink whose reader is slow or gone, as a test says. */
class TestSink implements OutputSink {
  readonly written: string[] = [];
  pending: PromiseWithResolvers<number> | undefined;
  error: Error | undefined;
  readonly #flushing: PromiseWithResolvers<number>[] = [];

  write(text: string): number {
    if (this.error !== undefined) throw this.error;
    this.written.push(text);
    return text.length;
  }

  flush(): number | Promise<number> {
    if (this.pending === undefined) return 0;
    this.#flushing.push(this.pending);
    return this.pending.promise;
  }

  releaseAll(): void {
    for (const flushing of this.#flushing) flushing.resolve(1);
  }
}

function createQueue(bytesMax: number): { sink: TestSink; queue: OutputQueue; broken: string[] } {
  const sink = new TestSink();
  const broken: string[] = [];
  return { sink, queue: new OutputQueue(sink, () => broken.push("broken"), bytesMax), broken };
}

describe("OutputQueue", () => {
  test("writes what is added in one turn at once", async () => {
    const { sink, queue } = createQueue(10);
    queue.add("a");
    queue.add("b");
    await queue.idle();
    expect(sink.written).toEqual(["a\nb\n"]);
  });

  test("hold() collects until release(), which writes before it returns", () => {
    const { sink, queue } = createQueue(10);
    queue.hold();
    queue.add("a");
    queue.add("b");
    expect(sink.written).toEqual([]);
    queue.release();
    expect(sink.written).toEqual(["a\nb\n"]);
  });

  test.each([
    [9, false],
    [10, false],
    [11, true],
  ])("with a limit of 10 bytes and %d waiting, isFull is %p", async (bytes, isFull) => {
    const { sink, queue } = createQueue(10);
    sink.pending = Promise.withResolvers<number>();
    queue.hold();
    queue.add("first");
    queue.release();
    queue.add("x".repeat(bytes - 1));
    expect(queue.isFull).toBe(isFull);
    const room = queue.room();
    sink.pending.resolve(1);
    sink.pending = undefined;
    await Promise.all([room, queue.idle()]);
    expect(sink.written).toEqual(["first\n", `${"x".repeat(bytes - 1)}\n`]);
    expect(queue.isFull).toBe(false);
  });

  test("keeps order and loses nothing while the reader is slow", async () => {
    const { sink, queue } = createQueue(10);
    const lines = Array.from({ length: 100 }, (_, number) => `${number}\n`);
    for (const line of lines) {
      const slow = Promise.withResolvers<number>();
      sink.pending = slow;
      queue.add(line.trimEnd());
      await Promise.resolve();
      // Later writes meet a sink that is quick again, now and then.
      if (line.length === 2) slow.resolve(1);
    }
    sink.pending = undefined;
    sink.releaseAll();
    await queue.idle();
    expect(sink.written.join("")).toBe(lines.join(""));
  });

  test("U-epipe: reports a reader that has gone once, and takes no more", async () => {
    const { sink, queue, broken } = createQueue(10);
    sink.error = new Error("EPIPE");
    queue.add("a");
    await queue.idle();
    sink.error = undefined;
    queue.add("b");
    await queue.idle();
    expect({ broken, written: sink.written }).toEqual({ broken: ["broken"], written: [] });
  });

  test("U-epipe: a flush that fails later counts the same and frees who waits for room", async () => {
    const { sink, queue, broken } = createQueue(1);
    sink.pending = Promise.withResolvers<number>();
    queue.hold();
    queue.add("a");
    queue.release();
    queue.add("waiting");
    const room = queue.room();
    sink.pending.reject(new Error("EPIPE"));
    await Promise.all([room, queue.idle()]);
    expect({ broken, written: sink.written }).toEqual({ broken: ["broken"], written: ["a\n"] });
  });
});
