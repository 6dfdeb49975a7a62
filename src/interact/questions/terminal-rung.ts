import type { Rung, Terminals } from "./terminals.ts";

/** Attached terminals as a rung. */
export function terminalRung(terminals: Terminals): Rung {
  return {
    name: "terminal",
    isThere: () => terminals.count > 0,
    ask: async (describe, signal) => terminals.ask(await describe(), signal),
  };
}
