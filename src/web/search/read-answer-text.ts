import { answerBytesMax } from "./search-limits.ts";

/** Bytes in which a page says its character set (HTML standard, "prescan"). */
const prescanBytes = 1024;

/** The decoded body; undefined when it is too large: what was left of it is not read. */
export async function readAnswerText(response: Response): Promise<string | undefined> {
  const bytes = await readBytes(response);
  if (bytes === undefined) return undefined;
  const label = charsetOf(response.headers.get("content-type") ?? "") ?? statedCharset(bytes);
  return decoderFor(label).decode(bytes);
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

function charsetOf(contentType: string): string | undefined {
  return /;\s*charset\s*=\s*["']?([^\s;"']+)/i.exec(contentType)?.[1];
}

function statedCharset(bytes: Uint8Array): string | undefined {
  const start = new TextDecoder("latin1").decode(bytes.subarray(0, prescanBytes));
  return /<(?:meta|\?xml)[^>]*?(?:charset|encoding)\s*=\s*["']?([\w:.-]+)/i.exec(start)?.[1];
}

/** A byte order mark overrides what is said, as in browsers; an unknown name is UTF-8. */
function decoderFor(label = "utf-8"): TextDecoder {
  try {
    return new TextDecoder(label as Bun.Encoding);
  } catch {
    return new TextDecoder();
  }
}
