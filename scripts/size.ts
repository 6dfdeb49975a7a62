/**
 * What the executable of this machine is made of, as the table of docs/internals/performance.md: `bun scripts/size.ts`.
 * Files are grouped by the package, or the folder of `src/`, that has most of their text.
 */
import { mkdtempSync, readFileSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { basename, dirname, join } from "node:path";
import { z } from "zod";

import { compile, productEntryPoints } from "./build/compile.ts";
import { readEmbedded } from "./build/embedded.ts";
import { getRuntime } from "./build/runtime.ts";
import { hostTarget } from "./build/targets.ts";
import { pageTable } from "./docs/markdown.ts";

/** Smaller groups share the last row. */
const groupBytesMin = 250_000;

const metafileShape = z.object({
  outputs: z.record(
    z.string(),
    z.object({ inputs: z.record(z.string(), z.object({ bytesInOutput: z.number() })) }),
  ),
});
type Output = z.output<typeof metafileShape>["outputs"][string];

interface Sizes {
  readonly source: number;
  readonly bytecode: number;
}

console.log(await sizeTable(dirname(import.meta.dir)));

async function sizeTable(root: string): Promise<string> {
  const target = hostTarget();
  if (target === undefined) throw new Error("scorpiox-code has no executable for this machine");
  const scratch = mkdtempSync(join(tmpdir(), "scorpiox-size-"));
  try {
    const [outfile, metafile] = [join(scratch, "program"), join(scratch, "meta.json")];
    const runtime = await getRuntime(root, target);
    const built = await compile(root, productEntryPoints, target, runtime, outfile, metafile);
    if (built.kind === "failed") throw new Error(built.reason);
    const { outputs } = metafileShape.parse(JSON.parse(readFileSync(metafile, "utf8")));
    const owners = new Map(Object.entries(outputs).map(([path, row]) => [basename(path), row]));
    return describe(readFileSync(outfile), statSync(runtime).size, owners);
  } finally {
    rmSync(scratch, { recursive: true, force: true });
  }
}

function describe(file: Buffer, runtime: number, owners: ReadonlyMap<string, Output>): string {
  const { files, bytes } = readEmbedded(file);
  const groups = new Map<string, Sizes>();
  for (const { name, source, bytecode } of files) {
    add(groups, ownerOf(basename(name), owners), { source, bytecode });
  }
  const parts = [...groups.values()].map(sum).reduce((one, other) => one + other, 0);
  const total = [`the executable, ${process.platform} ${process.arch}`, "", "", mb(file.length)];
  return pageTable(
    ["part", "source, MB", "bytecode, MB", "together, MB"],
    [
      ["Bun's runtime", "", "", mb(runtime)],
      ...largestFirst(groups).map(([owner, sizes]) => [
        owner,
        mb(sizes.source),
        mb(sizes.bytecode),
        mb(sum(sizes)),
      ]),
      ["tables that bytecode shares, names", "", "", mb(bytes - parts)],
      ["padding up to the address of what Bun adds", "", "", mb(file.length - runtime - bytes)],
      total,
    ],
  );
}

function add(groups: Map<string, Sizes>, owner: string, { source, bytecode }: Sizes): void {
  const before = groups.get(owner) ?? { source: 0, bytecode: 0 };
  groups.set(owner, { source: before.source + source, bytecode: before.bytecode + bytecode });
}

/** The groups by size; the small ones in one at the end. */
function largestFirst(groups: ReadonlyMap<string, Sizes>): [string, Sizes][] {
  const rows = new Map<string, Sizes>();
  const others = new Map<string, Sizes>();
  for (const [owner, sizes] of [...groups].toSorted((one, other) => sum(other[1]) - sum(one[1]))) {
    if (sum(sizes) >= groupBytesMin) rows.set(owner, sizes);
    else add(others, `${groups.size - rows.size} smaller ones`, sizes);
  }
  return [...rows, ...[...others].slice(-1)];
}

function ownerOf(file: string, owners: ReadonlyMap<string, Output>): string {
  const inputs = new Map<string, number>();
  for (const [path, { bytesInOutput }] of Object.entries(owners.get(file)?.inputs ?? {})) {
    const owner = packageOrFolder(path);
    inputs.set(owner, (inputs.get(owner) ?? 0) + bytesInOutput);
  }
  const [most] = [...inputs].toSorted((one, other) => other[1] - one[1]);
  return most?.[0] ?? file.replace(/-\w{8}(?=\.\w+$)/, "");
}

function packageOrFolder(path: string): string {
  const [, name] = /node_modules\/((?:@[^/]+\/)?[^/]+)\//.exec(path) ?? [];
  return name ?? `\`${path.split("/").slice(0, 2).join("/")}\``;
}

function sum({ source, bytecode }: Sizes): number {
  return source + bytecode;
}

function mb(bytes: number): string {
  return (bytes / 1e6).toFixed(2);
}
