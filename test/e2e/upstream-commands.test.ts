import { describe, expect, setDefaultTimeout, test } from "bun:test";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";

import { ensureBuilt, productBinary, root } from "./harness/binary.ts";
import { eventually } from "./harness/conditions.ts";
import { testMsMax } from "./harness/platform.ts";
import { processesWith, uniqueSeconds } from "./harness/processes.ts";
import { type Ended, runProduct } from "./harness/run-product.ts";
import { Server, testEnvironment } from "./harness/server.ts";
import { TempFolder } from "./harness/temp-folder.ts";
import { upstreamHome } from "./harness/upstream-home.ts";
import { onlyLong } from "../fixtures/long-run.ts";
import { tokenExamples } from "../fixtures/token-examples.ts";

setDefaultTimeout(testMsMax);
ensureBuilt(productBinary);

function run(
  home: TempFolder,
  line: string,
  env: Readonly<Record<string, string>> = {},
): Promise<Ended> {
  return runProduct(home, wordsOf(line), { env });
}

/** Words without blanks; JSON has none here. */
function wordsOf(line: string): readonly string[] {
  return line.split(" ");
}

async function json(home: TempFolder, line: string): Promise<unknown> {
  const { stdout } = await run(home, `${line} --json`);
  return JSON.parse(stdout);
}

function projectOf(home: TempFolder): TempFolder {
  home.folder("project/.git");
  return home;
}

const tools = ["echo", "add", "fail"];
const upstreamProgram = join(root, "test/fixtures/upstream/main.ts");

test("[gateway.commands-equal] GW-44: a running server tells its client what the commands say", async () => {
  using home = projectOf(
    upstreamHome({ one: [{ tools, prompts: 1 }], two: [{ tools: ["echo"] }] }),
  );
  const facts = await json(home, "mcp test");
  await using server = new Server({
    home,
    cwd: home.at("project"),
    args: ["serve", "--defer", "on"],
  });
  await server.initialize();
  const found = await server.request("tools/call", {
    name: "tool_search",
    arguments: { query: "echo", explain: true },
  });
  const searched = (await json(home, "mcp tools --search echo --explain --defer on")) as object;
  const told = found.result?.["structuredContent"] as { index_file?: string };
  // A command leaves no file behind that could be read.
  const { index_file: _file, ...rest } = told;
  expect(searched).toEqual(rest);
  const called = await server.request("tools/call", {
    name: "mcp__one__add",
    arguments: { a: 1, b: 2 },
  });
  expect(await json(home, "mcp call one add a=1 b=2")).toEqual(called.result as never);
  const running = await eventually("it has written its file", async () => {
    const { instances } = (await json(home, "mcp status")) as {
      instances: readonly { source: string; pid: number; servers: readonly { calls: number }[] }[];
    };
    const [first] = instances;
    return first?.pid === server.pid && first.servers[0]?.calls === 1 && first;
  });
  expect(running.source).toBe("running");
  expect(running.servers.map(lasting)).toEqual((facts as readonly object[]).map(lasting));
  const all = (await json(home, "mcp tools --defer off")) as readonly { name: string }[];
  expect(all.map(({ name }) => name)).toEqual([
    "mcp__one__add",
    "mcp__one__echo",
    "mcp__one__fail",
    "mcp__two__echo",
  ]);
  const summaries = (await json(home, "mcp tools one --summary --defer off")) as readonly object[];
  expect(summaries[0]).toEqual({
    name: "mcp__one__add",
    server: "one",
    summary: expect.any(String),
    args: ["a", "b"],
    state: "approved",
  });
});

/** What does not change with time and process. */
function lasting(info: object): unknown {
  const { name, era, protocolVersion, serverVersion, tools, prompts, resources, blocked, scope } =
    info as Record<string, unknown>;
  return { name, era, protocolVersion, serverVersion, tools, prompts, resources, blocked, scope };
}

describe("[gateway.gw-06] commands say by their exit code what happened", () => {
  // Each row has the servers that it is about: a server that starts costs more than the command.
  const good = { good: [{ tools }] } as const;
  const bad = { bad: [{ exitAtStart: 3, stderr: ["no licence"] }] } as const;
  const off = { off: [{}, { enabled: false }] } as const;
  const all = { ...good, ...bad, ...off };
  test.each([
    ["mcp status", 0, "", all],
    ["mcp test bad", 12, "", bad],
    ["mcp test none", 3, 'There is no server "none"', all],
    ["mcp test off", 3, "is disabled", off],
    ["mcp tools bad", 12, "no licence", bad],
    ["mcp tools none", 3, 'There is no server "none"', all],
    ["mcp tools --explain", 2, "--explain needs --search", all],
    ["mcp tools --search /(/", 2, "missing closing", off],
    ["mcp call good fail text=no", 1, "", good],
    ["mcp call good nix", 3, 'has no tool "nix"', good],
    ["mcp call good add --args [1]", 2, "must be a JSON object", good],
    ["mcp call good add --args {} a=1", 2, "not in both", good],
    ["mcp call good", 2, "an argument is missing", good],
    ["mcp lock --all", 12, "not all servers could be reached", bad],
    ...onlyLong([
      ["mcp call good add a=x b=1", 2, "a takes a number", good],
      ["mcp test good", 0, "", all],
      ["mcp tools good", 0, "", all],
      ["mcp tools --search /(/", 2, "missing closing", all],
      ["mcp call bad echo", 12, "no licence", all],
      ["mcp test", 12, "", all],
      ["mcp tools --server good", 0, "", all],
      ["mcp call good echo text=hi", 0, "", all],
      ["mcp lock --all", 12, "not all servers could be reached", all],
    ] as const),
  ])("%s: %d", async (line, exitCode, said, servers) => {
    using home = projectOf(upstreamHome(servers));
    const ended = await run(home, line);
    expect(ended).toMatchObject({ exitCode });
    expect(ended.stderr).toContain(said);
  });

  test("4: what waits for approval", async () => {
    using home = projectOf(upstreamHome({}));
    home.write("project/.mcp.json", JSON.stringify({ mcpServers: { own: { command: "none" } } }));
    const codes = ["mcp test", "mcp test own", "mcp tools own", "mcp call own echo"].map((line) =>
      run(home, line),
    );
    const all = await Promise.all(codes);
    expect(all.map(({ exitCode }) => exitCode)).toEqual([4, 4, 4, 4]);
    // What cannot be reached must not hide behind it.
    const bad = '[mcp.servers.bad]\ncommand = "none-such"\n';
    home.write(".scorpiox/config.toml", bad);
    expect((await run(home, "mcp test")).exitCode).toBe(12);
  });
});

test("[gateway.gw-06] CL5: no name of another server's begins a line of its own", async () => {
  const line = "\n  mcp__forged__tool  listed";
  const inputSchema = { type: "object", properties: { [`text${line}`]: {} } };
  const forged = { name: `echo${line}`, behaviour: "echo", inputSchema };
  using home = projectOf(upstreamHome({ one: [{ tools: [forged] }] }));
  for (const command of ["mcp tools", "mcp tools --summary", "mcp call one nix"]) {
    const { stdout, stderr } = await run(home, command);
    const said = (stdout + stderr).trim().split("\n");
    expect(said.filter((text) => text.startsWith("  mcp__forged"))).toEqual([]);
    expect(said.join()).toContain(line.replace("\n", "\\u{a}"));
  }
});

test("[gateway.gw-24] mcp lock, and mcp verify after a change", async () => {
  using home = projectOf(upstreamHome({ one: [{ toolsFile: "tools.json" }] }));
  home.write("project/tools.json", JSON.stringify(["echo"]));
  const config = home.at(".scorpiox", "config.toml");
  home.write(
    ".scorpiox/config.toml",
    `${readFileSync(config, "utf8")}cwd = ${JSON.stringify(home.at("project"))}\n`,
  );
  expect((await run(home, "mcp lock --all")).exitCode).toBe(0);
  const first = readFileSync(home.at("project", "mcp.lock"), "utf8");
  expect((await run(home, "mcp lock --all")).exitCode).toBe(0);
  expect(readFileSync(home.at("project", "mcp.lock"), "utf8")).toBe(first);
  expect((await run(home, "mcp verify")).exitCode).toBe(0);
  home.write("project/tools.json", JSON.stringify(["echo", "add"]));
  expect((await run(home, "mcp verify")).exitCode).toBe(11);
  home.write(
    "project/tools.json",
    JSON.stringify([{ name: "echo", description: "Other.", inputSchema: { type: "object" } }]),
  );
  expect((await run(home, "mcp verify")).exitCode).toBe(10);
});

test("[gateway.gw-23] a denied tool is called by no name on the command line", async () => {
  using home = projectOf(upstreamHome({ one: [{ tools }, { deny: ["echo"] }] }));
  // Its other names are tried in denied-tools.test.ts.
  const lines = [
    "mcp call one echo text=x",
    'call tool_call {"name":"mcp__one__echo","arguments":{"text":"x"}}',
  ];
  const ended = await Promise.all(lines.map((line) => run(home, line)));
  expect(ended.map(({ exitCode }) => exitCode)).toEqual(lines.map(() => 4));
  const listed = (await json(home, "mcp tools")) as readonly object[];
  expect(listed).toContainEqual(
    expect.objectContaining({ name: "mcp__one__echo", state: "denied", listed: false }),
  );
  const found = (await json(home, "mcp tools --search select:mcp__one__echo")) as object;
  expect(found).toMatchObject({ matches: [] });
});

test("[gateway.gw-42] no secret of an entry is shown or kept", async () => {
  const canary = "c4n4ry";
  using home = projectOf(new TempFolder());
  const inputSchema = { type: "object" };
  const scripts = {
    talks: {
      version: `1 of ${canary}-env`,
      instructions: `Knows ${canary}-env.`,
      tools: ["env", "echo", { name: "told", description: `Asks as ${canary}-env.`, inputSchema }],
      stderr: [`started with ${canary}-env`],
    },
    fails: { exitAtStart: 1, stderr: [`bad key ${canary}-env`, `and ${canary}-out`] },
  };
  const secrets = `{ API_TOKEN = "${canary}-env", DB_PASSWORD = "\${OUTSIDE}" }`;
  // Each reads its script from a file: what it is to say is no argument, which is shown.
  const own = Object.entries(scripts).map(([name, script]) => {
    const file = home.write(`${name}.json`, JSON.stringify(script));
    const [command, main] = [process.execPath, upstreamProgram].map((text) => JSON.stringify(text));
    return `[mcp.servers.${name}]\ncommand = ${command}\nargs = [${main}, "@${file}"]\nenv = ${secrets}\n`;
  });
  const remote = `[mcp.servers.remote]\nurl = "http://127.0.0.1:9/mcp?api_key=${canary}-url"\nheaders = { Authorization = "Bearer ${canary}-head" }\n`;
  const flag = `[mcp.servers.flag]\ncommand = "none-such"\nargs = ["--api-key", "${canary}-arg", "--token=${canary}-arg2"]\n`;
  home.write(".scorpiox/config.toml", [...own, remote, flag].join("\n"));
  const env = { OUTSIDE: `${canary}-out` };
  const lines = [
    "mcp list",
    "mcp list --json",
    ...["talks", "fails", "remote", "flag"].map((name) => `mcp get ${name} --json`),
    "mcp test",
    "mcp status --json",
    "mcp tools --json",
    "mcp call talks env",
    "mcp call remote x",
    ...onlyLong([
      "tools --all --json",
      "mcp test --json",
      "mcp status --connect",
      "mcp diff",
      "mcp lock --all",
      "mcp verify",
      "mcp call talks echo text=hi",
      "mcp call fails x",
    ]),
  ];
  const given = new Set(filesIn(home));
  const said = new Map<string, string>();
  for (const line of lines) {
    const { stdout, stderr } = await run(home, line, env);
    said.set(line, stdout + stderr);
  }
  expect([...said].filter(([, text]) => text.includes(canary))).toEqual([]);
  // Both servers were there to give something away.
  expect(said.get("mcp test")).toMatch(/\| bad key [^]*talks 1 of /);
  const kept = filesIn(home).filter(
    (path) => !given.has(path) && readFileSync(path, "latin1").includes(canary),
  );
  expect(kept).toEqual([]);
});

/** Paths of all files of a home. */
function filesIn(home: TempFolder): readonly string[] {
  return readdirSync(home.path, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name));
}

test("[gateway.gw-42] a token of any shape leaves by no way", async () => {
  using home = new TempFolder();
  home.folder("project/.git");
  const tokens = tokenExamples.map(([, token]) => token);
  const entryOf = (script: object): object => ({
    command: process.execPath,
    args: [
      upstreamProgram,
      JSON.stringify({ ...script, stderr: tokens.map((token) => `began with ${token} here`) }),
      ...tokens.flatMap((token, index) => (index % 2 === 0 ? [token] : [`--x=${token}`])),
    ],
    env: Object.fromEntries(tokens.map((token, index) => [`MODE${index}`, token])),
  });
  const prints = entryOf({ tools: ["echo"] });
  const file = home.write("project/.mcp.json", JSON.stringify({ mcpServers: { prints } }));
  const env = { SCORPIOX_TRUST_PROJECT: "1", SCORPIOX_AUDIT_COMMANDS: "1" };
  const shown: string[] = [];
  const show = async (words: readonly string[]): Promise<number> => {
    const { exitCode, stdout, stderr } = await runProduct(home, words, { env });
    const tellsToken = tokens.find((token) => (stdout + stderr).includes(token.slice(-8)));
    if (tellsToken !== undefined)
      shown.push(`${words.slice(0, 3).join(" ")}: ${tellsToken.slice(0, 8)}`);
    return exitCode;
  };
  expect(await show(["mcp", "lock"])).toBe(0);
  expect(await show(["mcp", "verify"])).toBe(0);
  const dies = entryOf({ exitAtStart: 1 });
  const remote = { url: `https://127.0.0.1:9/${tokens[0]}/mcp?q=${tokens[1]}` };
  home.write("project/.mcp.json", JSON.stringify({ mcpServers: { prints, dies, remote } }));
  for (const line of [
    "mcp list --json",
    "mcp get prints",
    "mcp get dies --json",
    "mcp get remote",
    "mcp test",
    "mcp status --connect --json",
    ...onlyLong([
      "mcp list",
      "mcp get prints --json",
      "mcp get dies",
      "mcp get remote --json",
      "mcp diff",
      "mcp test --json",
      "mcp status --connect",
      "mcp verify",
      "mcp call remote x",
    ]),
    "mcp call prints echo text=hi",
    "mcp call dies x",
  ]) {
    await show(line.split(" "));
  }
  // What Bash writes is the user's own to see; what is written down of the call is not.
  const command = `true ${tokens.join(" ")}`;
  await runProduct(home, ["call", "Bash", JSON.stringify({ command })], { env });
  const audited = readdirSync(home.at(".scorpiox", "audit"));
  const kept = filesIn(home).filter((path) => {
    const text = path === file ? "" : readFileSync(path, "latin1");
    return tokens.some((token) => text.includes(token.slice(-8)));
  });
  expect({ shown, kept, isAudited: audited.length > 0 }).toEqual({
    shown: [],
    kept: [],
    isAudited: true,
  });
});

test("[gateway.commands-end] a mute server gives 12 in time, and Ctrl-C ends all that was started", async () => {
  const name = `mute-${uniqueSeconds()}`;
  const script = { name, mute: true, ignoreTerm: true, stderr: ["loading"] };
  using home = projectOf(upstreamHome({ mute: [script] }));
  const config = home.at(".scorpiox", "config.toml");
  const entry = readFileSync(config, "utf8");
  home.write(".scorpiox/config.toml", `${entry}init_timeout_ms = 500\n`);
  const ended = await run(home, "mcp test mute");
  expect(ended.exitCode).toBe(12);
  expect(ended.stdout).toMatch(/No answer in (500 ms|\d\.\d s)\./);
  expect(ended.stdout).toContain("| loading");
  home.write(".scorpiox/config.toml", entry);
  const lines = ["mcp test", "mcp tools", ...onlyLong(["mcp status --connect", "mcp lock --all"])];
  for (const line of lines) {
    // `mcp tools` waits for a second and a half: on a busy machine it may be done before we have looked.
    let exitCode = 0;
    for (let tries = 0; exitCode === 0 && tries < 5; tries += 1) {
      const child = Bun.spawn([productBinary, ...wordsOf(line)], {
        cwd: home.at("project"),
        env: testEnvironment(home.path),
        stdio: ["ignore", "ignore", "ignore"],
      });
      const isReady = (): boolean => processesWith(name).length > 0 || child.exitCode !== null;
      await eventually("the server runs", isReady);
      child.kill("SIGINT");
      exitCode = await child.exited;
      await eventually(`all of ${line} has ended`, () => processesWith(name).length === 0, 3_000);
    }
    expect([line, exitCode]).toEqual([line, 130]);
  }
});

test("[gateway.commands-end] Ctrl-C ends a call and what it has started with 130", async () => {
  const seconds = uniqueSeconds();
  using home = projectOf(upstreamHome({}));
  for (const words of [
    ["call", "Bash", JSON.stringify({ command: `sleep ${seconds}` })],
    ["hooks", "emit", "slow"],
  ]) {
    home.write(".scorpiox/hooks/slow/sync-wait.sh", `#!/bin/sh\nsleep ${seconds}\n`, 0o755);
    const child = Bun.spawn([productBinary, ...words], {
      cwd: home.at("project"),
      env: testEnvironment(home.path),
      stdio: ["pipe", "ignore", "ignore"],
    });
    const line = words.slice(0, 2).join(" ");
    await eventually(`${line} runs`, () => processesWith(`sleep ${seconds}`).length > 0);
    child.kill("SIGINT");
    expect([line, await child.exited]).toEqual([line, 130]);
    await eventually("all has ended", () => processesWith(`sleep ${seconds}`).length === 0, 3_000);
  }
});
