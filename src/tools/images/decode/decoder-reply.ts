import type { AppErrorCode } from "../../../base/errors.ts";
import { detectImageFormat, imageLongEdgeMax, isPassedOn, passedOnTypes } from "../image-format.ts";

/**
 * The output of the decoding process: one line of JSON, then the bytes of the image. Both of its outputs are one pipe, so that
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

/** The failures of decoding; any other code in a reply did not come from this program. */
const failureCodes: readonly AppErrorCode[] = [
  "usage",
  "not_found",
  "limit",
  "refused",
  "system",
  "unsupported",
];
/** Characters of a message or a remark: a path of the longest kind and a sentence. */
const textCharsMax = 6_000;

/**
 * The reply and the bytes after it; undefined when it is not whole. Nothing in it is trusted: the process that decoded a hostile
 * file may be under its control.
 */
export function readDecoderReply(
  output: Uint8Array,
): { readonly reply: DecoderReply; readonly image: Uint8Array } | undefined {
  const end = output.indexOf(lineFeed);
  if (end === -1) return undefined;
  const image = output.subarray(end + 1);
  const reply = checkedReply(parsed(output.subarray(0, end)), image);
  return reply === undefined ? undefined : { reply, image };
}

function parsed(line: Uint8Array): Readonly<Record<string, unknown>> {
  try {
    const value: unknown = JSON.parse(new TextDecoder().decode(line));
    return typeof value === "object" && value !== null ? { ...value } : {};
  } catch {
    return {};
  }
}

function checkedReply(
  { ok, code, message, bytes, mimeType, width, height, changes }: Readonly<Record<string, unknown>>,
  image: Uint8Array,
): DecoderReply | undefined {
  if (ok === false) {
    const known = failureCodes.find((one) => one === code);
    return known === undefined || !isText(message) ? undefined : { ok, code: known, message };
  }
  const format = detectImageFormat(image);
  if (ok !== true || bytes !== image.length) return undefined;
  if (format === undefined || !isPassedOn(format)) return undefined;
  const type = passedOnTypes[format];
  if (mimeType !== type || !isEdge(width) || !isEdge(height)) return undefined;
  if (!Array.isArray(changes) || !changes.every(isText)) return undefined;
  return { ok, bytes, mimeType: type, width, height, changes };
}

function isText(value: unknown): value is string {
  return typeof value === "string" && value.length <= textCharsMax;
}

function isEdge(value: unknown): value is number {
  return Number.isInteger(value) && Number(value) > 0 && Number(value) <= imageLongEdgeMax;
}
