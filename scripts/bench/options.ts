/** The command line of the bench. */
import path from "node:path";
import { parseArgs } from "node:util";
import { adapterOf, serverNames } from "./adapters.ts";
import type { ServerName } from "./adapters.ts";
import { parts } from "./budget/figures.ts";
import { paths } from "./paths.ts";
import { phaseNames, phaseTitles } from "./phases/phase-names.ts";
import type { PhaseName } from "./phases/phase-names.ts";
import { fullSettings, quickSettings } from "./settings.ts";
import type { Settings } from "./settings.ts";

export interface Options {
  readonly binary: string;
  readonly phases: readonly PhaseName[];
  readonly servers: readonly ServerName[];
  readonly settings: Settings;
  /** Exit 1 when a target is missed. */
  readonly check: boolean;
  /** Bring docs/internals/benchmarks.md and README.md up to date. */
  readonly write: boolean;
  /** A saved run to report instead of measuring. */
  readonly from: string | undefined;
  /** Where the run is saved. */
  readonly json: string;
  readonly stderrFile: string;
  readonly help: boolean;
}

const quickServers: readonly ServerName[] = [
  "floor_echo",
  "floor_bash",
  "bare_bun",
  "worker_echo",
  "worker_call",
  "scorpiox",
  "gateway",
  "gateway_sdk",
  "worker_relay",
  "faulty",
  "sdk2_bun",
];

/** Throws an `Error` that names the argument when one is not acceptable. */
export function parseOptions(
  args: readonly string[],
  env: Readonly<Record<string, string | undefined>>,
): Options {
  const { values } = parseArgs({
    args: [...args],
    options: {
      binary: { type: "string" },
      phases: { type: "string" },
      servers: { type: "string" },
      quick: { type: "boolean", default: false },
      check: { type: "boolean", default: false },
      write: { type: "boolean", default: false },
      from: { type: "string" },
      json: { type: "string", default: paths.lastRun },
      "server-stderr": { type: "string", default: "/dev/null" },
      n: { type: "string" },
      calls: { type: "string" },
      "shell-calls": { type: "string" },
      help: { type: "boolean", default: false },
    },
  });
  const base = values.quick ? quickSettings : fullSettings;
  const settings: Settings = {
    ...base,
    coldStarts: parseCount("--n", values.n, base.coldStarts),
    cheapCalls: parseCount("--calls", values.calls, base.cheapCalls),
    shellCalls: parseCount("--shell-calls", values["shell-calls"], base.shellCalls),
  };
  // Part of a run must not replace the figures of a whole one.
  const whole =
    !values.quick && values.phases === undefined && values.servers === undefined && !values.check;
  return {
    binary: path.resolve(values.binary ?? env.SCORPIOX ?? paths.binary),
    phases: parseList("--phases", values.phases, phaseNames, phaseNames),
    servers: parseList(
      "--servers",
      values.servers,
      serverNames,
      values.quick ? quickServers : serverNames,
    ),
    settings,
    check: values.check,
    write: values.write || (whole && values.from === undefined),
    from: values.from,
    json: values.json,
    stderrFile: path.resolve(values["server-stderr"]),
    help: values.help,
  };
}

export function helpText(): string {
  const phaseLines = phaseNames.map((name) => `  ${name.padEnd(14)}${phaseTitles[name]}`);
  const serverLines = serverNames.map((name) => `  ${name.padEnd(14)}${adapterOf(name).label}`);
  return `bun run bench [options]     measures scorpiox-code beside C floors and other MCP servers

  --binary FILE         the scorpiox-code to measure (default: $SCORPIOX, then dist/scorpiox-code)
  --phases a,b          only these phases
  --servers a,b         only these servers
  --quick               few repetitions and few servers: shows that all works, not worth quoting
  --check               print the targets and exit 1 when one is missed
  --write               bring docs/internals/benchmarks.md and README.md up to date (a whole run does so unless --check)
  --from FILE           report a saved run instead of measuring
  --json FILE           where to save the run (default: .build/bench/last.json)
  --n, --calls, --shell-calls COUNT    cold starts, cheap calls, shell calls
  --server-stderr FILE  append what the servers print to standard error

bun run bench --against COMMIT [options]     measures this checkout, as it is, beside COMMIT, turn by turn;
                                             exit 1 when a figure is more than 3 % worse

  --base-binary FILE    instead of what COMMIT builds
  --binary FILE         instead of what this checkout builds
  --only a,b            only these: ${parts.join(", ")}
  --turns COUNT         turns (default: 20), up to four times as many of what is not decided
  --one-processor       all on one processor, where threads hand over to each other without waking one
  --env KEY=VALUE       in the environment of both, any number of times
  --json FILE           where to save the turns

bun run bench --growth [--binary FILE] [--only a,b]     draws what costs grow with, into docs/internals/growth.md;
                                                        exit 1 when one grows faster than that

phases
${phaseLines.join("\n")}

servers
${serverLines.join("\n")}`;
}

/** Throws an `Error` that names the flag when its value is no count. */
export function parseCount(flag: string, text: string | undefined, fallback: number): number {
  if (text === undefined) return fallback;
  const count = Number(text);
  if (Number.isInteger(count) && count > 0) return count;
  throw new Error(`${flag} takes a positive whole number, not "${text}"`);
}

/** Throws an `Error` that names the flag when its value lists something unknown. The order is that of `known`. */
export function parseList<Name extends string>(
  flag: string,
  text: string | undefined,
  known: readonly Name[],
  fallback: readonly Name[],
): readonly Name[] {
  if (text === undefined) return fallback;
  const wanted = text.split(",");
  const unknown = wanted.find((name) => !known.some((knownName) => knownName === name));
  if (unknown !== undefined) {
    throw new Error(`${flag}: no "${unknown}"; there are ${known.join(", ")}`);
  }
  return known.filter((name) => wanted.includes(name));
}
