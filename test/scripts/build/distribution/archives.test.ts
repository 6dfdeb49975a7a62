import { expect, test } from "bun:test";
import { mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";

import { pack } from "../../../../scripts/build/archives.ts";
import { writeIndexes, writePackages } from "../../../../scripts/build/distribution/make.ts";
import { findTarget } from "../../../../scripts/build/targets.ts";
import { createScratch } from "../../run-installer.ts";

const companions = {
  license: "free\n",
  readme: "# read me\n",
  manPage: ".TH X 1\n",
  completions: { bash: "b\n", zsh: "z\n", fish: "f\n", powershell: "p\n" },
  service: [["usr/lib/systemd/system/scorpiox-code.service", "[Unit]\n"] as const],
};
const facts = {
  version: "1.2.3",
  description: "A program",
  license: "MIT",
  repository: "someone/scorpiox-code",
};
const script = `#!/bin/sh\necho "program $*"; exit 7\n`;

async function make(outdir: string, name = "linux-x64"): Promise<readonly string[]> {
  const ingredients = { outdir, facts, companions };
  const target = findTarget(name);
  if (target === undefined) throw new Error(name);
  const program = await pack(new TextEncoder().encode(script));
  const { files } = await writePackages(ingredients, target, program);
  return [...files, ...(await writeIndexes(ingredients, files))];
}

function run(command: readonly string[]): string {
  const { stdout, stderr, exitCode } = Bun.spawnSync([...command], {
    env: { ...process.env, TZ: "UTC" },
  });
  return exitCode === 0 || exitCode === 7 ? stdout.toString() : stderr.toString();
}

test("[IN15] the same sources give the same bytes", async () => {
  using scratch = createScratch();
  const [one, two] = [join(scratch.path, "one"), join(scratch.path, "two")];
  for (const folder of [one, two]) mkdirSync(folder);
  const files = await make(one);
  await make(two);
  const differing = files.filter(
    (file) => !readFileSync(join(one, file)).equals(readFileSync(join(two, file))),
  );
  expect(differing).toEqual([]);
});

test.each(["tar.gz", "tar.zst"])("a .%s unpacks to a program that runs", async (ending) => {
  using scratch = createScratch();
  await make(scratch.path);
  const archive = join(scratch.path, `scorpiox-code-linux-x64.${ending}`);
  run(["tar", "-xf", archive, "-C", scratch.path]);
  const folder = join(scratch.path, "scorpiox-code");
  expect(run([join(folder, "scorpiox-code"), "a"])).toBe("program a\n");
  expect(readdirSync(folder).sort()).toEqual(
    ["LICENSE", "README.md", "completions", "scorpiox-code", "scorpiox-code.1"].sort(),
  );
});

test.skipIf(Bun.which("unzip") === null)(
  "a bundle keeps the executable bit of its program",
  async () => {
    using scratch = createScratch();
    await make(scratch.path);
    run([
      "unzip",
      "-q",
      join(scratch.path, "scorpiox-code-linux-x64.mcpb"),
      "-d",
      join(scratch.path, "b"),
    ]);
    const program = join(scratch.path, "b/server/scorpiox-code");
    expect([statSync(program).mode & 0o777, run([program, "b"])]).toEqual([0o755, "program b\n"]);
  },
);

test.skipIf(Bun.which("dpkg-deb") === null)("dpkg-deb reads a .deb", async () => {
  using scratch = createScratch();
  await make(scratch.path);
  const file = join(scratch.path, "scorpiox-code_1.2.3_amd64.deb");
  expect(run(["dpkg-deb", "-f", file, "Package", "Version", "Architecture"])).toBe(
    "Package: scorpiox-code\nVersion: 1.2.3\nArchitecture: amd64\n",
  );
  const rows = run(["dpkg-deb", "-c", file]).split("\n");
  expect(rows.find((row) => row.endsWith("./usr/bin/scorpiox-code"))).toMatch(
    /^-rwxr-xr-x root\/root +\d+ 1985-10-26/,
  );
});

/** The npm package that people name, unpacked, beside a platform package. */
async function unpackNpm(folder: string, isWhole: boolean): Promise<string> {
  await make(folder);
  const modules = join(folder, "node_modules");
  for (const name of ["scorpiox-code", ...(isWhole ? ["scorpiox-code-linux-x64"] : [])]) {
    const place = join(modules, name);
    mkdirSync(place, { recursive: true });
    const archive = join(folder, `npm/${name}-1.2.3.tgz`);
    run(["tar", "-xzf", archive, "-C", place, "--strip-components=1"]);
  }
  return join(modules, "scorpiox-code/npm-wrapper.cjs");
}

const isHere = process.platform === "linux" && process.arch === "x64";

test.skipIf(!isHere)("the npm command hands on arguments, output and exit code", async () => {
  using scratch = createScratch();
  const wrapper = await unpackNpm(scratch.path, true);
  const { stdout, exitCode } = Bun.spawnSync(["node", wrapper, "a b", "c"]);
  expect([stdout.toString(), exitCode]).toEqual(["program a b c\n", 7]);
});

test.skipIf(!isHere)("the npm command hands on a signal", async () => {
  using scratch = createScratch();
  const wrapper = await unpackNpm(scratch.path, true);
  const program = join(scratch.path, "node_modules/scorpiox-code-linux-x64/scorpiox-code");
  writeFileSync(
    program,
    `#!/bin/sh\ntrap 'echo ended; exit 3' TERM\necho ready\nwhile :; do read -r x || exit 9; done\n`,
  );
  const child = Bun.spawn(["node", wrapper], { stdin: "pipe", stdout: "pipe" });
  const reader = child.stdout.getReader();
  const decoder = new TextDecoder();
  expect(decoder.decode((await reader.read()).value)).toBe("ready\n");
  child.kill("SIGTERM");
  void child.stdin.write("x\n");
  await child.stdin.flush();
  expect([decoder.decode((await reader.read()).value), await child.exited]).toEqual(["ended\n", 3]);
});

test.skipIf(!isHere)("the npm command names the package that is missing", async () => {
  using scratch = createScratch();
  const wrapper = await unpackNpm(scratch.path, false);
  const { stderr, exitCode } = Bun.spawnSync(["node", wrapper]);
  expect([exitCode, stderr.toString()]).toEqual([
    1,
    expect.stringContaining("scorpiox-code-linux-x64 or scorpiox-code-linux-x64-musl is not"),
  ]);
});
