import { expect, test } from "bun:test";
import { PassThrough } from "node:stream";
import fc from "fast-check";

import { PipeTransport } from "../../../src/web/browser/browser-process.ts";

interface Ends {
  readonly transport: PipeTransport;
  readonly toBrowser: PassThrough;
  readonly fromBrowser: PassThrough;
  readonly messages: string[];
  /** How often `onclose` was called. */
  closed: number;
}

function open(): Ends {
  const toBrowser = new PassThrough();
  const fromBrowser = new PassThrough();
  const transport = new PipeTransport(toBrowser, fromBrowser);
  const ends: Ends = { transport, toBrowser, fromBrowser, messages: [], closed: 0 };
  transport.onmessage = (message) => void ends.messages.push(message);
  transport.onclose = () => void ends.closed++;
  return ends;
}

/** Asynchronous, which the type of a handler does not say. */
const readLikeLibrary: (text: string) => unknown = async (text) => JSON.parse(text);

/** All that was written and not read. */
function readAll(stream: PassThrough): string {
  const part: Buffer | null = stream.read();
  return part === null ? "" : part.toString() + readAll(stream);
}

test("PipeTransport gives whole messages, however they are cut", () => {
  const message = fc.string({ unit: "grapheme" }).map((text) => text.replaceAll("\0", ""));
  fc.assert(
    fc.property(fc.array(message), fc.array(fc.nat({ max: 12 })), (messages, sizes) => {
      const { fromBrowser, messages: got } = open();
      const bytes = Buffer.from(messages.map((text) => `${text}\0`).join(""));
      let start = 0;
      for (const size of sizes) {
        fromBrowser.emit("data", bytes.subarray(start, start + size));
        start += size;
      }
      fromBrowser.emit("data", bytes.subarray(start));
      expect(got).toEqual(messages);
    }),
  );
});

test("PipeTransport ends each message that is sent, and sends none when it is closed", () => {
  const { transport, toBrowser } = open();
  transport.send('{"id":1}');
  transport.send("ü");
  expect(readAll(toBrowser)).toBe('{"id":1}\0ü\0');
  transport.close();
  transport.send("late");
  expect(readAll(toBrowser)).toBe("");
});

test.each([
  ["our side closes", (ends: Ends) => ends.transport.close()],
  ["the browser's side fails", (ends: Ends) => ends.fromBrowser.destroy(new Error("EPIPE"))],
  [
    "what came cannot be read",
    (ends: Ends) => {
      ends.transport.onmessage = readLikeLibrary;
      ends.fromBrowser.emit("data", Buffer.from("nonsense\0"));
    },
  ],
  ["the way to it fails", (ends: Ends) => ends.toBrowser.destroy(new Error("EPIPE"))],
])("PipeTransport tells the end once when %s", async (_name, end) => {
  const ends = open();
  end(ends);
  await new Promise(setImmediate);
  ends.transport.close();
  expect(ends.closed).toBe(1);
});
