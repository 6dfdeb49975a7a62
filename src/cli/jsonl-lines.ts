import { messageLineBytesMax } from "../base/limits.ts";
import { LineFramer } from "../server/transport/message-parser.ts";

/** A page of 10 MB is longer as JSON: every quote and line break in it takes two characters. */
export const jsonlLineBytesMax = 2 * messageLineBytesMax;

/** One line without its line break, or one that was too long to be kept. */
export type JsonlLine =
  { readonly kind: "line"; readonly text: string } | { readonly kind: "too-long" };

/** Cuts `input` into lines in bounded memory; empty lines are left out. */
export async function* jsonlLines(
  input: AsyncIterable<Uint8Array>,
  lineBytesMax: number = jsonlLineBytesMax,
): AsyncGenerator<JsonlLine> {
  const framer = new LineFramer(lineBytesMax);
  for await (const chunk of input) yield* linesOf(framer.push(chunk));
  yield* linesOf(framer.end());
}

function* linesOf(pieces: ReturnType<LineFramer["push"]>): Generator<JsonlLine> {
  for (const piece of pieces) {
    if (piece.kind === "line-too-long") {
      yield { kind: "too-long" };
      continue;
    }
    const text = new TextDecoder().decode(piece.bytes);
    for (const line of text.split("\n")) {
      if (line.trim() !== "") yield { kind: "line", text: line };
    }
  }
}
