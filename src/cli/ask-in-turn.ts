import { orAborted } from "../base/or-aborted.ts";
import type { CommandIo } from "./command-io.ts";

/** A longer line is not an answer to a yes-or-no question. */
const lineCharsMax = 100;

/**
 * Asks the person at the terminal one question after the other; only the lines `y` and `yes` mean yes. Rejects with
 * `cancelled` on Ctrl-C.
 */
export function createAsker(io: CommandIo): (question: string) => Promise<boolean> {
  let chunks: AsyncIterator<Uint8Array> | undefined;
  const decoder = new TextDecoder();
  let text = "";
  return async (question) => {
    // What is piped in is read once: by one iterator, whose rest is for the next question.
    chunks ??= io.stdin[Symbol.asyncIterator]();
    io.stderr.write(`${question} [y/N] `);
    while (!text.includes("\n") && text.length <= lineCharsMax) {
      const { value, done } = await orAborted(chunks.next(), io.interrupted);
      if (done === true) break;
      text += decoder.decode(value, { stream: true });
    }
    const end = text.indexOf("\n");
    const line = end === -1 ? text : text.slice(0, end);
    text = end === -1 ? "" : text.slice(end + 1);
    return /^\s*y(?:es)?\s*$/i.test(line);
  };
}
