/**
 * Every package of this machine's target, made from the program in `dist` twice, installed where it belongs, and run. What is
 * missing on this machine is named, and its row says "not run". Needs the npm registry and, for Debian's root, its mirror.
 */
import { existsSync, mkdirSync, readFileSync, rmSync } from "node:fs";
import { join } from "node:path";

import { product } from "../../src/base/product.ts";
import { productBinary, root } from "../../test/e2e/harness/binary.ts";
import { pack, type Packed } from "../build/archives.ts";
import { readCompanions } from "../build/distribution/companions.ts";
import { type Ingredients, writeIndexes, writePackages } from "../build/distribution/make.ts";
import { ways } from "../build/distribution/ways.ts";
import { readProduct } from "../build/packages.ts";
import { hostTarget, type Target, targets } from "../build/targets.ts";
import { type Outcome, seconds } from "./outcome.ts";
import { installerRehearsal } from "./packages/installer.ts";
import { homebrewRehearsal, scoopRehearsal, wingetRehearsal } from "./packages/manifests.ts";
import { npxRehearsal } from "./packages/npm-registry.ts";
import { type Rehearsal, type Row, folder, notRun, run } from "./packages/rehearsal.ts";
import { debRehearsal, imageRehearsal, rpmRehearsal } from "./packages/systems.ts";

export async function checkPackages(): Promise<Outcome> {
  const target = hostTarget();
  if (target?.os !== "linux") throw new Error("only packages for Linux can be rehearsed here");
  const { version, license } = readProduct(root);
  const repository = "someone/scorpiox-code";
  const facts = { version, license, description: product.description, repository };
  const companions = await readCompanions(root, version);
  const program = await pack(new Uint8Array(readFileSync(productBinary)));
  const outdirs = ["first", "second"].map((name) => join(folder, name));
  let files: readonly string[] = [];
  let skipped: readonly string[] = [];
  for (const outdir of outdirs) {
    rmSync(outdir, { recursive: true, force: true });
    mkdirSync(outdir, { recursive: true });
    const ingredients = { outdir, facts, companions };
    const made = await writePackages(ingredients, target, program);
    skipped = made.skipped;
    const others = await archivesOfOthers(ingredients, target, program);
    const packages = [...made.files, ...others];
    files = [...packages, ...(await writeIndexes(ingredients, packages))];
  }
  const [outdir = "", again = ""] = outdirs;
  const has = (way: keyof typeof ways): string | undefined => {
    const file = ways[way].has(target) ? ways[way].file(target, version) : "";
    return files.includes(file) ? join(outdir, file) : undefined;
  };
  const rehearsal: Rehearsal = { outdir, version, target, has };
  const rows: Row[] = [
    sameBytes(outdir, again, files),
    ...(["tar.gz", "tar.zst"] as const).map((way) => tarRehearsal(rehearsal, way)),
    await mcpbRehearsal(rehearsal),
    debRehearsal(rehearsal),
    rpmRehearsal(rehearsal),
    imageRehearsal(rehearsal),
    homebrewRehearsal(rehearsal),
    scoopRehearsal(rehearsal),
    wingetRehearsal(rehearsal),
    installerRehearsal(rehearsal, program),
    ...(await npxRehearsal(rehearsal)),
  ];
  const failed = rows.filter(([, result]) => result === "FAIL");
  const ran = rows.filter(([, result]) => result === "pass");
  return {
    name: "packages",
    passed: failed.length === 0 && ran.length > 0,
    figures: rows.map(([name, result, figure]) => `${name} ${result} (${figure})`).join("; "),
    faults: [...failed.map(([name, , figure]) => `${name}: ${figure}`), ...skipped],
    details: rows,
  };
}

/** The archives that formulas and manifests name, of the other targets; this machine's program stands in for theirs. */
async function archivesOfOthers(
  ingredients: Ingredients,
  target: Target,
  program: Packed,
): Promise<readonly string[]> {
  const files: string[] = [];
  for (const other of targets.filter((one) => one !== target && one.libc !== "musl")) {
    const made = await writePackages(ingredients, other, program, ["tar.gz", "zip"]);
    files.push(...made.files);
  }
  return files;
}

function sameBytes(one: string, two: string, files: readonly string[]): Row {
  const differing = files.filter(
    (file) => !readFileSync(join(one, file)).equals(readFileSync(join(two, file))),
  );
  const figure = `${files.length} files made twice, ${differing.length} differ ${differing.join(" ")}`;
  return ["same bytes", differing.length === 0 ? "pass" : "FAIL", figure.trim()];
}

function tarRehearsal({ has, version }: Rehearsal, way: "tar.gz" | "tar.zst"): Row {
  const archive = has(way);
  if (archive === undefined) return notRun(way, "it was not made");
  if (way === "tar.zst" && Bun.which("zstd") === null) return notRun(way, "zstd is missing");
  const place = join(folder, way);
  rmSync(place, { recursive: true, force: true });
  mkdirSync(place, { recursive: true });
  const unpacked = run(["tar", "-xf", archive, "-C", place]);
  const said = unpacked.isDone
    ? run([join(place, "scorpiox-code/scorpiox-code"), "version"])
    : unpacked;
  return said.row(way, version);
}

/** Unpacks the bundle, lets Anthropic's own tool check the manifest, and starts its command as a client does. */
async function mcpbRehearsal({ has }: Rehearsal): Promise<Row> {
  const bundle = has("mcpb");
  if (bundle === undefined) return notRun("mcpb", "it was not made");
  const tools = join(folder, "mcpb-tools");
  const mcpb = join(tools, "node_modules/.bin/mcpb");
  if (!existsSync(mcpb)) {
    mkdirSync(tools, { recursive: true });
    const install = ["npm", "install", "--no-audit", "--no-fund", "--ignore-scripts"];
    const done = run([...install, "--prefix", tools, "@anthropic-ai/mcpb@2.1.2"]);
    if (!done.isDone) return notRun("mcpb", `npm has no @anthropic-ai/mcpb: ${done.text}`);
  }
  const place = join(folder, "mcpb");
  rmSync(place, { recursive: true, force: true });
  const unpacked = run([mcpb, "unpack", bundle, place]);
  if (!unpacked.isDone) return ["mcpb", "FAIL", unpacked.text];
  const valid = run([mcpb, "validate", join(place, "manifest.json")]);
  if (!valid.isDone) return ["mcpb", "FAIL", valid.text];
  const manifest = JSON.parse(readFileSync(join(place, "manifest.json"), "utf8")) as {
    server: { mcp_config: { command: string; args: string[] } };
  };
  const { command, args } = manifest.server.mcp_config;
  const begin = performance.now();
  const child = Bun.spawn([command.replace("${__dirname}", place), ...args], {
    stdin: "pipe",
    stdout: "pipe",
    stderr: "inherit",
  });
  const clientInfo = { name: "claude-ai", version: "1" };
  const params = { protocolVersion: "2025-06-18", capabilities: {}, clientInfo };
  void child.stdin.write(
    `${JSON.stringify({ jsonrpc: "2.0", id: 1, method: "initialize", params })}\n`,
  );
  await child.stdin.end();
  const answer = await child.stdout.text();
  const isThere = answer.includes('"serverInfo"') && (await child.exited) === 0;
  const took = seconds(performance.now() - begin);
  return isThere
    ? ["mcpb", "pass", `valid, initialize answered, ended after ${took}`]
    : ["mcpb", "FAIL", `initialize was answered with ${JSON.stringify(answer.slice(0, 200))}`];
}
