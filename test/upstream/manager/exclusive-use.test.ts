import { describe, expect, test } from "bun:test";

import type { ConfiguredServer } from "../../../src/upstream/config/server-entry.ts";
import { exclusiveUseOf } from "../../../src/upstream/manager/exclusive-use.ts";

interface More {
  readonly env?: Readonly<Record<string, string>>;
  readonly cwd?: string;
  readonly secrets?: readonly string[];
  readonly inheritEnv?: readonly string[];
  readonly base?: Readonly<Record<string, string>>;
}

function useOf(line: string, more: More = {}): ReturnType<typeof exclusiveUseOf> {
  const [command = "", ...args] = line.split(" ");
  const { env = {}, cwd = "/home/me/project", secrets = [], inheritEnv = [], base = {} } = more;
  const configured = { entry: { options: { inheritEnv } } } as unknown as ConfiguredServer;
  return exclusiveUseOf({
    launch: { transport: "stdio", command, args, env, cwd },
    secrets,
    configured,
    client: { isolation: "session", base, proxyOf: () => undefined, asks: false },
  });
}

/** Two command lines, with what else differs. */
type Case = [what: string, one: string, other: string, ofOne?: More, ofOther?: More];

const memory = "npx -y @modelcontextprotocol/server-memory";

describe("HB8: launches with the same thing", () => {
  test.each<Case>([
    ["another version", "npx -y @playwright/mcp@0.0.40", "npx @playwright/mcp@latest"],
    [
      "another way to run it",
      "npx -y @playwright/mcp",
      "node /x/node_modules/@playwright/mcp/cli.js",
    ],
    ["another version of Python", "uvx mcp-server-qdrant==0.7", "uvx mcp-server-qdrant==0.8"],
    ["another folder, of which nothing speaks", memory, memory, { cwd: "/a" }, { cwd: "/b" }],
    ["a variable that names nothing", memory, memory, { env: { LOG_LEVEL: "debug" } }],
    [
      "the same variable, set or inherited",
      memory,
      memory,
      { env: { MEMORY_FILE_PATH: "/m" } },
      { inheritEnv: ["MEMORY_FILE_PATH"], base: { MEMORY_FILE_PATH: "/m", HOME: "/home/me" } },
    ],
    [
      "another secret",
      "uvx mcp-server-qdrant --api-key first",
      "uvx mcp-server-qdrant --api-key second",
      { secrets: ["first"] },
      { secrets: ["second"] },
    ],
  ])("%s", (...[, one, other, ofOne, ofOther]) => {
    const use = useOf(one, ofOne);
    expect(typeof use?.reason).toBe("string");
    expect(useOf(other, ofOther)).toEqual(use);
  });
});

describe("HB8: launches with different things", () => {
  test.each<Case>([
    ["another server", memory, "uvx mcp-server-qdrant"],
    [
      "another database",
      "uvx mcp-server-sqlite --db-path /a.db",
      "uvx mcp-server-sqlite --db-path /b.db",
    ],
    ["another profile", "npx @playwright/mcp --user-data-dir=/a", "npx @playwright/mcp"],
    [
      "a mount",
      "docker run -v a:/data mcp-server-sqlite",
      "docker run -v b:/data mcp-server-sqlite",
    ],
    ["a variable that names a file", memory, memory, { env: { MEMORY_FILE_PATH: "/m" } }],
    [
      "one word in two folders",
      "uvx mcp-server-sqlite --db-path a.db",
      "uvx mcp-server-sqlite --db-path a.db",
      { cwd: "/a" },
      { cwd: "/b" },
    ],
    [
      "a path in two folders",
      "npx @playwright/mcp --user-data-dir=./profile",
      "npx @playwright/mcp --user-data-dir=./profile",
      { cwd: "/a" },
      { cwd: "/b" },
    ],
  ])("%s", (...[, one, other, ofOne, ofOther]) => {
    const [first, second] = [useOf(one, ofOne), useOf(other, ofOther)];
    expect([typeof first, typeof second]).toEqual(["object", "object"]);
    expect(second?.identity).not.toBe(first?.identity ?? "");
  });
});

test("HB8: a secret is no part of an identity", () => {
  const use = useOf("uvx mcp-server-qdrant --api-key hunter2", {
    secrets: ["hunter2"],
    env: { QDRANT_URL: "https://me:hunter2@example.com" },
  });
  expect(use?.identity).toContain("@example.com");
  expect(use?.identity).not.toContain("hunter2");
});

test.each([
  "uvx mcp-server-fetch",
  "npx -y @modelcontextprotocol/server-puppeteer",
  "npx @playwright/mcp --isolated",
  "/usr/bin/my-server",
])("HB8: %s has nothing for itself", (line) => {
  expect(useOf(line)).toBeUndefined();
});
