import type { CommandIo } from "./command-io.ts";

/** Asks a person at the terminal; only a line that says `y` or `yes` is one. */
export async function saysYes(io: CommandIo, question: string): Promise<boolean> {
  io.stderr.write(`${question} [y/N] `);
  const decoder = new TextDecoder();
  let text = "";
  for await (const chunk of io.stdin) {
    text += decoder.decode(chunk, { stream: true });
    if (text.includes("\n") || text.length > 100) break;
  }
  return /^\s*y(?:es)?\s*(?:\n|$)/i.test(text);
}
