/** The command line of the budget. */
import path from "node:path";
import { parseArgs } from "node:util";

import { parseCount, parseList } from "../options.ts";
import { parts } from "./figures.ts";
import type { Part } from "./figures.ts";
import { turnsMin } from "./judge.ts";

export interface BudgetOptions {
  /** Built for the comparison when there is no `baseBinary`. */
  readonly commit: string;
  readonly baseBinary: string | undefined;
  /** Instead of what this checkout builds. */
  readonly binary: string | undefined;
  readonly turns: number;
  readonly parts: readonly Part[];
  /** In the environment of both besides. */
  readonly env: Readonly<Record<string, string>>;
  readonly oneProcessor: boolean;
  readonly json: string | undefined;
}

const turnsDefault = 20;

/** Whether a command line asks for the budget. */
export function isBudget(args: readonly string[]): boolean {
  return args.some((argument) => /^--(against|base-binary)(=|$)/.test(argument));
}

/** Throws an `Error` that names the argument when one is not acceptable. */
export function parseBudgetOptions(args: readonly string[]): BudgetOptions {
  const { values } = parseArgs({
    args: [...args],
    options: {
      against: { type: "string", default: "HEAD^" },
      "base-binary": { type: "string" },
      binary: { type: "string" },
      turns: { type: "string" },
      only: { type: "string" },
      env: { type: "string", multiple: true, default: [] },
      "one-processor": { type: "boolean", default: false },
      json: { type: "string" },
    },
  });
  const turns = parseCount("--turns", values.turns, turnsDefault);
  if (turns < turnsMin) throw new Error(`--turns takes at least ${turnsMin}: fewer decide nothing`);
  return {
    commit: values.against,
    baseBinary: values["base-binary"] && path.resolve(values["base-binary"]),
    binary: values.binary && path.resolve(values.binary),
    turns,
    parts: parseList("--only", values.only, parts, parts),
    env: Object.fromEntries(values.env.map(parseVariable)),
    oneProcessor: values["one-processor"],
    json: values.json,
  };
}

function parseVariable(entry: string): [string, string] {
  const [name = "", value] = entry.split(/=(.*)/s, 2);
  if (value === undefined) throw new Error(`--env takes KEY=VALUE, not "${entry}"`);
  return [name, value];
}
