import { brotliCompressSync, constants, createZstdCompress, gzipSync } from "node:zlib";

import { Server } from "../../../test/e2e/harness/server.ts";
import { TempFolder } from "../../../test/e2e/harness/temp-folder.ts";
import { type Flood, floodMbMax, mib, pagesMbMax, type Seen } from "./flood.ts";
import { watchStdio } from "./watch.ts";

const bombBytes = 1024 * mib;
const readMsMax = 120_000;

/** A page that is served as it stands here. */
interface Page {
  readonly type: string;
  readonly coding: "br" | "gzip" | "zstd";
  readonly body: Uint8Array;
}

export async function pageFloods(): Promise<Flood[]> {
  return [
    ...onceAndEight("1 GiB of blanks as brotli", brotliBomb()),
    ...onceAndEight("1 GiB of blanks as zstd", await zstdBomb()),
    ...onceAndEight("10 MB of JSON in small objects", jsonPage()),
    ...onceAndEight("`<br>` a million times", html("<br>".repeat(1_000_000))),
    ...onceAndEight("`<dl>` a hundred thousand times", html("<dl>".repeat(100_000))),
  ];
}

/** No two have the same address, or they would be shared. */
function onceAndEight(name: string, page: Page): Flood[] {
  return [1, 8].map((count) => ({
    name: `${name}, ${count === 1 ? "one page" : `${count} pages at once`}`,
    mbMax: count === 1 ? floodMbMax : pagesMbMax,
    run: () => readPages(page, count),
  }));
}

async function readPages({ type, coding, body }: Page, count: number): Promise<Seen> {
  using folder = new TempFolder();
  const file = folder.at("body");
  await Bun.write(file, body);
  const command = ["site", type, coding, file];
  const site = Bun.spawn([process.execPath, `${import.meta.dir}/flooder.ts`, ...command], {
    stdout: "pipe",
  });
  try {
    const { value } = await site.stdout.getReader().read();
    const origin = new TextDecoder().decode(value).trim();
    await using server = new Server({ env: { SCORPIOX_READDOCS_ALLOW_HOSTS: "127.0.0.1" } });
    await server.initialize();
    return await watchStdio(server, () =>
      Promise.all(
        Array.from({ length: count }, (_, at) => {
          const params = { name: "ReadDocs", arguments: { url: `${origin}/${at}` } };
          return server.request("tools/call", params, readMsMax);
        }),
      ),
    );
  } finally {
    site.kill();
  }
}

const html = (text: string): Page => ({
  type: "text/html",
  coding: "gzip",
  body: gzipSync(`<title>Flood</title><p>Text.</p>${text}`),
});

function brotliBomb(): Page {
  const params = { [constants.BROTLI_PARAM_QUALITY]: 1 };
  const body = brotliCompressSync(Buffer.alloc(bombBytes, " "), { params });
  return { type: "text/html", coding: "br", body };
}

/** In pieces, as a stream: the frame then does not say how long it is. */
async function zstdBomb(): Promise<Page> {
  const stream = createZstdCompress();
  const chunks: Uint8Array[] = [];
  stream.on("data", (chunk: Uint8Array) => chunks.push(chunk));
  const piece = Buffer.alloc(mib, " ");
  for (let sent = 0; sent < bombBytes; sent += piece.length) {
    if (!stream.write(piece)) await new Promise((resolve) => stream.once("drain", resolve));
  }
  stream.end();
  await new Promise((resolve) => stream.once("end", resolve));
  return { type: "text/html", coding: "zstd", body: Buffer.concat(chunks) };
}

function jsonPage(): Page {
  const text = `[${'{"a":1},'.repeat((10 * mib) / 8 - 10)}0]`;
  return { type: "application/json", coding: "gzip", body: gzipSync(text) };
}
