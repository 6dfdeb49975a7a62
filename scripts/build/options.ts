import { parseArgs } from "node:util";
import { findTarget, hostTarget, type Target, targets } from "./targets.ts";

export interface BuildOptions {
  readonly kind: "product" | "faulty" | "release";
  readonly targets: readonly Target[];
  readonly outdir: string;
}

export const usage = `bun scripts/build.ts [--all | --target NAME…] [--outdir DIR]    the program, for this machine by default
bun scripts/build.ts --release [--target NAME…] [--outdir DIR]   every file of a release: packed programs and installers
bun scripts/build.ts --faulty [--outdir DIR]                     the programs of the tests: the product with faults, the scripted server
targets: ${targets.map((row) => row.name).join(" ")}`;

/** @throws Error with a message for a person when the arguments make no sense. */
export function parseOptions(args: readonly string[]): BuildOptions | "help" {
  const { values } = parseArgs({
    args: [...args],
    options: {
      all: { type: "boolean", default: false },
      target: { type: "string", multiple: true, default: [] },
      faulty: { type: "boolean", default: false },
      release: { type: "boolean", default: false },
      outdir: { type: "string", default: "dist" },
      help: { type: "boolean", short: "h", default: false },
    },
  });
  if (values.help) return "help";
  if (values.faulty && (values.all || values.release || values.target.length > 0)) {
    throw new Error(
      "--faulty is built for this machine only: leave out --all, --release and --target",
    );
  }
  if (values.all && values.target.length > 0) throw new Error("give --all or --target, not both");
  const kind = values.faulty ? "faulty" : values.release ? "release" : "product";
  const isAll = values.all || (values.release && values.target.length === 0);
  return { kind, outdir: values.outdir, targets: chooseTargets(isAll, values.target) };
}

function chooseTargets(all: boolean, names: readonly string[]): readonly Target[] {
  if (all) return targets;
  if (names.length > 0) return [...new Set(names)].map(requireTarget);
  const host = hostTarget();
  if (host === undefined) {
    throw new Error(`no target for ${process.platform} ${process.arch}: choose one with --target`);
  }
  return [host];
}

function requireTarget(name: string): Target {
  const row = findTarget(name);
  if (row !== undefined) return row;
  throw new Error(
    `no target "${name}"; there are: ${targets.map((known) => known.name).join(" ")}`,
  );
}
