import { expect, setDefaultTimeout, test } from "bun:test";

import { eventually } from "./harness/conditions.ts";
import { type Answer, type HttpClient, onlyMessage } from "./harness/http-client.ts";
import { HttpServer } from "./harness/http-server.ts";
import { installMemoryServer } from "./harness/memory-server.ts";
import { isError, textOf } from "./harness/messages.ts";
import { testMsMax } from "./harness/platform.ts";
import { TempFolder } from "./harness/temp-folder.ts";
import { upstreamLaunch } from "../fixtures/upstream/launch.ts";

setDefaultTimeout(testMsMax);

const alice = "alice-0123456789abcdef";
const bob = "bob-0123456789abcdefgh";

function configure(home: TempFolder, servers: Readonly<Record<string, object>>): void {
  home.write(".scorpiox/mcp_servers.json", JSON.stringify({ mcpServers: servers }));
}

function fixtureEntry(name: string, keys: object = {}): object {
  return { ...upstreamLaunch({ tools: ["pid", "env"], name }), ...keys };
}

function call(client: HttpClient, name: string, args: object = {}): Promise<Answer> {
  return client.modern("tools/call", { name, arguments: args });
}

/** The text of a call that is made until it is answered: a server may be starting. */
async function said(client: HttpClient, name: string, args: object = {}): Promise<string> {
  let text = "";
  await eventually(
    `${name} of a server`,
    async () => {
      const answer = await call(client, name, args);
      if (answer.status !== 200) return false;
      const reply = onlyMessage(answer);
      if (reply.error !== undefined || isError(reply)) return false;
      text = textOf(reply);
      return true;
    },
    20_000,
  );
  return text;
}

const entity = (name: string): object => ({
  entities: [{ name, entityType: "note", observations: [`only ${name} knows this`] }],
});

test("[principals.memory] of two principals with the official memory server neither reads the other", async () => {
  using home = new TempFolder();
  configure(home, { memory: { command: process.execPath, args: [installMemoryServer(home)] } });
  await using server = await HttpServer.start({ home, tokens: [`alice ${alice}`, `bob ${bob}`] });
  const [first, second] = [alice, bob].map((token) => server.client.withToken(token));
  if (first === undefined || second === undefined) throw new Error("no clients");
  await said(first, "mcp__memory__create_entities", entity("apple"));
  expect(await said(second, "mcp__memory__read_graph")).not.toContain("apple");
  await said(second, "mcp__memory__create_entities", entity("pear"));
  expect(await said(first, "mcp__memory__read_graph")).toContain("only apple knows this");
  expect(await said(first, "mcp__memory__read_graph")).not.toContain("pear");
  expect(await said(second, "mcp__memory__search_nodes", { query: "apple" })).not.toContain(
    "apple",
  );
  const session = await server.initialize("2025-11-25", {}, bob);
  expect(textOf(await session.call("mcp__memory__read_graph"))).toContain("only pear knows this");
  expect(textOf(await session.call("mcp__memory__read_graph"))).not.toContain("apple");
});

test("[principals.user] each of two principals has a process of its own, and an entry that shares is named", async () => {
  using home = new TempFolder();
  configure(home, {
    usual: fixtureEntry("usual"),
    all: fixtureEntry("all", { isolation: "shared" }),
    personal: fixtureEntry("personal", { env: { MINE: "${principal}", DIR: "${principalDir}/x" } }),
  });
  // Of a fleet each replica has a process that all of its principals share.
  await using server = await HttpServer.start({
    home,
    isAlone: true,
    tokens: [`alice ${alice}`, `bob ${bob}`],
  });
  await eventually("the line", () => server.stderr.includes("The MCP server all has"), 10_000);
  await eventually("it on stderr", () =>
    server.stderr.includes('The MCP server all has isolation = "shared": all principals share'),
  );
  expect(server.stderr).not.toContain("server usual");
  const pids = async (name: string): Promise<string[]> => {
    const clients = [alice, bob, alice].map((token) => server.client.withToken(token));
    const found: string[] = [];
    for (const client of clients) found.push(await said(client, `mcp__${name}__pid`));
    return found;
  };
  const [a, b, again] = await pids("usual");
  expect([a === b, a === again]).toEqual([false, true]);
  expect(new Set(await pids("all")).size).toBe(1);
  const seen: string[] = [];
  for (const token of [alice, bob]) {
    seen.push(await said(server.client.withToken(token), "mcp__personal__env"));
  }
  expect(seen[0]).toMatch(/token-alice-[0-9a-f]{32}/);
  expect(seen[0]).toContain(home.at(".scorpiox", "principals"));
  expect(seen[1]).toMatch(/token-bob-[0-9a-f]{32}/);
});

test.each([
  ["a second line", [`alice ${alice}`, `bob ${bob}`]],
  ["another line in its place", [`bob ${bob}`]],
])(
  "[principals.growth] a token file that gets %s ends what its one principal has used",
  async (_what, lines) => {
    using home = new TempFolder();
    configure(home, { usual: fixtureEntry("usual") });
    await using server = await HttpServer.start({ home, tokens: [`alice ${alice}`] });
    const before = await said(server.client, "mcp__usual__pid");
    expect(await said(server.client, "mcp__usual__pid")).toBe(before);
    home.write("tokens.txt", `${lines.join("\n")}\n`, 0o600);
    const second = server.client.withToken(bob);
    await eventually(
      "the new token",
      async () => {
        const answer = await second.modern("server/discover");
        return answer.status === 200;
      },
      10_000,
    );
    expect(() => process.kill(Number(before), 0)).toThrow();
    expect(await said(second, "mcp__usual__pid")).not.toBe(before);
  },
);
