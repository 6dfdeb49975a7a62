import type { AppErrorCode } from "../../base/errors.ts";

/**
 * What the decoding process writes: one line of JSON, then the bytes of the image. Both of its outputs are one pipe, so that
 * anything else on it (a crash report) makes the line unreadable, which is a failure too.
 */
export type DecoderReply =
  | {
      readonly ok: true;
      readonly bytes: number;
      readonly mimeType: string;
      readonly width: number;
      readonly height: number;
      readonly changes: readonly string[];
    }
  | { readonly ok: false; readonly code: AppErrorCode; readonly message: string };

const lineFeed = 0x0a;

/** The reply and the bytes after it; undefined when it is not whole. */
export function readDecoderReply(
  output: Uint8Array,
): { readonly reply: DecoderReply; readonly image: Uint8Array } | undefined {
  const end = output.indexOf(lineFeed);
  if (end === -1) return undefined;
  try {
    const reply = JSON.parse(new TextDecoder().decode(output.subarray(0, end))) as DecoderReply;
    const image = output.subarray(end + 1);
    return reply.ok && reply.bytes !== image.length ? undefined : { reply, image };
  } catch {
    return undefined;
  }
}

export function encodeDecoderReply(reply: DecoderReply): Uint8Array {
  return new TextEncoder().encode(`${JSON.stringify(reply)}\n`);
}
