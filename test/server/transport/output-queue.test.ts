import { describe, expect, test } from "bun:test";

import type { ReplyRecord } from "../../../src/base/reply-record.ts";
import { OutputQueue, type OutputSink } from "../../../src/server/transport/stdio.ts";

/** A sink whose reader is slow or gone, as a test says. */
class TestSink implements OutputSink {
  readonly written: string[] = [];
  pending: PromiseWithResolvers<number> | undefined;
  error: Error | undefined;
  readonly #flushing: PromiseWithResolvers<number>[] = [];

  write(text: string | Uint8Array): number {
    if (this.error !== undefined) throw this.error;
    this.written.push(Buffer.from(text).toString());
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

describe("OutputQueue: the record of a reply", () => {
  /** A queue whose sink and record note what happens, in its order. */
  function noting() {
    const { sink, queue } = createQueue(10);
    const notes: string[] = [];
    const note = (what: string) => (): void => void notes.push(what);
    const write = sink.write.bind(sink);
    sink.write = (text) => {
      notes.push(`write ${Buffer.from(text).toString().trimEnd()}`);
      return write(text);
    };
    const record: ReplyRecord = {
      given: note("given"),
      withdrawn: note("withdrawn"),
      taken: note("taken"),
      dropped: note("dropped"),
    };
    const writing = (rest: string): ReplyRecord => ({
      ...record,
      writeTo(pipe, text) {
        notes.push(`to ${pipe}: ${text.trimEnd()}`);
        return Buffer.from(rest);
      },
    });
    return { sink, queue, notes, record, writing };
  }

  test("is given right before its write", async () => {
    const { queue, notes, record } = noting();
    queue.add("a", record);
    await queue.idle();
    queue.add("b");
    await queue.idle();
    expect(notes).toEqual(["given", "write a", "taken", "write b"]);
  });

  test("is withdrawn until the system has taken the rest", async () => {
    const { sink, queue, notes, record } = noting();
    const slow = Promise.withResolvers<number>();
    sink.pending = slow;
    queue.hold();
    queue.add("a", record);
    queue.release();
    expect(notes).toEqual(["given", "write a", "withdrawn"]);
    sink.pending = undefined;
    slow.resolve(1);
    await queue.idle();
    expect(notes).toEqual(["given", "write a", "withdrawn", "taken"]);
  });

  test("writes to a pipe itself where nobody else does, and the rest follows", async () => {
    const { sink, queue, notes, record, writing } = noting();
    queue.add("a", writing(""));
    await queue.idle();
    queue.replaceSink(sink, 7);
    queue.add("b", writing(""));
    await queue.idle();
    queue.add("c", writing("left"));
    await queue.idle();
    queue.add("d", writing(""));
    queue.add("e", record);
    await queue.idle();
    expect(notes).toEqual([
      "given",
      "write a",
      "taken",
      "to 7: b",
      "taken",
      "to 7: c",
      "write left",
      "taken",
      "given",
      "given",
      "write d\ne",
      "taken",
      "taken",
    ]);
  });

  test("is dropped when the reader is gone: at the write, meanwhile, and later", async () => {
    const { sink, queue, notes, record } = noting();
    const slow = Promise.withResolvers<number>();
    sink.pending = slow;
    queue.hold();
    queue.add("a", record);
    queue.release();
    queue.add("b", record);
    slow.reject(new Error("EPIPE"));
    await queue.idle();
    queue.add("c", record);
    expect(notes).toEqual(["given", "write a", "withdrawn", "dropped", "dropped", "dropped"]);
  });

  test("is withdrawn and dropped when the write fails at once", async () => {
    const { sink, queue, notes, record } = noting();
    sink.error = new Error("EPIPE");
    queue.hold();
    queue.add("a", record);
    queue.release();
    await Promise.resolve();
    await queue.idle();
    expect(notes).toEqual(["given", "write a", "withdrawn", "dropped"]);
  });
});
