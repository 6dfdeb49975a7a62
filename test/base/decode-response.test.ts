import { afterAll, describe, expect, test } from "bun:test";
import {
  brotliCompressSync,
  deflateRawSync,
  deflateSync,
  gzipSync,
  zstdCompressSync,
} from "node:zlib";

import { decodeResponse, undecoded } from "../../src/base/decode-response.ts";

const text = Buffer.from("All this is said again and again. ".repeat(5_000));
/** Nothing in it comes again. */
const noise = Buffer.concat(Array.from({ length: 3_000 }, (_, at) => sha256(`${at}`)));
const spaces = Buffer.alloc(32 * 1024 * 1024, 0x20);

function sha256(seed: string): Uint8Array {
  return new Bun.CryptoHasher("sha256").update(seed).digest();
}

interface Sent {
  readonly coding: string;
  readonly body: Uint8Array;
  /** Sent in pieces of this many bytes. */
  readonly piece?: number;
  readonly status?: number;
}

let sent: Sent = { coding: "", body: text };
let asked = "";
const server = Bun.serve({
  port: 0,
  fetch(request) {
    asked = request.headers.get("accept-encoding") ?? "";
    const { coding, body, piece = body.length || 1, status = 200 } = sent;
    const pieces = new ReadableStream<Uint8Array>({
      async start(controller) {
        for (let from = 0; from < body.length; from += piece) {
          controller.enqueue(body.slice(from, from + piece));
          if (piece < body.length) await Bun.sleep(0);
        }
        controller.close();
      },
    });
    return new Response(pieces, { status, headers: { "content-encoding": coding } });
  },
});
afterAll(() => server.stop(true));

async function get(what: Sent, init: RequestInit = {}): Promise<Response> {
  sent = what;
  return decodeResponse(await fetch(server.url, undecoded(init)));
}

const headersOf = ({ headers }: Response): [string, string][] =>
  [...headers].filter(([name]) => name !== "date");
const whole = async (response: Response): Promise<Buffer> => Buffer.from(await response.bytes());

describe("decodeResponse()", () => {
  const same: [string, Sent][] = [
    ["nothing", { coding: "", body: text }],
    ["identity", { coding: "identity", body: text }],
    ["gzip", { coding: "gzip", body: gzipSync(text) }],
    ["gzip of noise", { coding: "gzip", body: gzipSync(noise) }],
    ["gzip, byte for byte", { coding: "gzip", body: gzipSync("few"), piece: 1 }],
    ["gzip in capitals", { coding: "GZIP", body: gzipSync(text) }],
    ["x-gzip", { coding: "x-gzip", body: gzipSync(text) }],
    [
      "gzip of two members",
      { coding: "gzip", body: Buffer.concat([gzipSync(text), gzipSync(text)]) },
    ],
    ["gzip and zeros", { coding: "gzip", body: Buffer.concat([gzipSync(text), Buffer.alloc(9)]) }],
    ["gzip and identity", { coding: "gzip, identity", body: gzipSync(text) }],
    ["deflate", { coding: "deflate", body: deflateSync(text) }],
    ["deflate without its envelope", { coding: "deflate", body: deflateRawSync(text) }],
    ["br", { coding: "br", body: brotliCompressSync(text) }],
    ["br in pieces", { coding: "br", body: brotliCompressSync(noise), piece: 1_000 }],
    ["zstd", { coding: "zstd", body: zstdCompressSync(text) }],
    ["zstd in pieces", { coding: "zstd", body: zstdCompressSync(noise), piece: 1_000 }],
    ["no bytes", { coding: "gzip", body: Buffer.alloc(0) }],
    ["a coding that nobody knows", { coding: "rot13", body: text }],
    ["an error's body", { coding: "gzip", body: gzipSync(text), status: 500 }],
    ["no body", { coding: "gzip", body: Buffer.alloc(0), status: 204 }],
  ];
  test.each(same)("%s: as fetch itself reads it", async (_name, what) => {
    sent = what;
    const own = await fetch(server.url);
    const ownAsked = asked;
    const ours = await get(what);
    expect({ status: ours.status, url: ours.url, headers: headersOf(ours), asked }).toEqual({
      status: own.status,
      url: own.url,
      headers: headersOf(own),
      asked: ownAsked,
    });
    expect(await whole(ours)).toEqual(await whole(own));
  });

  test("several codings are taken off from the last to the first", async () => {
    const body = brotliCompressSync(gzipSync(text));
    expect(await whole(await get({ coding: "gzip, br", body }))).toEqual(text);
  });

  test("more codings than anybody uses stay on", async () => {
    const body = Buffer.from("as it came");
    expect(await whole(await get({ coding: "gzip,gzip,gzip,gzip,gzip", body }))).toEqual(body);
  });

  test("what the caller accepts is asked for", async () => {
    await get({ coding: "", body: text }, { headers: { "Accept-Encoding": "identity" } });
    expect(asked).toBe("identity");
  });

  const broken: [string, Sent][] = [
    ["cut gzip", { coding: "gzip", body: gzipSync(noise).subarray(0, 20_000) }],
    ["cut br", { coding: "br", body: brotliCompressSync(noise).subarray(0, 20_000) }],
    ["cut deflate", { coding: "deflate", body: deflateSync(noise).subarray(0, 20_000) }],
    ["gzip that is none", { coding: "gzip", body: text }],
    ["br that is none", { coding: "br", body: Buffer.alloc(500, 0xff) }],
    ["zstd that is none", { coding: "zstd", body: text }],
  ];
  test.each(broken)("%s is an error", async (_name, what) => {
    const response = await get(what);
    const reading = whole(response);
    expect(
      await reading.then(
        () => "read",
        () => "error",
      ),
    ).toBe("error");
  });

  const bombs: [string, Uint8Array][] = [
    ["gzip", gzipSync(spaces)],
    ["deflate", deflateSync(spaces)],
    ["br", brotliCompressSync(spaces)],
    ["zstd", zstdCompressSync(spaces)],
  ];
  test.each(bombs)("%s gives no more at a time than its reader can count", async (coding, body) => {
    const response = await get({ coding, body });
    const reader = response.body!.getReader();
    let bytes = 0;
    let largest = 0;
    while (bytes < 1024 * 1024) {
      const { value } = await reader.read();
      bytes += value!.length;
      largest = Math.max(largest, value!.length);
    }
    await reader.cancel();
    expect(largest).toBeLessThanOrEqual(128 * 1024);
  });

  test("what is written in pieces is read as it comes", async () => {
    const { readable, writable } = new TransformStream<Uint8Array, Uint8Array>();
    const writer = writable.getWriter();
    const { createGzip, constants } = await import("node:zlib");
    const gzip = createGzip({ flush: constants.Z_SYNC_FLUSH });
    gzip.on("data", (chunk: Uint8Array) => void writer.write(chunk));
    const headers = { "content-encoding": "gzip" };
    const reader = decodeResponse(new Response(readable, { headers })).body!.getReader();
    const decoder = new TextDecoder();
    for (const event of ["data: 1\n\n", "data: 2\n\n"]) {
      gzip.write(event);
      expect(decoder.decode((await reader.read()).value)).toBe(event);
    }
    await reader.cancel();
  });
});
