import { describe, expect, setDefaultTimeout, test } from "bun:test";
import {
  chmodSync,
  copyFileSync,
  existsSync,
  linkSync,
  mkdirSync,
  readdirSync,
  rmSync,
  writeFileSync,
} from "node:fs";

import { eventually } from "./harness/conditions.ts";
import { ensureBuilt, productBinary } from "./harness/binary.ts";
import { builtTools } from "./harness/built-tools.ts";
import { isError, textOf, toolNames } from "./harness/messages.ts";
import { isRoot, posixTest, testMsMax } from "./harness/platform.ts";
import { runProduct } from "./harness/run-product.ts";
import { Server } from "./harness/server.ts";
import { TempFolder } from "./harness/temp-folder.ts";

setDefaultTimeout(testMsMax);

/** Neither a stack trace nor source text, wherever the message goes. */
function expectNoTrace(text: string): void {
  expect(text).not.toMatch(/^\s+at .*[:(]\d+/m);
  expect(text).not.toContain("$bunfs");
  expect(text).not.toMatch(/\b(?:async )?function\b.*\{/);
}

/** Runs `echo works` on a new session. */
async function expectServing(server: Server): Promise<void> {
  await server.initialize();
  expect(textOf(await server.call("Bash", { command: "echo works" }))).toBe("works\n");
}

/** The same where no shell is needed to see it: a command costs as much as the server. */
async function expectAnswering(server: Server): Promise<void> {
  await server.initialize();
  expect(textOf(await server.call("ListBgTasks"))).toBe("No background tasks.");
}

describe("a bare environment", () => {
  // As Debian's own files do it: nothing for a shell that is not interactive.
  const guarded = "case $- in *i*) ;; *) return;; esac\n";

  posixTest.each([
    [".bash_profile", ""],
    [".profile", ""],
    [".bashrc", guarded],
  ])("[start.login-path] commands find what %s puts on the PATH", async (file, head) => {
    using home = new TempFolder();
    home.write("own-tools/scorpiox-e2e-tool", "#!/bin/sh\necho found it\n", 0o755);
    home.write(".profile", '[ -f "$HOME/.bashrc" ] && . "$HOME/.bashrc"\n');
    home.write(file, `${head}export PATH="$HOME/own-tools:$PATH"\n`);
    const wrap = ["env", "-i", "PATH=/usr/bin:/bin", `HOME=${home.path}`, "SHELL=/bin/bash"];
    await using server = new Server({ home, wrap });
    await server.initialize();
    expect(textOf(await server.call("Bash", { command: "scorpiox-e2e-tool" }))).toBe("found it\n");
  });

  posixTest(
    "[start.login-path] a start-up file that hangs or prints does not matter for long",
    async () => {
      using home = new TempFolder();
      home.write(
        ".bash_profile",
        "echo greetings; read -t 60 answer; export PATH=$PATH:/opt/late\n",
      );
      await using server = new Server({ home });
      await expectServing(server);
    },
  );

  posixTest(
    "[start.secrets] the server's own settings are not in the child's environment",
    async () => {
      await using server = new Server({ env: { SCORPIOX_CLIENT_BUDGET_MS: "9000", MINE: "kept" } });
      await server.initialize();
      const text = textOf(await server.call("Bash", { command: "env" }));
      expect(text).toContain("MINE=kept");
      expect(text).not.toContain("SCORPIOX_CLIENT_BUDGET_MS");
    },
  );
});

describe("a hostile working folder", () => {
  test("[start.hostile-folder] its bunfig.toml, .env, tsconfig.json and package.json change nothing", async () => {
    using home = new TempFolder();
    const project = home.folder("project");
    home.write("project/evil.ts", `require("fs").writeFileSync("${home.at("owned")}", "yes");\n`);
    home.write("project/bunfig.toml", 'preload = ["./evil.ts"]\n[test]\npreload = ["./evil.ts"]\n');
    home.write(
      "project/.env",
      "SCORPIOX_TOOLS=false\nTOOLS=false\nTOOL_BASH=0\nEVIL=1\nBUN_OPTIONS=--preload=./evil.ts\nNODE_OPTIONS=--require=./evil.ts\n",
    );
    home.write("project/.env.local", "TOOL_BASH=0\n");
    home.write("project/.env.production", "TOOL_BASH=0\n");
    home.write("project/tsconfig.json", '{"compilerOptions": {"paths": {"*": ["./evil.ts"]}}}\n');
    home.write(
      "project/package.json",
      '{"type": "commonjs", "imports": {"#*": "./evil.ts"}, "main": 5\n',
    );
    home.write("project/node_modules/zod/index.js", "throw new Error('evil zod');\n");
    await using server = new Server({ home, cwd: project });
    await server.initialize();
    expect(toolNames(await server.request("tools/list", {}))).toEqual([...builtTools]);
    const reply = await server.call("Bash", { command: 'pwd; echo "[$EVIL]"' });
    expect(textOf(reply)).toBe(`${project}\n[]\n`);
    expect(existsSync(home.at("owned"))).toBe(false);
    expect(server.stderr).toBe("");
  });

  posixTest("[start.hostile-folder] its configuration may only take away", async () => {
    using home = new TempFolder();
    const project = home.folder("project");
    const settings = "SHELL_PATH=/bin/false\nCLIENT_BUDGET_MS=1000\nTOOL_KILLBGTASK=0\n";
    home.write("project/.scorpiox/scorpiox-env.txt", settings);
    await using server = new Server({ home, cwd: project });
    await server.initialize();
    const names = toolNames(await server.request("tools/list", {}));
    expect(names).toEqual(builtTools.filter((name) => name !== "KillBgTask"));
    expect(textOf(await server.call("Bash", { command: "echo works" }))).toBe("works\n");
    await eventually("it on stderr", () => server.stderr.includes("SHELL_PATH"));
  });
});

describe("switches", () => {
  test.each([
    ["TOOLS", "false", []],
    ["SCORPIOX_TOOLS", "false", []],
    ["TOOL_BASH", "0", builtTools.slice(1)],
    ["SCORPIOX_TOOL_LISTBGTASKS", "0", builtTools.filter((name) => name !== "ListBgTasks")],
    // Another program's variable of the same name must not be ours.
    ["TOOLS", "hammer,saw", builtTools],
  ])("[config.switches] %s=%s", async (variable, value, listed) => {
    await using server = new Server({ env: { [variable]: value } });
    await server.initialize();
    expect(toolNames(await server.request("tools/list", {}))).toEqual([...listed]);
    const reply = await server.call("Bash", { command: "echo works" });
    if (listed.includes("Bash")) expect(textOf(reply)).toBe("works\n");
    else expect(reply.error?.code).toBe(-32602);
  });
});

describe("bad input at the start", () => {
  test.each([
    [["--colour"], "--colour"],
    [["serv"], "serve"],
    [["--cwd", "/no/such/folder"], "/no/such/folder"],
    [["--config", "/no/such/file.txt"], "/no/such/file.txt"],
    [["call", "Bash", "{not json"], "JSON"],
  ])("[cli.wrong-usage] %j exits with 2 and names it", async (args, name) => {
    using home = new TempFolder();
    const { exitCode, stdout, stderr } = await runProduct(home, args);
    expect(exitCode).toBe(2);
    expect(stdout).toBe("");
    expect(stderr).toContain(name);
    expectNoTrace(stderr);
  });

  test("[config.bad-file] what is wrong is told with file and line, and the server serves", async () => {
    using home = new TempFolder();
    const text = "STREAMING=perhaps\nno equals sign\nSHELL_PTAH=/bin/sh\n";
    const file = home.write(".scorpiox/scorpiox-env.txt", text);
    await using server = new Server({ home });
    await expectAnswering(server);
    for (const part of [`${file}:1`, `${file}:2`, `${file}:3`, "perhaps", "SHELL_PATH"]) {
      await eventually("it on stderr", () => server.stderr.includes(part));
    }
    expectNoTrace(server.stderr);
  });

  test("[config.comments] a file with comments behind the values is read as it stands", async () => {
    using home = new TempFolder();
    const lines = [
      "TOOLS=true                  # Enable MCP tool serving",
      "export TOOL_READDOCS='off'  # No pages",
      'STREAMING="true"            # Progress',
    ];
    home.write(".scorpiox/scorpiox-env.txt", `${lines.join("\n")}\n`);
    await using server = new Server({ home });
    await expectAnswering(server);
    const names = toolNames(await server.request("tools/list", {}));
    expect(names).toEqual(builtTools.filter((name) => name !== "ReadDocs"));
    expect(server.stderr).toBe("");
  });

  test.each([
    ["a file", "TOOL_READDOCS=fasle\n", {}, "TOOL_READDOCS=false (scorpiox-env.txt:1)"],
    [
      "its variable",
      "TOOL_READDOCS=1\n",
      { SCORPIOX_TOOL_READDOCS: "2" },
      "TOOL_READDOCS=false (SCORPIOX_TOOL_READDOCS)",
    ],
    ["no bare variable", "", { TOOL_READDOCS: "/opt/docs" }, undefined],
  ] as const)(
    "[config.unreadable-switch] in %s it is off, which stderr and the instructions say",
    async (_where, text, env, said) => {
      using home = new TempFolder();
      home.write(".scorpiox/scorpiox-env.txt", text);
      await using server = new Server({ home, env });
      const { result } = await server.initialize();
      const { instructions } = result as { readonly instructions: string };
      const names = toolNames(await server.request("tools/list", {}));
      expect(names.includes("ReadDocs")).toBe(said === undefined);
      if (said === undefined) {
        expect(instructions).not.toContain("cannot be read");
        return expect(server.stderr).toBe("");
      }
      expect(instructions.split("\n")[1]).toContain(said);
      expect(instructions.split("\n")[0]).toMatch(/^scorpiox-code runs/);
      await eventually("it on stderr", () => server.stderr.includes("Using false instead."));
    },
  );

  test.each([
    ["bytes that are no text", Buffer.from([0, 1, 255, 254, 10])],
    ["a binary", Buffer.alloc(300_000, 0x7f)],
    ["one endless line", Buffer.from("A".repeat(3_000_000))],
  ])("[config.bad-file] %s in its place is told, and the server serves", async (_name, bytes) => {
    using home = new TempFolder();
    const file = home.write(".scorpiox/scorpiox-env.txt", "");
    writeFileSync(file, bytes);
    await using server = new Server({ home });
    await expectAnswering(server);
    await eventually("it on stderr", () => server.stderr.includes(file));
    expect(server.stderr.length).toBeLessThan(1_000);
    expectNoTrace(server.stderr);
  });

  posixTest("[start.missing-shell] is said by each call, and the server goes on", async () => {
    await using server = new Server({ env: { SCORPIOX_SHELL_PATH: "/nope/zsh" } });
    await server.initialize();
    const reply = await server.call("Bash", { command: "true" });
    expect(isError(reply)).toBe(true);
    expect(textOf(reply)).toContain("/nope/zsh");
    expect(textOf(reply)).toContain("SHELL_PATH");
    expectNoTrace(textOf(reply) + server.stderr);
    const background = await server.call("BackgroundBash", { command: "true" });
    expect(isError(background)).toBe(true);
    expect(textOf(background)).toContain("/nope/zsh");
    expect((await server.request("ping")).result).toEqual({});
  });

  posixTest("[start.vanished-folder] is named, and the server goes on", async () => {
    using home = new TempFolder();
    const project = home.folder("project");
    await using server = new Server({ home, cwd: project });
    await expectServing(server);
    rmSync(project, { recursive: true });
    const reply = await server.call("Bash", { command: "true" });
    expect(isError(reply)).toBe(true);
    expect(textOf(reply)).toContain(project);
    expectNoTrace(textOf(reply) + server.stderr);
    mkdirSync(project);
    expect(textOf(await server.call("Bash", { command: "echo back" }))).toBe("back\n");
  });

  posixTest("[start.read-only-home] commands run, long results are saved elsewhere", async () => {
    using home = new TempFolder();
    using binaries = new TempFolder();
    ensureBuilt(productBinary);
    const wrap = isRoot ? ["setpriv", "--reuid=65534", "--regid=65534", "--clear-groups"] : [];
    if (isRoot && Bun.which("setpriv") === null) return;
    chmodSync(home.path, 0o555);
    chmodSync(binaries.path, 0o755);
    // The checkout may be closed to that user.
    const binary = binaries.at("scorpiox-code");
    try {
      linkSync(productBinary, binary);
    } catch {
      copyFileSync(productBinary, binary);
    }
    chmodSync(binary, 0o755);
    await using server = new Server({ binary, home, wrap, cwd: "/" });
    await server.initialize();
    const echoed = await server.call("Bash", { command: "sleep 0.4; echo works" });
    expect(textOf(echoed)).toBe("works\n");
    const long = await server.call("Bash", { command: "seq 1 20000" });
    expect(isError(long)).toBe(false);
    expect(textOf(long)).toContain("left out");
    expect(readdirSync(home.path)).toEqual([]);
    expectNoTrace(server.stderr);
    if (server.stderr !== "") expect(server.stderr).toContain(home.path);
    chmodSync(home.path, 0o755);
  });

  test("[start.strange-home] HOME that is not there, empty or a file does not stop the server", async () => {
    using folder = new TempFolder();
    const file = folder.write("a-file", "");
    for (const HOME of [folder.at("missing"), "", file]) {
      await using server = new Server({ home: folder, env: { HOME } });
      await expectServing(server);
      expectNoTrace(server.stderr);
    }
  });
});
