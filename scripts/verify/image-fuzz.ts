/** Damaged images: each is shown or refused, the server lives, and its memory stays where it was. */
import { writeFileSync } from "node:fs";

import { residentBytes } from "../../test/e2e/harness/processes.ts";
import { Server } from "../../test/e2e/harness/server.ts";
import { damagedImages } from "../../test/tools/images/damaged-images.ts";
import { type Outcome, seconds } from "./outcome.ts";

const filesAtOnce = 4;
const replyMsMax = 30_000;
const growthBytesMax = 40_000_000;

export async function checkImageFuzz(count: number): Promise<Outcome> {
  const seed = Math.floor(Math.random() * 1e9);
  const images = await damagedImages(count, seed);
  await using server = new Server();
  await server.initialize();
  const faults: string[] = [];
  const ends = { shown: 0, refused: 0 };
  let slowestMs = 0;
  let warmBytes = 0;
  for (let from = 0; from < images.length; from += filesAtOnce) {
    const calls = images.slice(from, from + filesAtOnce).map(async (bytes, offset) => {
      const path = server.home.at(`image-${from + offset}`);
      writeFileSync(path, bytes);
      const startedAt = performance.now();
      const reply = await server.reply(
        server.start("tools/call", { name: "ReadImage", arguments: { file_path: path } }),
        replyMsMax,
      );
      slowestMs = Math.max(slowestMs, performance.now() - startedAt);
      const end = endOf(reply.result);
      if (end === undefined)
        faults.push(`file ${from + offset}: ${JSON.stringify(reply).slice(0, 200)}`);
      else ends[end]++;
    });
    await Promise.all(calls);
    // The first tenth starts Workers and fills caches.
    if (from <= images.length / 10) warmBytes = residentBytes(server.pid);
  }
  const growth = residentBytes(server.pid) - warmBytes;
  if (growth > growthBytesMax) faults.push(`memory grew by ${(growth / 1e6).toFixed(0)} MB`);
  const figures =
    `${images.length} files, seed ${seed}: ${ends.shown} shown, ${ends.refused} refused, slowest ${seconds(slowestMs)}; ` +
    `resident memory ${(warmBytes / 1e6).toFixed(0)} MB after a tenth, ${((warmBytes + growth) / 1e6).toFixed(0)} MB at the end`;
  return { name: "damaged images", passed: faults.length === 0, figures, faults };
}

/** What became of a file; undefined for a reply that is neither an image nor an error of the tool. */
function endOf(
  result: Readonly<Record<string, unknown>> | undefined,
): "shown" | "refused" | undefined {
  if (result === undefined || !Array.isArray(result["content"])) return undefined;
  const content = result["content"] as { type: string; text?: string }[];
  if (result["isError"] === true) {
    const text = content[0]?.text ?? "";
    return /Worker was lost|failed:/.test(text) ? undefined : "refused";
  }
  return content.some(({ type }) => type === "image") ? "shown" : undefined;
}
