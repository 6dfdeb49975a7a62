import { writeSync } from "node:fs";

/** The reply of a process that this program starts to read one file: the first line that it writes. */
export function replyLine(reply: object): string {
  return `${JSON.stringify(reply)}\n`;
}

/** Writes to stdout and returns when all of it is written, since the process ends next. @throws when nobody reads it */
export function writeReply(bytes: Uint8Array): void {
  let offset = 0;
  while (offset < bytes.length) offset += writeSync(1, bytes, offset);
}
