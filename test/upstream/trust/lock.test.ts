import { describe, expect, test } from "bun:test";

import { hideInArguments, hideInUrl } from "../../../src/base/secrets.ts";
import type { ServerLaunch } from "../../../src/upstream/config/server-entry.ts";
import { packageOf } from "../../../src/upstream/install/runner-words.ts";
import {
  compareLocks,
  lockOf,
  type ServerToLock,
} from "../../../src/upstream/trust/lock/lock-of.ts";
import {
  earlierNamesOf,
  lockPinsOf,
  parseLock,
  printLock,
  readLock,
} from "../../../src/upstream/trust/lock/read-lock.ts";
import { TempTree } from "../../config/temp-tree.ts";
import { catalogue, tool } from "./catalogue.ts";
import { server } from "./entry.ts";

const files: ServerToLock = {
  ...server("files", {
    transport: "stdio",
    command: "npx",
    args: ["-y", "@modelcontextprotocol/server-filesystem@2026.8.31", "--token=t0psecret", "."],
    env: { LOG: "warn", API_KEY: "s3cret" },
    cwd: ".",
  }),
  catalogue: catalogue({
    tools: [tool("write"), tool("read"), tool("list/all")],
    prompts: [{ name: "ask" }],
    instructions: "Be kind.",
  }),
};
const remote: ServerToLock = {
  ...server("remote", {
    transport: "http",
    url: "https://me:pw@example.com/mcp?api_key=abc&v=2",
    headers: { Authorization: "Bearer x", "X-Team": "a" },
  }),
  catalogue: catalogue({ tools: [tool("read")] }),
  scopes: ["write", "read"],
};
const toolNameMax = 44;
const lock = lockOf([files, remote], { toolNameMax });
const text = printLock(lock);

describe("[GW-24] mcp.lock", () => {
  test("is the same, byte for byte, whatever the order and however often it is read", () => {
    const turned = {
      ...files,
      catalogue: { ...files.catalogue, tools: files.catalogue.tools.toReversed() },
    };
    expect(printLock(lockOf([remote, turned], { toolNameMax }))).toBe(text);
    const parsed = parseLock(text);
    expect(parsed === undefined ? "" : printLock(parsed)).toBe(text);
    expect(printLock(lockOf([files, remote], { toolNameMax, before: parsed }))).toBe(text);
  });

  test("has sorted members, two blanks, a newline at the end, and no secrets", () => {
    expect(text).toEndWith("}\n");
    expect(text).not.toMatch(/s3cret|t0psecret|Bearer|=abc|pw@/);
    const value: Record<string, unknown> = JSON.parse(text);
    expect(Object.keys(value)).toEqual(["lockVersion", "servers"]);
    const { files: locked } = value["servers"] as { files: Record<string, unknown> };
    const { hash } = { hash: expect.stringMatching(/^[0-9a-f]{64}$/) };
    expect(locked).toEqual({
      identity: files.identity,
      instructions: hash,
      launch: {
        args: ["-y", "@modelcontextprotocol/server-filesystem@2026.8.31", "--token=***", "."],
        command: "npx",
        cwd: ".",
        env: ["API_KEY", "LOG"],
        transport: "stdio",
      },
      package: {
        from: "npm",
        name: "@modelcontextprotocol/server-filesystem",
        version: "2026.8.31",
      },
      prompts: { ask: hash },
      protocolVersion: "2025-11-25",
      server: { name: "scripted", version: "1.0.0" },
      tools: {
        "list/all": { exposed: expect.stringMatching(/^mcp__files__list_all_[a-z2-7]{6}$/), hash },
        read: { exposed: "mcp__files__read", hash },
        write: { exposed: "mcp__files__write", hash },
      },
    });
    expect(Object.keys(locked)).toEqual(Object.keys(locked).toSorted());
  });

  test("keeps names of another budget as aliases, and no names that a tool cannot have had", () => {
    const long = {
      ...remote,
      catalogue: catalogue({ tools: [tool("read_everything_that_is_there")] }),
    };
    const wide = lockOf([long], { toolNameMax: 60 });
    const narrow = lockOf([long], { toolNameMax: 30, before: wide });
    const locked = narrow.servers.get("remote")?.tools.get("read_everything_that_is_there");
    const before = "mcp__remote__read_everything_that_is_there";
    expect(locked).toMatchObject({
      exposed: expect.stringMatching(/_[a-z2-7]{6}$/),
      earlier: [before],
    });
    const asked = {
      server: "remote",
      tool: "read_everything_that_is_there",
      name: locked?.exposed ?? "",
    };
    expect(earlierNamesOf({ kind: "lock", lock: narrow }, asked)).toEqual([before]);
    const forged = parseLock(text.replace('"mcp__remote__read"', '"mcp__files__write"'));
    if (forged === undefined) throw new Error("no lock");
    const stolen = { server: "remote", tool: "read", name: "mcp__remote__read" };
    expect(earlierNamesOf({ kind: "lock", lock: forged }, stolen)).toEqual([]);
  });

  test.each([
    "",
    "{",
    "[]",
    '{"lockVersion":2,"servers":{}}',
    '{"lockVersion":1,"servers":{"a":{}}}',
    `{"lockVersion":1,"servers":{},"more":${"[".repeat(20_000)}${"]".repeat(20_000)}}`,
  ])("%p cannot be read, and approves nothing", async (content) => {
    using tree = new TempTree({ "project/mcp.lock": content });
    const reading = await readLock(tree.path("project"));
    expect(reading.kind).toBe("unusable");
    const nothing = { tools: new Map(), prompts: new Map(), denied: new Set<string>() };
    expect(lockPinsOf(reading, "a")).toEqual(nothing);
  });

  test("where there is none, or none of the server, it says nothing", async () => {
    using tree = new TempTree();
    const reading = await readLock(tree.path("project"));
    expect(reading).toEqual({ kind: "absent" });
    expect([lockPinsOf(reading, "a"), lockPinsOf({ kind: "lock", lock }, "a")]).toEqual([
      undefined,
      undefined,
    ]);
  });
});

describe("[GW-24] compareLocks()", () => {
  const other = { ...files, catalogue: { ...files.catalogue, protocolVersion: "2026-07-28" } };
  const moved = server("files", { ...files.entry.launch, command: "node" } as ServerLaunch);

  test("tells in what servers differ", () => {
    expect(compareLocks(lock, lock, "asked")).toEqual([]);
    expect(compareLocks(lock, lockOf([other], { toolNameMax }), "asked")).toEqual([
      {
        kind: "changed",
        server: "files",
        differences: [{ field: "protocolVersion", before: ["2025-11-25"], after: ["2026-07-28"] }],
      },
      { kind: "missing", server: "remote" },
    ]);
    expect(compareLocks({ servers: new Map() }, lock, "asked")).toEqual([
      { kind: "new", server: "files" },
      { kind: "new", server: "remote" },
    ]);
  });

  test("offline looks at the configuration only", () => {
    const unasked = { ...other, catalogue: catalogue() };
    const asked = { ...remote, catalogue: catalogue() };
    expect(compareLocks(lock, lockOf([unasked, asked], { toolNameMax }), "configured")).toEqual([]);
    const changed = lockOf([{ ...unasked, ...moved }, asked], { toolNameMax });
    const [finding] = compareLocks(lock, changed, "configured");
    const fields = finding?.kind === "changed" ? finding.differences.map(({ field }) => field) : [];
    expect(fields).toEqual([
      "identity",
      "launch.command",
      "package.from",
      "package.name",
      "package.version",
    ]);
  });
});

describe("[GW-24] packageOf()", () => {
  test.each([
    ["npx -y pkg@1.2.3 serve", { from: "npm", name: "pkg", version: "1.2.3" }],
    ["/usr/bin/npx @a/b", { from: "npm", name: "@a/b" }],
    ["C:\\node\\npx.cmd @a/b@1.0.0-beta.1", { from: "npm", name: "@a/b", version: "1.0.0-beta.1" }],
    ["npx pkg@latest", { from: "npm", name: "pkg" }],
    ["npx pkg@^1.2.0", { from: "npm", name: "pkg" }],
    ["npx --package=pkg@1.0.0 run", { from: "npm", name: "pkg", version: "1.0.0" }],
    ["npm exec -- pkg@1.0.0", { from: "npm", name: "pkg", version: "1.0.0" }],
    ["bunx pkg", { from: "npm", name: "pkg" }],
    ["npx ./local", undefined],
    ["npx github:a/b", undefined],
    ["npx", undefined],
    ["uvx mcp-server-git@2025.1.1", { from: "pypi", name: "mcp-server-git", version: "2025.1.1" }],
    ["uvx --from tool[x]==1.2 serve", { from: "pypi", name: "tool", version: "1.2" }],
    ["uv tool run tool", { from: "pypi", name: "tool" }],
    [
      "docker run -i --rm -e A=b mcp/time:1.2 x",
      { from: "image", name: "mcp/time", version: "1.2" },
    ],
    ["docker run -i host:5000/mcp/time:latest", { from: "image", name: "host:5000/mcp/time" }],
    ["docker ps", undefined],
    ["node server.js", undefined],
  ])("of %p is %j", (line, found) => {
    const [command = "", ...args] = line.split(" ");
    const launch = { transport: "stdio" as const, command, args, env: {} };
    expect(packageOf(launch)).toEqual(found as ReturnType<typeof packageOf>);
  });
});

test("[GW-42] secrets in arguments and addresses are left out, names of variables are not", () => {
  const args = [
    "--token",
    "abc",
    "--api-key=k",
    "--token",
    "${TOKEN}",
    "--port",
    "80",
    "GITHUB_TOKEN=x",
  ];
  expect(hideInArguments([...args, "sk-abcdefghijkl", "https://a:b@c/?sig=1&q=2"])).toEqual([
    "--token",
    "***",
    "--api-key=***",
    "--token",
    "${TOKEN}",
    "--port",
    "80",
    "GITHUB_TOKEN=***",
    "***",
    "https://***@c/?sig=***&q=2",
  ]);
});

test.each([
  ["https://a/mcp?key=${KEY}", "https://a/mcp?key=${KEY}"],
  ["https://a/api/s/Zk9xQ2v7TnB4LmW8pR3yHd/mcp?q=1", "https://a/api/s/***/mcp?q=1"],
  ["https://a/0123456789abcdef0123456789abcdef", "https://a/***"],
  ["https://a/ghp_abcdefghijkl/x", "https://a/***/x"],
  [
    "https://a/v1/model-context-protocol-2025-06-18/mcp",
    "https://a/v1/model-context-protocol-2025-06-18/mcp",
  ],
  [
    "https://0123456789abcdef0123456789abcdef.example.com/mcp",
    "https://0123456789abcdef0123456789abcdef.example.com/mcp",
  ],
  ["https://a:b@c", "https://***@c"],
  ["https://a/AKIAIOSFODNN7EXAMPLE", "https://a/***"],
  ["https://a/?k=ya29.abcdefghij", "https://a/?k=***"],
])("[GW-42] %s is locked as %s", (url, shown) => {
  expect(hideInUrl(url)).toBe(shown);
});
