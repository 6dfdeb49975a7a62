import { describe, expect, test } from "bun:test";
import { createHash } from "node:crypto";
import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";

import { ownIdentity } from "../../../src/commands/process/processes.ts";
import { failureOf, InstallHarness } from "./install-harness.ts";

const day = 24 * 60 * 60_000;

describe("Installer, npx [CN10a]", () => {
  test("what is not there is fetched first, and then started without the runner", async () => {
    using harness = new InstallHarness();
    const { launch, isInstalled, startedAs } = await harness.prepare(["-y", "@s/pkg", "a b"]);
    const hash = createHash("sha512").update("@s/pkg").digest("hex").slice(0, 16);
    const program = join(harness.npx.packages, hash, "node_modules", ".bin", "pkg");
    const node = Bun.which("node") ?? "";
    expect({ command: launch.command, args: launch.args, isInstalled, startedAs }).toEqual({
      command: node,
      args: [program, "a b"],
      isInstalled: true,
      startedAs: `${node} ${program} a b`,
    });
    expect(launch.path).toEqual([
      join(harness.npx.packages, hash, "node_modules", ".bin"),
      join(harness.npx.dir, "npm", "node-gyp-bin"),
    ]);
    const { npm_command, npm_lifecycle_script, npm_config_package, npm_config_call } = launch.env;
    expect([npm_command, npm_lifecycle_script, npm_config_package, npm_config_call]).toEqual([
      "exec",
      "'pkg'",
      "",
      undefined as never,
    ]);
    expect(harness.npx.runs).toEqual(["fetch @s/pkg"]);
    expect(harness.told).toEqual([{ what: "@s/pkg", runner: "npx", since: harness.now }]);
  });

  test("what is there is not fetched again, and nobody is told", async () => {
    using harness = new InstallHarness();
    const first = await harness.prepare(["-y", "pkg"]);
    const again = await harness.prepare(["-y", "pkg"], { installer: harness.another() });
    expect(again).toEqual(first);
    expect([harness.npx.runs.length, harness.told.length]).toEqual([1, 1]);
  });

  test.each<[string, string[], number, number]>([
    ["a name alone, within a day", ["pkg"], day - 1, 1],
    ["a name alone, after a day", ["pkg"], day, 2],
    ["a range, after a day", ["pkg@^1.0.0"], day, 2],
    ["a tag, within five minutes", ["pkg@latest"], 5 * 60_000 - 1, 1],
    ["a tag, after five minutes", ["pkg@latest"], 5 * 60_000, 2],
    ["an exact version, ever after", ["pkg@1.0.0"], 400 * day, 1],
  ])("%s", async (_, args, ageMs, fetches) => {
    using harness = new InstallHarness();
    await harness.prepare(args);
    harness.now += ageMs;
    await harness.prepare(args);
    expect(harness.npx.runs.length).toBe(fetches);
  });

  test("without the network, the version on disk is used", async () => {
    using harness = new InstallHarness();
    const first = await harness.prepare(["pkg"]);
    harness.now += day;
    harness.npx.plan({ fails: "npm error code ENOTFOUND" });
    expect(await harness.prepare(["pkg"])).toEqual(first);
    expect(harness.logs.at(-1)).toBe(
      "Nothing newer was fetched: npx could not install pkg: \nnpm error code ENOTFOUND",
    );
  });

  test("what somebody has removed is fetched anew", async () => {
    using harness = new InstallHarness();
    await harness.prepare(["pkg@1.0.0"]);
    await Bun.$`rm -rf ${harness.npx.packages}`.quiet();
    await harness.prepare(["pkg@1.0.0"]);
    expect(harness.npx.runs).toEqual(["fetch pkg@1.0.0", "fetch pkg@1.0.0"]);
  });

  test.each<[string, string[], "direct" | "as-is"]>([
    ["a tag", ["-y", "pkg@latest"], "direct"],
    ["a package beside", ["-y", "-p", "pkg", "pkg"], "direct"],
    ["a command of a shell", ["-y", "-p", "pkg", "-c", "pkg"], "direct"],
    ["launcher = as-is", ["-y", "pkg"], "as-is"],
  ])("goes through the runner: %s", async (_, args, launcher) => {
    using harness = new InstallHarness();
    const { launch, startedAs, isInstalled } = await harness.prepare(args, { launcher });
    expect([launch.command, launch.args, startedAs, isInstalled]).toEqual([
      harness.npx.command,
      args,
      undefined as never,
      true,
    ]);
    expect(harness.npx.runs.length).toBe(1);
  });

  test.each<[string, (harness: InstallHarness, root: string) => void]>([
    [
      "the project has the package itself",
      ({ home }) => mkdirSync(join(home, "node_modules", "pkg"), { recursive: true }),
    ],
    [
      "the project has a program of its name",
      ({ home }) => {
        mkdirSync(join(home, "node_modules", ".bin"), { recursive: true });
        writeFileSync(join(home, "node_modules", ".bin", "pkg"), "");
      },
    ],
    [
      "it is installed for all projects",
      ({ npx }) =>
        mkdirSync(join(npx.dir, "global", "lib", "node_modules", "pkg"), { recursive: true }),
    ],
    [
      "the project is the package",
      ({ home }) => writeFileSync(join(home, "package.json"), '{"name":"pkg"}'),
    ],
    [
      "its program is no script of Node.js",
      (_, root) => writeFileSync(join(root, "server.js"), "#!/usr/bin/env bash\n"),
    ],
    [
      "its script wants options of Node.js",
      (_, root) => writeFileSync(join(root, "server.js"), "#!/usr/bin/env -S node --inspect\n"),
    ],
    [
      "it has several programs and none of its name",
      (_, root) =>
        writeFileSync(
          join(root, "package.json"),
          '{"version":"1.0.0","bin":{"a":"server.js","b":"other.js"}}',
        ),
    ],
    [
      "its program is outside of its folder",
      (_, root) =>
        writeFileSync(
          join(root, "package.json"),
          '{"version":"1.0.0","bin":{"pkg":"../../../../server.js"}}',
        ),
    ],
  ])("goes through the runner: %s", async (_, change) => {
    using harness = new InstallHarness();
    const first = await harness.prepare(["-y", "pkg"]);
    expect(first.startedAs).toBeDefined();
    const [program = ""] = first.launch.args;
    change(harness, join(program, "..", "..", "pkg"));
    const { launch } = await harness.prepare(["-y", "pkg"]);
    expect([launch.command, launch.args]).toEqual([harness.npx.command, ["-y", "pkg"]]);
  });
});

describe("Installer, one at a time [CN10a]", () => {
  test("of two who want the same one fetches, and the other has it too", async () => {
    using harness = new InstallHarness({ fetchMs: 300 });
    const installers = [harness.installer, harness.another(), harness.another()];
    const all = await Promise.all(
      installers.map((installer) => harness.prepare(["-y", "pkg"], { installer })),
    );
    expect(harness.npx.runs).toEqual(["fetch pkg"]);
    expect(all.map(({ startedAs }) => startedAs === all[0]?.startedAs)).toEqual([true, true, true]);
    expect(harness.told.length).toBe(3);
  });

  test.each<[string, object, boolean]>([
    ["has ended", { ...ownIdentity(), pid: 4_000_000 }, true],
    ["is another process by now", { pid: process.ppid, startTicks: 1 }, true],
    ["was a Worker of ours that was lost", ownIdentity(), true],
    ["lives", { pid: process.ppid, startTicks: null }, false],
  ])("who held it %s", async (_, holder, isTaken) => {
    using harness = new InstallHarness();
    await harness.prepare(["pkg@latest"]);
    const [name = ""] = new Bun.Glob("*.json").scanSync(join(harness.home, "installs"));
    const file = join(harness.home, "installs", name);
    const held = { holder: { ...holder, token: "t", since: 1 }, fetched: {} };
    writeFileSync(file, JSON.stringify(held));
    const leaving = new AbortController();
    const prepared = harness.prepare(["pkg@latest"], { signal: leaving.signal });
    if (!isTaken) setTimeout(() => leaving.abort(), 600);
    const outcome = await prepared.then(
      () => true,
      () => false,
    );
    expect([outcome, harness.npx.runs.length]).toEqual([isTaken, isTaken ? 2 : 1]);
    // Whoever lives keeps it.
    const { holder: left } = JSON.parse(readFileSync(file, "utf8")) as { holder?: object };
    expect(left === undefined).toBe(isTaken);
  });

  test("one that nobody wants any more is ended", async () => {
    using harness = new InstallHarness({ fetchMs: 60_000 });
    const leaving = new AbortController();
    const outcome = failureOf(harness.prepare(["pkg"], { signal: leaving.signal }));
    while (harness.npx.runs.length === 0) await Bun.sleep(10);
    leaving.abort();
    expect(await outcome).toContain("abort");
    expect((await harness.started[0]?.ended)?.signal).toBe("SIGKILL");
  });
});

describe("Installer, what cannot be fetched [CN10a]", () => {
  test("says what the runner said, without its chatter", async () => {
    using harness = new InstallHarness({
      fails:
        "npm http fetch GET 404 https://r.example/pkg 10ms\nnpm error code E404\nnpm error 404 Not Found - GET https://r.example/pkg\nnpm error A complete log of this run can be found in: /x",
    });
    expect(await failureOf(harness.prepare(["pkg"]))).toBe(
      "npx could not install pkg: \nnpm error code E404\nnpm error 404 Not Found - GET https://r.example/pkg",
    );
  });

  test("names a broken folder and its remedy", async () => {
    using harness = new InstallHarness({
      fails:
        "npm error code EJSONPARSE\nnpm error path FOLDER/package.json\nnpm error JSON.parse Unexpected end of JSON input",
    });
    const hash = createHash("sha512").update("pkg").digest("hex").slice(0, 16);
    const folder = join(harness.npx.packages, hash);
    expect(await failureOf(harness.prepare(["pkg"]))).toBe(
      `npx could not install pkg: its folder ${folder} is broken, usually because an earlier download was interrupted. Remove that folder (rm -rf ${folder}) and try again.`,
    );
  });
});

describe("Installer, other runners [CN10a]", () => {
  const calls = (harness: InstallHarness): string[] => {
    const file = join(harness.home, "calls");
    return existsSync(file) ? readFileSync(file, "utf8").trim().split("\n") : [];
  };
  const logging = (harness: InstallHarness): string => `echo "$@" >> ${harness.home}/calls`;

  test.each<[string, string[], string]>([
    ["uvx", ["mcp-server-time", "--tz", "x"], "--from mcp-server-time python -c 0"],
    ["pipx", ["run", "tool"], "run --spec tool python -c 0"],
    ["bunx", ["pkg"], "--package=pkg node -e 0"],
    ["pnpm", ["dlx", "pkg"], "dlx --package=pkg node -e 0"],
  ])("%s fetches, once a day, and starts as it stands in the entry", async (name, args, call) => {
    using harness = new InstallHarness();
    const command = harness.program(name, logging(harness));
    const { launch, isInstalled } = await harness.prepare(args, { command });
    expect([launch.command, launch.args, isInstalled]).toEqual([command, args, true]);
    await harness.prepare(args, { command });
    expect(calls(harness)).toEqual([call]);
    harness.now += day;
    await harness.prepare(args, { command });
    expect(calls(harness)).toEqual([call, call]);
  });

  test("yarn dlx has fetched when it says that there is nothing to run", async () => {
    using harness = new InstallHarness();
    const said =
      "Usage Error: Binary not found (scorpiox-code-fetches-only;root-workspace@workspace:.)";
    const command = harness.program("yarn", `${logging(harness)}; echo "${said}"; exit 1`);
    expect((await harness.prepare(["dlx", "pkg"], { command })).isInstalled).toBe(true);
    const broken = harness.program("yarn", "echo 'no network' >&2; exit 1");
    expect(await failureOf(harness.prepare(["dlx", "other"], { command: broken }))).toBe(
      "yarn dlx could not install other: \nno network",
    );
  });

  test("docker run: an image that is there is not fetched; one that is not, is", async () => {
    using harness = new InstallHarness();
    const look = "image inspect --format {{.Id}} mcp/x";
    const command = harness.program(
      "docker",
      `${logging(harness)}
       case "$1" in image) test -e ${harness.home}/image;; pull) touch ${harness.home}/image;; esac`,
    );
    const args = ["run", "-i", "--rm", "mcp/x"];
    await harness.prepare(args, { command });
    expect(calls(harness)).toEqual([look, "pull mcp/x"]);
    expect(harness.told.map(({ what, runner }) => [what, runner])).toEqual([
      ["mcp/x", "docker run"],
    ]);
    await harness.prepare(args, { command });
    expect(calls(harness)).toEqual([look, "pull mcp/x", look]);
    await Bun.$`rm ${harness.home}/image`;
    await harness.prepare(args, { command });
    expect(calls(harness).filter((call) => call.startsWith("pull")).length).toBe(2);
  });

  test("a command that fetches nothing is started as it stands", async () => {
    using harness = new InstallHarness();
    const prepared = await harness.prepare(["server.js"], { command: "node" });
    expect(prepared).toEqual({ launch: harness.launch(["server.js"], "node"), isInstalled: false });
    expect(harness.told).toEqual([]);
  });
});
