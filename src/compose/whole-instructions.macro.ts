import { instructionsWith } from "../calls/upstream/instructions-with.ts";
import { loadTools } from "../tools/catalogue.ts";
import { instructionLines } from "./instructions.ts";

const tools = await loadTools();

/**
 * Runs while the program is bundled: most servers offer every tool, and putting their instructions together takes a start
 * four tenths of a millisecond, which are the first use of six methods of arrays.
 */
export function wholeInstructions(): { readonly lines: readonly string[]; readonly text: string } {
  const lines = instructionLines(tools.map(({ name }) => name));
  return { lines, text: instructionsWith({ lines }) };
}
