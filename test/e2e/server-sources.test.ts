import { expect, setDefaultTimeout, test } from "bun:test";

import { ensureBuilt, productBinary } from "./harness/binary.ts";
import { eventually } from "./harness/conditions.ts";
import { freePort } from "./harness/free-port.ts";
import { HttpServer } from "./harness/http-server.ts";
import { testMsMax } from "./harness/platform.ts";
import { Server, testEnvironment } from "./harness/server.ts";
import { TempFolder } from "./harness/temp-folder.ts";

setDefaultTimeout(testMsMax);
ensureBuilt(productBinary);

interface Listed {
  readonly name: string;
  readonly file: string | null;
  readonly trust: string;
  readonly launch: {
    readonly command?: string;
    readonly args?: readonly string[];
    readonly url?: string;
  };
  readonly standIn: { readonly file: string } | null;
  readonly shadowed: readonly unknown[];
}

/** What `mcp list --json` says, and what was said on stderr; paths below the home. */
function list(
  home: TempFolder,
  args: readonly string[] = [],
  env: Readonly<Record<string, string>> = {},
): { readonly servers: readonly Listed[]; readonly stderr: string; readonly exitCode: number } {
  const { exitCode, stdout, stderr } = Bun.spawnSync(
    [productBinary, "mcp", "list", "--json", ...args],
    {
      cwd: home.folder("project"),
      env: { ...testEnvironment(home.path), ...env },
      timeout: 15_000,
    },
  );
  const text = stdout.toString().replaceAll(`${home.path}/`, "");
  const { servers } = JSON.parse(text) as { servers: readonly Listed[] };
  return { servers, exitCode, stderr: stderr.toString().replaceAll(`${home.path}/`, "") };
}

/** Each source with a server of its own and one, `s`, that all of them name. */
const sources: readonly (readonly [file: string, text: string])[] = [
  [".scorpiox/config.toml", '[mcp.servers.s]\ncommand = "1"\n[mcp.servers.s1]\ncommand = "1"\n'],
  [".scorpiox/mcp_servers.json", '[{"name":"s","command":"2"},{"name":"s2","command":"2"}]'],
  [".scorpiox/scorpiox-env.txt", "MCP_SERVER=s:3;s3:3\n"],
  ["project/.mcp.json", '{"mcpServers":{"s":{"command":"4"},"s4":{"command":"4"}}}'],
  ["project/mcp_servers.json", '{"s":{"command":"5"},"s5":{"command":"5"}}'],
  ["project/.claude/scorpiox-env.txt", "MCP_SERVER=s:6;s6:6\n"],
  ["project/.scorpiox/config.toml", '[mcp.servers]\ns = {command = "7"}\ns7 = {command = "7"}\n'],
  [
    "project/workspaces/w/mcp_servers.json",
    '{"servers":{"s":{"command":"8"},"s8":{"command":"8"}}}',
  ],
  ["extra/given.json", '{"s":{"command":"9"},"s9":{"command":"9"}}'],
];

const commands = (servers: readonly Listed[]): string =>
  servers.map(({ name, launch }) => `${name}=${launch.command}`).join(" ");

test("[gateway.gw-01] mcp list merges nine sources", () => {
  using home = new TempFolder();
  for (const [file, text] of sources) home.write(file, text);
  const all = list(home, ["--workspace", "w", "--config", home.at("extra", "given.json")]);
  expect([commands(all.servers), all.stderr.includes("warning")]).toEqual([
    "s=9 s1=1 s2=2 s3=3 s4=4 s5=5 s6=6 s7=7 s8=8 s9=9",
    false,
  ]);
  expect(all.servers[0]).toMatchObject({ trust: "user", file: "extra/given.json", standIn: null });
  // Without it a project's entry is the strongest, and one of the user's stands in.
  const [s] = list(home, ["--workspace", "w"]).servers;
  expect(s).toMatchObject({
    launch: { command: "8" },
    trust: "pending",
    standIn: { file: ".scorpiox/scorpiox-env.txt" },
  });
  expect(s?.shadowed.length).toBe(7);
});

test("[gateway.gw-01] with --strict-config the files of --config are the only source", () => {
  using home = new TempFolder();
  for (const [file, text] of sources) home.write(file, text);
  const env = { MCP_SERVER: "e:e" };
  const given = ["--strict-config", "--config", home.at("extra", "given.json")];
  expect(commands(list(home, given, env).servers)).toBe("s=9 s9=9");
  expect(list(home, ["--strict-config"], env).servers).toEqual([]);
  const { stdout } = Bun.spawnSync([productBinary, "mcp", "status", "--json", "--strict-config"], {
    cwd: home.at("project"),
    env: { ...testEnvironment(home.path), ...env },
  });
  expect(JSON.parse(stdout.toString())).toMatchObject({ instances: [{ servers: [] }] });
});

test("[gateway.gw-01] whatever is wrong with all of them, the native tools are served", async () => {
  using home = new TempFolder();
  const hostile = [
    "{",
    "[[[",
    "\0\0",
    "= = =",
    '{"__proto__":{"mcpServers":1}}',
    "[".repeat(100_000),
  ];
  for (const [index, [file]] of sources.entries()) {
    home.write(file, hostile[index % hostile.length] ?? "");
  }
  const args = ["--workspace", "w", "--config", home.at("extra", "given.json")];
  await using server = new Server({ home, args, cwd: home.folder("project") });
  await server.initialize();
  const { result } = await server.request("tools/list");
  const names = (result as { tools: { name: string }[] }).tools.map(({ name }) => name);
  expect(names).toContain("Bash");
  const told = list(home, args);
  const files = sources.filter(([file]) => !file.endsWith(".txt"));
  expect([told.exitCode, told.servers]).toEqual([0, []]);
  expect(files.filter(([file]) => !told.stderr.includes(`warning: ${file}`))).toEqual([]);
});

test("[gateway.gw-02] MCP_SERVER in the environment", () => {
  using home = new TempFolder();
  const text = String.raw`a:npx:-y,x\,y;bad;b:C:\s.exe:C:\d;c:https://h/mcp?q=1,2`;
  const { servers, stderr } = list(home, [], { MCP_SERVER: text });
  expect(
    servers.map(({ name, launch }) => [
      name,
      launch.url ?? [launch.command, ...(launch.args ?? [])],
    ]),
  ).toEqual([
    ["a", ["npx", "-y", "x,y"]],
    ["b", [String.raw`C:\s.exe`, String.raw`C:\d`]],
    ["c", "https://h/mcp?q=1,2"],
  ]);
  expect(stderr).toContain('MCP_SERVER: server "bad" has no command');
});

test("[gateway.gw-03] a file that people and clients have written", () => {
  using home = new TempFolder();
  home.write(
    "project/.mcp.json",
    '\uFEFF{\r\n  // ours\r\n  "mcp_servers": {\r\n    "ok": {"command": ["x", "y"],},\r\n    "both": {"command": "x", "url": "https://h"},\r\n    "scorpiox-code": {"command": "scorpiox-code"}, /* us */\r\n  },\r\n}\r\n',
  );
  const { servers, stderr } = list(home);
  expect(commands(servers)).toBe("ok=x");
  expect(stderr).toContain(
    'project/.mcp.json:5: server "both" has both a command and a url; it is ignored.',
  );
  expect(stderr).toContain('server "scorpiox-code" is this program itself; it is skipped.');
});

test("[gateway.gw-03] an entry with the address of this HTTP server is skipped", async () => {
  using home = new TempFolder();
  const port = freePort();
  const url = `http://127.0.0.1:${port}/mcp`;
  home.write(".scorpiox/config.toml", `[mcp.servers.me]\nurl = "${url}"\n`);
  await using server = await HttpServer.start({ home, address: `127.0.0.1:${port}` });
  await eventually("it on stderr", () =>
    server.stderr.includes('server "me" is this program itself; it is skipped.'),
  );
});
