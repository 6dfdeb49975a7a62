import { join } from "node:path";

import { root } from "../../../test/e2e/harness/binary.ts";
import type { WayName } from "../../build/distribution/ways.ts";
import type { Target } from "../../build/targets.ts";

/** Everything that the rehearsals write; some of it is kept for the next run. */
export const folder = join(root, "dist", "packages");

/** One line of the outcome. */
export type Row = readonly [name: string, result: string, figure: string];

/** The packages that were made. */
export interface Rehearsal {
  readonly outdir: string;
  readonly version: string;
  readonly target: Target;
  /** The file of a way; undefined when it was not made. */
  has(this: void, way: WayName): string | undefined;
}

export function notRun(name: string, reason: string): Row {
  return [name, "not run", reason];
}

interface Ran {
  readonly isDone: boolean;
  /** What it printed, on one line. */
  readonly text: string;
  /** A row that passes when it has printed the version. */
  row(this: void, name: string, version: string): Row;
}

export function run(
  command: readonly string[],
  options: {
    readonly env?: Readonly<Record<string, string | undefined>>;
    readonly cwd?: string;
  } = {},
): Ran {
  const child = Bun.spawnSync([...command], { ...options, stdin: "ignore", timeout: 300_000 });
  const isDone = child.exitCode === 0;
  const said = isDone ? child.stdout.toString() : child.stderr.toString();
  const text = said.trim().split("\n").slice(-3).join(" ");
  return {
    isDone,
    text,
    row: (name, version) => {
      const expected = `scorpiox-code ${version}`;
      return isDone && text.endsWith(expected)
        ? [name, "pass", `prints ${expected}`]
        : [name, "FAIL", text];
    },
  };
}
