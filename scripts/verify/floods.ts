/**
 * What small inputs cost that make much of themselves: the most memory that the server process held, and the time of
 * pings meanwhile. Each flood has a server of its own, five times.
 *
 *     bun run verify --only floods
 */
import { readFileSync } from "node:fs";
import { brotliCompressSync, constants, createZstdCompress, gzipSync } from "node:zlib";

import { HttpServer } from "../../test/e2e/harness/http-server.ts";
import { Server } from "../../test/e2e/harness/server.ts";
import { quantile } from "../bench/stats.ts";
import type { Outcome } from "./outcome.ts";

const runsDefault = 5;
const floodMbMax = 250;
const pagesMbMax = 600;
const pingMsMax = 100;
const pingEveryMs = 10;
const mib = 1024 * 1024;
const bombBytes = 1024 * mib;
const longBytes = 15 * mib;
const bodies = 40;

/** What one run showed. */
interface Seen {
  readonly mb: number;
  readonly pings: readonly number[];
}

interface Flood {
  readonly name: string;
  readonly mbMax: number;
  /** Absent where the pings come in by the same way as the flood, or from the process that makes it. */
  readonly pingMsMax?: number;
  readonly run: () => Promise<Seen>;
}

/** A page that is served as it stands here. */
interface Page {
  readonly type: string;
  readonly coding: "br" | "gzip" | "zstd";
  readonly body: Uint8Array;
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

/** Each flood of one page, read once and eight times at once; no two have the same address, or they would be shared. */
function pageFloods(name: string, page: Page): Flood[] {
  return [1, 8].map((count) => ({
    name: `${name}, ${count} at once`,
    mbMax: count === 1 ? floodMbMax : pagesMbMax,
    pingMsMax,
    run: () => readPages(page, count),
  }));
}

async function readPages({ type, coding, body }: Page, count: number): Promise<Seen> {
  const headers = { "content-type": type, "content-encoding": coding };
  using site = Bun.serve({
    port: 0,
    hostname: "127.0.0.1",
    fetch: () => new Response(body, { headers }),
  });
  await using server = new Server({ env: { SCORPIOX_READDOCS_ALLOW_HOSTS: "127.0.0.1" } });
  await server.initialize();
  return await watch(server.pid, pinging(server), () =>
    Promise.all(
      Array.from({ length: count }, (_, at) => {
        const params = { name: "ReadDocs", arguments: { url: `${site.url.origin}/${at}` } };
        return server.request("tools/call", params, 120_000);
      }),
    ),
  );
}

async function writeLine(): Promise<Seen> {
  await using server = new Server();
  await server.initialize();
  const lists = "[],".repeat(longBytes / 3);
  return await watch(server.pid, pinging(server), () => {
    server.write(`{"jsonrpc":"2.0","method":"notifications/x","params":{"a":[${lists}0]}}\n`);
    return server.request("ping", undefined, 60_000);
  });
}

async function postBodies(content: string): Promise<Seen> {
  await using server = await HttpServer.start({ tokens: ["flooding flooding-0123456789abcdef"] });
  const headers = {
    authorization: "Bearer flooding-0123456789abcdef",
    "content-type": "application/json",
    accept: "application/json, text/event-stream",
  };
  const post = async (body: string): Promise<void> => {
    const response = await fetch(server.url, { method: "POST", headers, body }).catch(() => null);
    await response?.text().catch(() => "");
  };
  const call = { jsonrpc: "2.0", id: 1, method: "ping" };
  const body = JSON.stringify({ ...call, params: { a: "?" } }).replace('"?"', content);
  return await watch(
    server.pid,
    () => post(JSON.stringify(call)),
    () => Promise.all(Array.from({ length: bodies }, () => post(body))),
  );
}

const pinging = (server: Server) => async (): Promise<void> => {
  await server.request("ping", undefined, 60_000);
};

/** Runs `flood` and pings meanwhile. */
async function watch(
  pid: number,
  ping: () => Promise<void>,
  flood: () => Promise<unknown>,
): Promise<Seen> {
  const pings: number[] = [];
  const flooding = flood().then(() => true);
  const pause = (): Promise<boolean> => Bun.sleep(pingEveryMs).then(() => false);
  do {
    const from = performance.now();
    await ping();
    pings.push(performance.now() - from);
  } while (!(await Promise.race([flooding, pause()])));
  return { mb: peakMb(pid), pings };
}

/** The most that the process has had in memory. */
function peakMb(pid: number): number {
  const kilobytes = /VmHWM:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, "utf8"))?.[1];
  return Number(kilobytes) / 1024;
}

export async function checkFloods(runs = runsDefault): Promise<Outcome> {
  const floods: Flood[] = [
    ...pageFloods("1 GiB of blanks as brotli", brotliBomb()),
    ...pageFloods("1 GiB of blanks as zstd", await zstdBomb()),
    ...pageFloods("10 MB of JSON in small objects", jsonPage()),
    ...pageFloods("<br> a million times", html("<br>".repeat(1_000_000))),
    ...pageFloods("<dl> a hundred thousand times", html("<dl>".repeat(100_000))),
    { name: "a line of 15 MB of empty lists", mbMax: floodMbMax, run: writeLine },
    {
      name: `${bodies} bodies of 15 MB of empty lists`,
      mbMax: floodMbMax,
      run: () => postBodies(`[${"[],".repeat(longBytes / 3)}0]`),
    },
  ];
  const details: (readonly [string, string, string])[] = [];
  const faults: string[] = [];
  for (const flood of floods) {
    const seen: Seen[] = [];
    for (let run = 0; run < runs; run++) seen.push(await flood.run());
    const mb = quantile(
      seen.map((one) => one.mb),
      0.5,
    );
    const pingMs = quantile(
      seen.flatMap((one) => one.pings),
      0.95,
    );
    const figure = `${mb.toFixed(0)} MB, at most ${flood.mbMax}; ping p95 ${pingMs.toFixed(1)} ms`;
    const isFine = mb <= flood.mbMax && pingMs <= (flood.pingMsMax ?? Number.POSITIVE_INFINITY);
    details.push([flood.name, isFine ? "pass" : "FAIL", figure]);
    if (!isFine) faults.push(`${flood.name}: ${figure}`);
  }
  const figures = `${floods.length} floods, median of ${runs} peaks each; ping p95 of pages at most ${pingMsMax} ms`;
  return { name: "floods", passed: faults.length === 0, figures, faults, details };
}
