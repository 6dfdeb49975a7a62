import { expect, setDefaultTimeout, test } from "bun:test";

import { PlayedNpx } from "../fixtures/runners/played-npx.ts";
import { eventually } from "./harness/conditions.ts";
import { isError, textOf } from "./harness/messages.ts";
import { testMsMax } from "./harness/platform.ts";
import { allGone, processesWith } from "./harness/processes.ts";
import { runProduct } from "./harness/run-product.ts";
import { Server, testsUseHub } from "./harness/server.ts";
import { TempFolder } from "./harness/temp-folder.ts";

setDefaultTimeout(testMsMax);

/** A user who has configured a package, which the runner of `npx` has to fetch. */
function homeWith(npx: PlayedNpx, spec: string): TempFolder {
  const home = new TempFolder();
  const entry = { command: npx.command, args: ["-y", spec], env: npx.env };
  home.write(
    ".scorpiox/mcp_servers.json",
    JSON.stringify({ mcpServers: { pack: { ...entry, init_timeout_ms: 2_000 } } }),
  );
  return home;
}

/** Times differ. */
const withoutTimes = (text: string): string => text.replaceAll(/\d+ s so far/g, "N s so far");

test("[gateway.installing] what is being fetched is told to everybody who asks, and then started without the runner", async () => {
  using npx = new PlayedNpx({ fetchMs: 7_000 });
  using home = homeWith(npx, "@s/pack");
  await using server = new Server({ home });
  await server.initialize();
  // It takes longer than init_timeout_ms, and lists do not wait for it.
  expect(await names(server)).not.toContain("mcp__pack__how");
  const fact = "@s/pack is being installed with npx (N s so far).";
  for (const name of ["mcp__pack__how", "mcp:pack.how", "mcp_pack_how"]) {
    const reply = await server.call(name);
    expect([isError(reply), withoutTimes(textOf(reply))]).toEqual([
      true,
      `${name} cannot be called yet. The MCP server pack: ${fact} Try again in 10 s.`,
    ]);
  }
  const found = await server.call("tool_search", { query: "how" });
  expect(found.result).toMatchObject({
    structuredContent: { unavailable: [{ server: "pack", state: "installing", retry_in: 10 }] },
  });
  const status = await eventually("the status", async () => {
    const { stdout } = await runProduct(home, ["mcp", "status"], { cwd: home.path });
    return stdout.includes("installing") && stdout;
  });
  expect(withoutTimes(status)).toContain(`pack: installing`);
  expect(withoutTimes(status)).toContain(fact);
  await eventually("its tool", async () => (await names(server)).includes("mcp__pack__how"));
  const how = JSON.parse(textOf(await server.call("mcp__pack__how"))) as Record<string, unknown>;
  expect(how).toMatchObject({
    argv: [expect.stringMatching(/_npx\/[0-9a-f]{16}\/node_modules\/\.bin\/pack$/)],
    parent: testsUseHub ? expect.any(Number) : server.pid,
    path: [expect.stringMatching(/_npx\/[0-9a-f]{16}\/node_modules\/\.bin$/), expect.any(String)],
    env: {
      npm_command: "exec",
      npm_lifecycle_event: "npx",
      npm_lifecycle_script: "'pack'",
      npm_config_package: "",
    },
  });
  expect(npx.runs).toEqual(["fetch @s/pack"]);
});

test("[gateway.installing] of clients that start together one fetches, and all have the tools", async () => {
  using npx = new PlayedNpx({ fetchMs: 3_000 });
  using home = homeWith(npx, "pack@^1");
  await using one = new Server({ home });
  await using two = new Server({ home });
  await Promise.all([one.initialize(), two.initialize()]);
  await Promise.all([names(one), names(two)]);
  for (const server of [one, two]) {
    await eventually("its tool", async () => (await names(server)).includes("mcp__pack__how"));
  }
  expect(npx.runs).toEqual(["fetch pack@^1"]);
});

test("[gateway.installing-ends] nothing goes on fetching when we are killed", async () => {
  using npx = new PlayedNpx({ fetchMs: 60_000 });
  using home = homeWith(npx, "pack");
  await using server = new Server({ home });
  await server.initialize();
  await server.request("tools/list");
  const program = "--package=pack";
  await eventually("the runner", () => npx.runs.length > 0);
  expect(processesWith(program).length).toBeGreaterThan(0);
  server.signal("SIGKILL");
  await allGone(program, 15_000);
  // Who comes next takes over.
  npx.plan({});
  await using next = new Server({ home });
  await next.initialize();
  await eventually("its tool", async () => (await names(next)).includes("mcp__pack__how"));
});

async function names(server: Server): Promise<readonly string[]> {
  const { result } = await server.request("tools/list");
  return (result as { tools: readonly { name: string }[] }).tools.map(({ name }) => name);
}

test("[gateway.install-at-once] mcp add and mcp approve fetch a package at once, mcp import when it is told to", async () => {
  using npx = new PlayedNpx();
  using home = new TempFolder();
  const own = ["-e", `PLAYED_NPX=${npx.dir}`];
  const add = ["mcp", "add", "-s", "global", ...own];
  const run = async (words: readonly string[]): Promise<string> => {
    const { exitCode, stderr } = await runProduct(home, words);
    expect([exitCode, stderr]).toEqual([0, stderr]);
    return stderr;
  };
  await run([...add, "later", "--no-install", "--", npx.command, "-y", "later"]);
  expect(npx.runs).toEqual([]);
  const said = await run([...add, "now", "--", npx.command, "-y", "now"]);
  expect(said).toContain("now: fetching now with npx …");
  expect(said).toMatch(
    /now: installed in [\d.]+ m?s\.\n.*It is started as \S+node \S+\/_npx\/\w+\/node_modules\/\.bin\/now\n/,
  );
  expect(npx.runs).toEqual(["fetch now"]);

  const entry = { command: npx.command, args: ["-y", "theirs"], env: { PLAYED_NPX: npx.dir } };
  home.write("project/.mcp.json", JSON.stringify({ mcpServers: { theirs: entry } }));
  expect(npx.runs).toEqual(["fetch now"]);
  expect(await run(["mcp", "approve", "theirs", "--yes"])).toContain("theirs: installed in ");
  expect(npx.runs).toEqual(["fetch now", "fetch theirs"]);

  const foreign = home.write(
    "other.json",
    JSON.stringify({ mcpServers: { taken: { ...entry, args: ["taken"] } } }),
  );
  const imported = ["mcp", "import", foreign, "--scope", "global"];
  expect(await run(imported)).toContain("The packages of taken are fetched at the first start");
  expect(npx.runs.length).toBe(2);
  expect(await run([...imported, "--force", "--install"])).toContain("taken: installed in ");

  npx.plan({ fails: "npm error code E404" });
  const failed = await run([...add, "none", "--", npx.command, "-y", "none"]);
  expect(failed).toContain("warning: none: npx could not install none:");
});
