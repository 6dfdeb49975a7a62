import { charsetOf, decodeText } from "../pages/charset.ts";
import { answerBytesMax } from "./search-limits.ts";

/** The decoded body; undefined when it is too large: the rest of it is not read. */
export async function readAnswerText(response: Response): Promise<string | undefined> {
  const bytes = await readBytes(response);
  if (bytes === undefined) return undefined;
  return decodeText(bytes, charsetOf(response.headers.get("content-type") ?? ""), false);
}

async function readBytes(response: Response): Promise<Uint8Array | undefined> {
  if (response.body === null) return new Uint8Array();
  const chunks: Uint8Array[] = [];
  let length = 0;
  // Leaving the loop early cancels the stream, which closes the connection.
  for await (const chunk of response.body as ReadableStream<Uint8Array>) {
    length += chunk.byteLength;
    if (length > answerBytesMax) return undefined;
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}
