import type { Rung } from "./rung.ts";
import type { Terminals } from "./terminals.ts";

/** Attached terminals as a rung; undefined stands for a program that has none. */
export function terminalRung(terminals: () => Terminals | undefined): Rung {
  return {
    name: "terminal",
    isThere: () => (terminals()?.count ?? 0) > 0,
    async ask(describe, signal) {
      const shown = await describe();
      return (await terminals()?.ask(shown, signal)) ?? { kind: "gone" };
    },
  };
}
