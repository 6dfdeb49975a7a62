import { describe, expect, test } from "bun:test";
import { createHash } from "node:crypto";
import { readdirSync, readFileSync } from "node:fs";

import { platformFile, runsOnMusl } from "../../src/update/channel.ts";
import { TempTree } from "../config/temp-tree.ts";
import { programText } from "../update/program-text.ts";
import { type CommandRun, runIn } from "./fake-io.ts";

const file = platformFile(process.platform, process.arch, runsOnMusl());
const sha256 = (text: string): string => createHash("sha256").update(text).digest("hex");

/** A folder with a release of this version, for this platform or another. */
function releaseFiles(version: string, name = file): Record<string, string> {
  const program = programText(version);
  const artifact = { file: name, bytes: program.length, sha256: sha256(program) };
  const manifest = JSON.stringify({ version, artifacts: [artifact] });
  const sums = `${artifact.sha256}  ${name}\n${sha256(manifest)}  manifest.json\n`;
  return {
    [`release/${name}`]: program,
    "release/manifest.json": manifest,
    "release/SHA256SUMS": sums,
  };
}

/** The version of the product in these tests is 1.2.3. */
const current = programText("1.2.3");

async function update(tree: TempTree, ...words: readonly string[]): Promise<CommandRun> {
  const { chmodSync, existsSync } = await import("node:fs");
  const program = tree.path("home/.scorpiox/scorpiox-code");
  if (existsSync(program)) chmodSync(program, 0o755);
  return runIn(tree, ["update", ...words], {
    env: { SCORPIOX_RELEASE_URL: `file://${tree.path("release")}` },
    services: {
      ownCommand: [program],
      async runProgram([path = "", ...args]) {
        const { exitCode, stdout, stderr } = Bun.spawnSync([path, ...args]);
        return { exitCode, output: stdout.toString() + stderr.toString() };
      },
    },
  });
}

const installed = { "home/.scorpiox/scorpiox-code": current };
const now = (tree: TempTree): string =>
  readFileSync(tree.path("home/.scorpiox/scorpiox-code"), "utf8");

describe("update", () => {
  test("of two at once the second finds the new program, and the version from before stays", async () => {
    using tree = new TempTree({ ...installed, ...releaseFiles("1.3.0") });
    await Promise.all([update(tree), update(tree)]);
    const previous = tree.path("home/.scorpiox/scorpiox-code.previous");
    expect([now(tree), readFileSync(previous, "utf8")]).toEqual([programText("1.3.0"), current]);
  });

  test("replaces the program, and rolls back and forward", async () => {
    using tree = new TempTree({ ...installed, ...releaseFiles("1.3.0") });
    const { exitCode, stderr } = await update(tree);
    expect({ exitCode, stderr, text: now(tree) }).toEqual({
      exitCode: 0,
      stderr:
        "scorpiox-code: home/.scorpiox/scorpiox-code is 1.3.0 now, was 1.2.3. Clients use it from their next start.\n",
      text: programText("1.3.0"),
    });
    expect(await update(tree, "--rollback")).toMatchObject({ exitCode: 0 });
    expect(now(tree)).toBe(current);
    expect(await update(tree, "--rollback", "--json")).toMatchObject({
      stdout: '{\n  "version": "1.3.0"\n}\n',
    });
    expect(readdirSync(tree.path("home/.scorpiox")).sort()).toEqual([
      "locks",
      "scorpiox-code",
      "scorpiox-code.previous",
    ]);
  });

  test.each([
    ["1.2.3", "scorpiox-code: 1.2.3 is the latest version.\n"],
    [
      "1.2.2",
      "scorpiox-code: 1.2.3 is the latest version (the release is 1.2.2, which is older).\n",
    ],
    [
      "1.2.3-rc.1",
      "scorpiox-code: 1.2.3 is the latest version (the release is 1.2.3-rc.1, which is older).\n",
    ],
  ])("a release of %s changes nothing", async (version, said) => {
    using tree = new TempTree({ ...installed, ...releaseFiles(version) });
    const { exitCode, stderr } = await update(tree);
    expect({ exitCode, stderr, text: now(tree) }).toEqual({
      exitCode: 0,
      stderr: said,
      text: current,
    });
  });

  test("what a killed update has left is settled, also when there is nothing newer", async () => {
    const at = "home/.scorpiox/.scorpiox-code.update-";
    using tree = new TempTree({
      ...installed,
      ...releaseFiles("1.2.3"),
      [`${at}old.7`]: programText("1.0.0"),
      [`${at}new.7`]: "half",
    });
    await update(tree);
    expect(readdirSync(tree.path("home/.scorpiox")).sort()).toEqual([
      "locks",
      "scorpiox-code",
      "scorpiox-code.previous",
    ]);
  });

  test.each([
    ["1.3.0", 10, "1.3.0 is available; this is 1.2.3.\n"],
    ["1.2.3", 0, "1.2.3 is the latest version.\n"],
  ])("--check with a release of %s exits with %i", async (version, exitCode, stdout) => {
    using tree = new TempTree({ ...installed, ...releaseFiles(version) });
    expect(await update(tree, "--check")).toMatchObject({ exitCode, stdout, stderr: "" });
    expect(now(tree)).toBe(current);
  });

  test("a release without this platform is refused", async () => {
    using tree = new TempTree({
      ...installed,
      ...releaseFiles("1.3.0", "scorpiox-code-plan9-mips"),
    });
    const { exitCode, stderr } = await update(tree);
    expect({ exitCode, text: now(tree) }).toEqual({ exitCode: 3, text: current });
    expect(stderr).toContain(`Release 1.3.0 has no ${file}. Nothing was changed.`);
  });

  test("a copy of npm is left to npm", async () => {
    const path = "lib/node_modules/scorpiox-code/scorpiox-code";
    using tree = new TempTree({ [path]: current, ...releaseFiles("1.3.0") });
    const run = await runIn(tree, ["update"], { services: { ownCommand: [tree.path(path)] } });
    expect(run).toMatchObject({ exitCode: 2, stdout: "" });
    expect(run.stderr).toContain(
      "was installed by npm. Update it there: npm install --global scorpiox-code@latest",
    );
  });

  test("a copy of npm is not rolled back here", async () => {
    const path = "lib/node_modules/scorpiox-code/scorpiox-code";
    using tree = new TempTree({ [path]: current, [`${path}.previous`]: programText("1.0.0") });
    const run = await runIn(tree, ["update", "--rollback"], {
      services: { ownCommand: [tree.path(path)] },
    });
    expect(run).toMatchObject({ exitCode: 2, stdout: "" });
    expect(run.stderr).toContain("was installed by npm, which can install an earlier version.");
    expect(readFileSync(tree.path(path), "utf8")).toBe(current);
  });

  test("without a known place of releases it says how to name one", async () => {
    using tree = new TempTree(installed);
    const run = await runIn(tree, ["update"], {
      services: { ownCommand: [tree.path("home/.scorpiox/scorpiox-code")] },
    });
    expect(run.stderr).toContain("Set SCORPIOX_RELEASE_URL to their folder.");
  });

  test("a release over the network that nothing can check wants --allow-unsigned", async () => {
    using tree = new TempTree({ ...installed, ...releaseFiles("1.3.0") });
    using server = Bun.serve({
      port: 0,
      hostname: "127.0.0.1",
      fetch: (request) =>
        new Response(Bun.file(tree.path(`release${new URL(request.url).pathname}`))),
    });
    const env = { SCORPIOX_RELEASE_URL: `http://127.0.0.1:${server.port}` };
    const run = await runIn(tree, ["update"], {
      env,
      services: { ownCommand: [tree.path("home/.scorpiox/scorpiox-code")] },
    });
    expect(run).toMatchObject({ exitCode: 1 });
    expect(run.stderr).toContain(
      "To update all the same, add --allow-unsigned. Nothing was changed.",
    );
    expect(now(tree)).toBe(current);
  });
});
