import { describe, expect, setDefaultTimeout, test } from "bun:test";
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";

import { faultyBinary, root } from "./harness/binary.ts";
import { eventually } from "./harness/conditions.ts";
import { isError, textOf } from "./harness/messages.ts";
import { posixTest, testMsMax } from "./harness/platform.ts";
import {
  allGone,
  processesWith,
  residentBytes,
  sleepers,
  uniqueSeconds,
} from "./harness/processes.ts";
import { Server, type ServerOptions } from "./harness/server.ts";
import { TempFolder } from "./harness/temp-folder.ts";
import { shareOf } from "../fixtures/long-run.ts";
import { upstreamLaunch } from "../fixtures/upstream/launch.ts";

setDefaultTimeout(testMsMax);

const fixture = join(root, "test/fixtures/upstream/main.ts");

/** A user's configuration with one scripted server, `works`. */
function homeWith(script: object, more = ""): TempFolder {
  const home = new TempFolder();
  const { command, args } = upstreamLaunch(script);
  home.write(
    ".scorpiox/config.toml",
    `[mcp.servers.works]\ncommand = ${JSON.stringify(command)}\nargs = ${JSON.stringify(args)}\nstart = "eager"\nera = "legacy"\n${more}`,
  );
  return home;
}

/** A server whose list has the tools of `works`. */
async function startWith(home: TempFolder, options: ServerOptions = {}): Promise<Server> {
  const server = new Server({ home, ...options });
  await server.initialize();
  await server.request("tools/list");
  const isThere = async (): Promise<boolean> =>
    !isError(await server.call("mcp__works__echo", { text: "up" }));
  await eventually("the tools of the other server", isThere, 15_000);
  return server;
}

describe("other servers end with us", () => {
  const stubborn = (marker: string): object => ({
    name: marker,
    ignoreTerm: true,
    ignoreEof: true,
    grandchild: true,
  });

  test.each([
    ["the end of input", 6_000, (server: Server) => server.endInput()],
    ["kill -9", 15_000, (server: Server) => server.signal("SIGKILL")],
  ] as const)("[gateway.gw-12] %s", async (_how, msMax, end) => {
    const marker = uniqueSeconds();
    using home = homeWith(stubborn(marker));
    await using server = await startWith(home);
    expect(processesWith(marker).length).toBeGreaterThan(0);
    end(server);
    // Three times what is promised, which a check measures: other tests run beside this one.
    await allGone(marker, msMax);
    await server.exited;
  });

  posixTest.each([
    ["the end of input", 6_000, (server: Server) => server.endInput()],
    ["kill -9", 15_000, (server: Server) => server.signal("SIGKILL")],
  ] as const)("[gateway.gw-12] a command of ${cmd:…}, at %s", async (_how, msMax, end) => {
    const marker = uniqueSeconds();
    using home = new TempFolder();
    const deaf = `trap '' TERM HUP; setsid sleep ${marker} & sleep ${marker}`;
    home.write(
      ".scorpiox/config.toml",
      `[mcp.servers.works]\ncommand = "cat"\nstart = "eager"\nenv = { TOKEN = "\${cmd:${deaf}}" }\n`,
    );
    await using server = new Server({ home });
    await server.initialize();
    server.start("tools/list");
    await eventually("two sleepers", () => sleepers(marker) === 2, 15_000);
    end(server);
    await allGone(marker, msMax);
    await server.exited;
  });
});

test("[gateway.gw-33] no variable of ours reaches another server", async () => {
  using home = homeWith({}, 'inherit_env = ["WANTED"]\nenv = { LOG = "warn" }\n');
  const env = {
    CANARY: "canary",
    SCORPIOX_CANARY: "canary",
    HTTPS_PROXY: "http://me:canary@127.0.0.1:9",
    WANTED: "yes",
  };
  await using server = await startWith(home, { env });
  const text = textOf(await server.call("mcp__works__env"));
  expect(text).not.toContain("canary");
  expect(JSON.parse(text)).toMatchObject({
    WANTED: "yes",
    LOG: "warn",
    SCORPIOX_DEPTH: "1",
    HTTPS_PROXY: "http://127.0.0.1:9",
    HOME: home.path,
  });
});

posixTest("[gateway.gw-34] a program that only the login shell knows is found", async () => {
  using home = new TempFolder();
  const words = [process.execPath, fixture].map((word) => `'${word}'`).join(" ");
  home.write("tools/my-server", `#!/bin/sh\nexec ${words} '{}'\n`, 0o755);
  home.write(".bash_profile", `PATH="$HOME/tools:$PATH"\n`);
  home.write(
    ".scorpiox/config.toml",
    '[mcp.servers.works]\ncommand = "my-server"\nstart = "eager"\nera = "legacy"\n',
  );
  const bareEnv = { HOME: home.path, SHELL: "/bin/bash", PATH: "/usr/bin:/bin" };
  await using server = await startWith(home, { bareEnv });
  expect(textOf(await server.call("mcp__works__echo", { text: "found" }))).toBe("found");
});

test("[gateway.gw-35] noise on stdout and stderr is in the server's log, not in ours", async () => {
  using home = homeWith({ noise: ["starting up…", "\u001b[31mred"], stderr: ["a warning"] });
  await using server = await startWith(home);
  const log = home.at(".scorpiox/logs/mcp-works.log");
  const read = (): string => (existsSync(log) ? readFileSync(log, "utf8") : "");
  await eventually("the log", () => read().includes("red") && read().includes("a warning"));
  expect(read()).toContain("starting up…");
  expect(read()).not.toContain("\u001b");
  expect(server.stderr).not.toContain("starting up");
  expect(server.lines.join("\n")).not.toContain("starting up");
});

test("[gateway.gw-36] a server that floods disturbs no ping and costs little memory", async () => {
  using home = homeWith({});
  await using server = await startWith(home);
  const before = residentBytes(server.pid);
  const state = { isDone: false };
  const floods = ["logs", "list_changed", "garbage"].map((kind) =>
    server.call("mcp__works__flood", { kind, count: shareOf(60_000) }),
  );
  const flooding = Promise.all(floods).then(() => {
    state.isDone = true;
  });
  // How soon they are answered is measured by a check, on a machine that does nothing else.
  let answered = 0;
  while (!state.isDone) {
    await server.request("ping");
    if (!state.isDone) answered++;
    await Bun.sleep(5);
  }
  await flooding;
  expect(answered).toBeGreaterThan(0);
  expect(residentBytes(server.pid) - before).toBeLessThan(250e6);
});

test("[gateway.gw-37] a Worker that hangs is replaced, its servers with it, and our own tools go on", async () => {
  const marker = uniqueSeconds();
  using home = homeWith({ name: marker });
  await using server = await startWith(home, {
    binary: faultyBinary,
    env: { SCORPIOX_HUB: "off" },
  });
  const pid = textOf(await server.call("mcp__works__pid"));
  const hung = server.call("mcp__works__echo", { text: "hang the Worker" });
  let answered = 0;
  const state = { isOver: false };
  const reply = hung.then((message) => {
    state.isOver = true;
    return message;
  });
  while (!state.isOver) {
    await server.request("ping");
    if (!state.isOver) answered++;
    await Bun.sleep(20);
  }
  expect(answered).toBeGreaterThan(5);
  expect(textOf(await reply)).toContain("was lost: it hung");
  await eventually("another server", async () => {
    const answer = await server.call("mcp__works__pid");
    return !isError(answer) && textOf(answer) !== pid;
  });
  expect(processesWith(marker).map((info) => String(info.pid))).not.toContain(pid);
});
