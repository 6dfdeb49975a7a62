import { describe, expect, test } from "bun:test";

import { readDecoderReply } from "../../../../src/tools/images/decode/decoder-reply.ts";
import { samplePng } from "../sample-images.ts";

const png = samplePng();
const good = {
  ok: true,
  bytes: png.length,
  mimeType: "image/png",
  width: 6,
  height: 4,
  changes: ["rendered"],
};
const bad = { ok: false, code: "usage", message: "It is damaged." };
const outputOf = (reply: unknown, image: Uint8Array = new Uint8Array()): Uint8Array =>
  Buffer.concat([Buffer.from(`${JSON.stringify(reply)}\n`), image]);

describe("readDecoderReply()", () => {
  test("takes a picture and a failure", () => {
    expect(readDecoderReply(outputOf(good, png))?.reply).toEqual(good as never);
    expect(readDecoderReply(outputOf(bad))?.reply).toEqual(bad as never);
  });

  test.each([
    ["nothing", Buffer.alloc(0)],
    ["a crash report", Buffer.from("panic: out of memory\nat decode\n")],
    ["null", outputOf(null)],
    ["half a picture", outputOf(good, png.subarray(0, 40))],
    ["bytes that are no picture", outputOf({ ...good, bytes: 3 }, Buffer.from("abc"))],
    ["another type than the bytes have", outputOf({ ...good, mimeType: "text/html" }, png)],
    ["a size beyond all bounds", outputOf({ ...good, width: 1e9 }, png)],
    ["no list of changes", outputOf({ ...good, changes: "rendered" }, png)],
    ["changes that are no text", outputOf({ ...good, changes: [{}] }, png)],
    ["a remark of a megabyte", outputOf({ ...good, changes: ["a".repeat(1e6)] }, png)],
    ["a failure without a message", outputOf({ ok: false, code: "usage" })],
    ["a failure of an unknown kind", outputOf({ ...bad, code: "hm" })],
  ])("believes no %s", (_what, output) => {
    expect(readDecoderReply(output)).toBeUndefined();
  });
});
