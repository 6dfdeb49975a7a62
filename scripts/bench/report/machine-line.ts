import { isBusy } from "../machine.ts";
import type { RunResult } from "../result.ts";

/** One sentence that says on what, when and how long was measured. */
export function machineLine({ machine, date, elapsedMs }: RunResult): string {
  const load = machine.load.map((average) => average.toFixed(2)).join(" ");
  const node = machine.node === "" ? "" : `, Node ${machine.node}`;
  const line =
    `${machine.cores} cores (${machine.processor}, ${machine.architecture}), ${machine.kernel}, ` +
    `Bun ${machine.bun}${node}; load ${load}; ${date.slice(0, 10)}, ${Math.round(elapsedMs / 1000)} s.`;
  return isBusy(machine) ? `${line} The machine was busy: read the ratios only.` : line;
}
