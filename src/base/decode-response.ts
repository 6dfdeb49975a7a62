import {
  constants,
  createBrotliDecompress,
  createGunzip,
  createInflate,
  createInflateRaw,
  createZstdDecompress,
} from "node:zlib";
import type { Transform } from "node:stream";
import type { ReadableStreamDefaultReader } from "node:stream/web";

import { contentCodingsMax } from "./limits.ts";

/** Bytes that come out of a decoder at a time. */
const chunkSize = 64 * 1024;
/** 8 MiB: what RFC 9659 allows over HTTP. The format itself would have a reader hold gigabytes. */
const zstdWindowLog = 23;

/** The encodings that Bun itself accepts. */
const usual = "gzip, deflate, br, zstd";

const decoders: Readonly<Record<string, (first: number) => Transform>> = {
  gzip: () => createGunzip({ chunkSize }),
  "x-gzip": () => createGunzip({ chunkSize }),
  // Some send it without the envelope that it should have; browsers read that too.
  deflate: (first) =>
    (first & 0x0f) === 8 ? createInflate({ chunkSize }) : createInflateRaw({ chunkSize }),
  br: () => createBrotliDecompress({ chunkSize }),
  zstd: () =>
    createZstdDecompress({
      chunkSize,
      params: { [constants.ZSTD_d_windowLogMax]: zstdWindowLog },
    }),
};

/**
 * Options of `fetch` for a response that `decodeResponse` decodes. Bun's own decoder unpacks each chunk at once before anybody
 * can count it: two kilobytes can be two gigabytes.
 */
export function undecoded(init: RequestInit): RequestInit & { decompress: false } {
  const headers = new Headers(init.headers);
  if (headers.has("accept-encoding")) return { ...init, decompress: false };
  // An object keeps its order and its capitals, by which some servers know browsers.
  const said = isPlain(init.headers) ? init.headers : headers.toJSON();
  return { ...init, headers: { ...said, "Accept-Encoding": usual }, decompress: false };
}

function isPlain(headers: RequestInit["headers"]): headers is Record<string, string> {
  return headers !== undefined && !(headers instanceof Headers) && !Array.isArray(headers);
}

/** A response with its body decoded only as far as it is read: the reader measures it, and stops when it likes. */
export function decodeResponse(response: Response): Response {
  const { body, status, statusText, headers } = response;
  if (body === null) return response;
  const codings = codingsOf(headers.get("content-encoding") ?? "");
  if (codings.length === 0) return response;
  let decoded: ReadableStream<Uint8Array> = body;
  for (const coding of codings.toReversed()) decoded = decode(decoded, coding);
  const whole = new Response(decoded, { status, statusText, headers });
  Object.defineProperty(whole, "url", { value: response.url });
  return whole;
}

/** In the order in which they were applied; none when there is one that we do not know, and the body stays as it came. */
function codingsOf(header: string): (keyof typeof decoders)[] {
  const names = header
    .split(",")
    .map((name) => name.trim().toLowerCase())
    .filter((name) => name !== "" && name !== "identity");
  const isReadable = names.length <= contentCodingsMax && names.every((name) => name in decoders);
  return isReadable ? names : [];
}

function decode(body: ReadableStream<Uint8Array>, coding: string): ReadableStream<Uint8Array> {
  const reader = body.getReader();
  let chunks: AsyncIterator<Uint8Array> | undefined;
  let decoder: Transform | undefined;
  const open = async (): Promise<AsyncIterator<Uint8Array> | undefined> => {
    const first = await firstBytes(reader);
    if (first === undefined) return undefined;
    decoder = decoders[coding]!(first[0]!);
    void feed(decoder, first, reader);
    return decoder[Symbol.asyncIterator]() as AsyncIterator<Uint8Array>;
  };
  return new ReadableStream<Uint8Array>(
    {
      async pull(controller) {
        chunks ??= await open();
        const next = await chunks?.next();
        if (next === undefined || next.done === true) controller.close();
        else controller.enqueue(next.value);
      },
      async cancel(reason) {
        decoder?.destroy();
        await reader.cancel(reason);
      },
    },
    { highWaterMark: 0 },
  );
}

/** The first bytes of a body; an empty body needs no decoding. */
async function firstBytes(
  reader: ReadableStreamDefaultReader<Uint8Array>,
): Promise<Uint8Array | undefined> {
  for (;;) {
    const { done, value } = await reader.read();
    if (done) return undefined;
    if (value.length > 0) return value;
  }
}

/** Gives a decoder what comes, as fast as somebody takes what it makes of it. */
async function feed(
  decoder: Transform,
  first: Uint8Array,
  reader: ReadableStreamDefaultReader<Uint8Array>,
): Promise<void> {
  try {
    let chunk: Uint8Array | undefined = first;
    while (chunk !== undefined && !decoder.destroyed) {
      if (!decoder.write(chunk)) await drained(decoder);
      chunk = (await reader.read()).value;
    }
    decoder.end();
  } catch (error) {
    decoder.destroy(error instanceof Error ? error : new Error(String(error)));
  } finally {
    // Nobody waits for bytes behind the end of the coded text, or for bytes that cannot be decoded.
    if (decoder.destroyed) void reader.cancel().catch(() => {});
  }
}

function drained(decoder: Transform): Promise<void> {
  return new Promise((resolve) => {
    decoder.once("drain", resolve);
    decoder.once("close", resolve);
  });
}
