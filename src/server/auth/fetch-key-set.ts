import { stat } from "node:fs/promises";
import { fileURLToPath } from "node:url";

import { decodeResponse, undecoded } from "../../base/decode-response.ts";
import { systemCodeOf } from "../../base/errors.ts";
import { keySetBytesMax } from "../../base/limits.ts";

/**
 * Gets the JSON of a key set, within `keySetBytesMax` and `timeoutMs`, and follows no redirect: the keys come from
 * the address that the operator wrote.
 * @param url of `parseKeySetUrl`
 * @throws Error whose message completes "Cannot fetch signing keys from …: "
 */
export async function fetchKeySet(url: URL, timeoutMs: number): Promise<unknown> {
  const bytes = await readBytes(url, timeoutMs);
  try {
    return JSON.parse(new TextDecoder("utf-8", { fatal: true }).decode(bytes));
  } catch {
    throw new Error("the document is not JSON");
  }
}

async function readBytes(url: URL, timeoutMs: number): Promise<Uint8Array> {
  try {
    return url.protocol === "file:" ? await readFile(url) : await download(url, timeoutMs);
  } catch (error) {
    if (error instanceof DOMException && error.name === "TimeoutError")
      throw new Error(`no answer within ${timeoutMs} ms`, { cause: error });
    const code = systemCodeOf(error);
    if (code === undefined) throw error;
    throw new Error(`it cannot be reached (${code})`, { cause: error });
  }
}

/** Only regular files: opening a FIFO would wait for its writer. */
async function readFile(url: URL): Promise<Uint8Array> {
  const path = fileURLToPath(url);
  const stats = await stat(path);
  if (!stats.isFile()) throw new Error("it is not a regular file");
  if (stats.size > keySetBytesMax) throw new Error(tooLarge);
  return Bun.file(path).bytes();
}

const tooLarge = `it is larger than ${keySetBytesMax} bytes`;

async function download(url: URL, timeoutMs: number): Promise<Uint8Array> {
  const init: RequestInit = {
    redirect: "manual",
    // To this machine, in the clear: not by way of a proxy that the environment names.
    ...(url.protocol === "http:" && { proxy: false as const }),
    signal: AbortSignal.timeout(timeoutMs),
    headers: { accept: "application/jwk-set+json, application/json" },
  };
  return readBody(decodeResponse(await fetch(url, undecoded(init))));
}

async function readBody(response: Response): Promise<Uint8Array> {
  if (response.status !== 200) {
    await response.body?.cancel();
    const hint =
      response.status >= 300 && response.status < 400 ? "; redirects are not followed" : "";
    throw new Error(`the answer has status ${response.status}${hint}`);
  }
  const chunks: Uint8Array[] = [];
  let bytes = 0;
  // Leaving the loop cancels the rest of the body, decompressed or not.
  for await (const chunk of response.body ?? []) {
    bytes += chunk.length;
    if (bytes > keySetBytesMax) throw new Error(tooLarge);
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}
