import { parseArgs } from "node:util";

import { ensureBuilt, productBinary } from "../../test/e2e/harness/binary.ts";
import type { Outcome } from "./outcome.ts";

/**
 * Runs one check as a program of its own: prints what was wrong, then the figures, and exits with 1 when something was.
 * @param option `--OPTION COUNT` says how often instead of `usual`
 */
export async function runAlone(
  check: (count: number) => Promise<Outcome>,
  option: string,
  usual: number,
): Promise<never> {
  const options = { [option]: { type: "string", default: String(usual) } } as const;
  const { values } = parseArgs({ options });
  ensureBuilt(productBinary);
  const { faults, figures, passed } = await check(Number(values[option]));
  for (const fault of faults) console.log(fault);
  console.log(figures);
  process.exit(passed ? 0 : 1);
}
