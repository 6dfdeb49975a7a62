import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from "bun:test";
import { readFileSync, writeFileSync } from "node:fs";
import { pathToFileURL } from "node:url";

import { writePng } from "../../src/tools/images/decode/reduce-pixels.ts";
import { damagedImages } from "../tools/images/damaged-images.ts";
import { readPng } from "../tools/images/read-png.ts";
import {
  fields,
  noise,
  sampleAvif,
  sampleBmp,
  sampleGif,
  samplePng,
  sampleTiff,
} from "../tools/images/sample-images.ts";
import { eventually } from "./harness/conditions.ts";
import { textOf } from "./harness/messages.ts";
import { testMsMax } from "./harness/platform.ts";
import { processesWith, residentBytes } from "./harness/processes.ts";
import { Server, type ServerMessage } from "./harness/server.ts";
import { isLongRun } from "../fixtures/long-run.ts";

setDefaultTimeout(testMsMax);

async function startServer(): Promise<Server> {
  const server = new Server();
  await server.initialize();
  return server;
}

/** Of tests that look at their own files alone. */
let shared: Server;
beforeAll(async () => {
  shared = await startServer();
});
afterAll(() => shared[Symbol.asyncDispose]());

interface ImageBlock {
  readonly type: string;
  readonly data: string;
  readonly mimeType: string;
}

const imageOf = (reply: ServerMessage): ImageBlock | undefined =>
  (reply.result?.["content"] as ImageBlock[] | undefined)?.find(({ type }) => type === "image");

const jpeg = await new Bun.Image(samplePng(60, 40)).jpeg().bytes();
const webp = await new Bun.Image(samplePng(60, 40)).webp({ quality: 80 }).bytes();

describe("[images.untouched]", () => {
  test.each([
    ["PNG", "image/png", samplePng(60, 40), "60 × 40"],
    ["JPEG", "image/jpeg", jpeg, "60 × 40"],
    ["WebP", "image/webp", webp, "60 × 40"],
    ["GIF", "image/gif", sampleGif(20, 10, 3), "20 × 10"],
  ])("%s arrives as it is, whatever its name", async (format, mimeType, bytes, size) => {
    const path = shared.home.at(`${format}.txt`);
    writeFileSync(path, bytes);
    const reply = await shared.call("ReadImage", { file_path: path });
    expect(imageOf(reply)).toMatchObject({ mimeType, data: Buffer.from(bytes).toString("base64") });
    expect(textOf(reply)).toStartWith(`${path}: ${format} image, ${size} px,`);
    expect(textOf(reply)).toContain("unchanged");
  });
});

describe("[images.converted]", () => {
  test("BMP, TIFF and AVIF arrive as PNG", async () => {
    const files = [sampleBmp(fields(6, 4)), await sampleTiff(), await sampleAvif()];
    for (const [index, bytes] of files.entries()) {
      writeFileSync(shared.home.at(`${index}`), bytes);
      const reply = await shared.call("ReadImage", { file_path: shared.home.at(`${index}`) });
      expect([imageOf(reply)?.mimeType, textOf(reply)]).toEqual([
        "image/png",
        expect.stringContaining("converted to PNG"),
      ]);
    }
  });

  test("a larger image is scaled down to 1568 px and 700 kB", async () => {
    const path = shared.home.at("large.png");
    writeFileSync(path, writePng(noise(1_600, 250)));
    const reply = await shared.call("ReadImage", { file_path: path });
    const bytes = Buffer.from(imageOf(reply)?.data ?? "", "base64");
    expect(bytes.length).toBeLessThanOrEqual(700_000);
    expect(textOf(reply)).toContain("scaled down from 1600 × 250");
  });
});

test("[images.refused] what is no image is named, and nothing of it is shown", async () => {
  const reply = await shared.call("ReadImage", { file_path: "/etc/passwd" });
  expect(reply.result?.["isError"]).toBe(true);
  expect(textOf(reply)).toContain("its content is text");
  expect(textOf(reply)).not.toContain("root:");
});

test("[images.damaged] a PNG that clients could not read is refused, whatever its structure", async () => {
  const path = shared.home.at("a\nb.png");
  const unsound = Buffer.from(samplePng(60, 40));
  const at = unsound.indexOf("IDAT") + 20;
  unsound[at] = (unsound[at] ?? 0) ^ 1;
  writeFileSync(path, unsound);
  const reply = await shared.call("ReadImage", { file_path: path });
  expect(imageOf(reply)).toBeUndefined();
  expect(textOf(reply)).toContain("the checksum of its IDAT chunk is wrong");
  expect(textOf(reply)).toContain(String.raw`a\u{a}b.png`);
});

test("[images.bomb] a header of 900 megapixels is enough to refuse", async () => {
  const bomb = Buffer.from(samplePng());
  bomb.writeUInt32BE(30_000, 16);
  bomb.writeUInt32BE(30_000, 20);
  writeFileSync(shared.home.at("bomb.png"), bomb);
  const reply = await shared.call("ReadImage", { file_path: shared.home.at("bomb.png") });
  expect([reply.result?.["isError"], textOf(reply)]).toEqual([
    true,
    expect.stringContaining("the limit is 100 megapixels"),
  ]);
});

test("[images.relative] paths are those of the workspace", async () => {
  writeFileSync(shared.home.at("here.png"), samplePng());
  const url = pathToFileURL(shared.home.at("here.png")).href;
  for (const path of ["here.png", "./here.png", url]) {
    const data = imageOf(await shared.call("ReadImage", { file_path: path }))?.data ?? "";
    expect(readPng(Buffer.from(data, "base64"))).toEqual(
      readPng(readFileSync(shared.home.at("here.png"))),
    );
  }
});

test("[images.damaged] damaged files are shown or refused", async () => {
  await using server = await startServer();
  const images = await damagedImages(isLongRun ? 26 : 12, 20_261_121);
  const ends = new Set<unknown>();
  for (const [index, bytes] of images.entries()) {
    writeFileSync(server.home.at(`${index}`), bytes);
    const reply = await server.call("ReadImage", { file_path: server.home.at(`${index}`) });
    const isImage = imageOf(reply) !== undefined;
    expect(reply.result?.["isError"]).toBe(!isImage);
    ends.add(isImage);
  }
  expect(ends.size).toBe(2);
  expect(residentBytes(server.pid)).toBeLessThan(250_000_000);
});

/** A picture that takes long to decode, and nothing to make; `edge` is a multiple of four. */
function blankBmp(edge: number): Uint8Array {
  const file = Buffer.alloc(54 + edge * edge * 3);
  file.set(sampleBmp(fields(1, 1)).subarray(0, 54));
  file.writeUInt32LE(file.length, 2);
  file.writeInt32LE(edge, 18);
  file.writeInt32LE(edge, 22);
  return file;
}

test("[images.cancelled] a cancelled call leaves no decoder behind", async () => {
  const path = shared.home.at(`cancelled-${shared.pid}.png`);
  writeFileSync(path, blankBmp(4_000));
  const id = shared.start("tools/call", { name: "ReadImage", arguments: { file_path: path } });
  await eventually("a decoder", () => processesWith(path).length > 0);
  shared.notify("notifications/cancelled", { requestId: id });
  await eventually("its end", () => processesWith(path).length === 0);
  expect((await shared.request("ping")).result).toEqual({});
});
