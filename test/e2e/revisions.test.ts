import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from "bun:test";

import { builtTools } from "./harness/built-tools.ts";
import {
  contentOf,
  isError,
  legacyVersions,
  metaKeys,
  modern,
  modernVersion,
  textOf,
  toolNames,
  toolsOf,
} from "./harness/messages.ts";
import { testMsMax } from "./harness/platform.ts";
import { Server, type ServerMessage } from "./harness/server.ts";
import { taskIdOf } from "./harness/told.ts";

setDefaultTimeout(testMsMax);

const allVersions = [...legacyVersions, modernVersion] as const;
type Version = (typeof allVersions)[number];

/** A request in the given revision, on a server that has its session if the revision needs one. */
function ask(
  server: Server,
  version: Version,
  method: string,
  params: Readonly<Record<string, unknown>> = {},
): Promise<ServerMessage> {
  return server.request(method, version === modernVersion ? modern(params) : params);
}

async function startIn(version: Version): Promise<Server> {
  const server = new Server();
  if (version !== modernVersion) await server.initialize(version);
  return server;
}

describe("handshake", () => {
  test.each([
    ...legacyVersions.map((version) => [version, version]),
    [modernVersion, "2025-11-25"],
    ["1999-01-01", "2025-11-25"],
    ["", "2025-11-25"],
  ])("[protocol.initialize] initialize %p is answered with %p", async (asked, answered) => {
    await using server = new Server();
    const reply = await server.initialize(asked);
    expect(reply.result?.["protocolVersion"]).toBe(answered);
    expect(reply.result?.["serverInfo"]).toMatchObject({ name: "scorpiox-code" });
    expect(reply.result?.["capabilities"]).toHaveProperty("tools");
    expect(String(reply.result?.["instructions"]).length).toBeLessThanOrEqual(2048);
    expect(reply.result).not.toHaveProperty("resultType");
  });

  test("[protocol.discover] server/discover needs no session and names modern revisions only", async () => {
    await using server = new Server();
    const { result } = await server.request("server/discover", modern());
    expect(result).toMatchObject({
      resultType: "complete",
      supportedVersions: [modernVersion],
      capabilities: { tools: {} },
      _meta: { [metaKeys.serverInfo]: { name: "scorpiox-code" } },
    });
    expect(result?.["ttlMs"]).toBeNumber();
    expect(result?.["cacheScope"]).toBe("public");
  });

  test("[protocol.discover] without an envelope it is refused, and a wrong version names ours", async () => {
    await using server = new Server();
    expect((await server.request("server/discover", {})).error?.code).toBe(-32602);
    const meta = { [metaKeys.version]: "2031-01-01", [metaKeys.capabilities]: {} };
    const { error } = await server.request("tools/list", { _meta: meta });
    expect(error).toMatchObject({ code: -32022, data: { supported: [modernVersion] } });
  });

  test("[protocol.before-initialize] ping is answered, other legacy requests get a hint", async () => {
    await using server = new Server();
    expect((await server.request("ping")).result).toEqual({});
    const { error } = await server.request("tools/list");
    expect(error?.code).toBe(-32600);
    expect(error?.message).toContain("initialize");
  });
});

describe("shapes by revision", () => {
  /** One for each: what these tests ask for leaves nothing behind. */
  const servers = new Map<Version, Server>();
  const serverOf = (version: Version): Server => {
    const server = servers.get(version);
    if (server === undefined) throw new Error(`no server of ${version}`);
    return server;
  };
  beforeAll(async () => {
    for (const version of allVersions) servers.set(version, await startIn(version));
  });
  afterAll(async () => {
    for (const server of servers.values()) await server[Symbol.asyncDispose]();
  });

  test.each(allVersions)("[protocol.list-shape] tools/list in %s", async (version) => {
    const server = serverOf(version);
    const reply = await ask(server, version, "tools/list");
    expect(toolNames(reply)).toEqual([...builtTools]);
    const fields = (name: string): boolean[] => toolsOf(reply).map((tool) => name in tool);
    const everywhere = (isThere: boolean): boolean[] => builtTools.map(() => isThere);
    expect(fields("inputSchema")).toEqual(everywhere(true));
    expect(fields("annotations")).toEqual(everywhere(version >= "2025-03-26"));
    expect(fields("title")).toEqual(everywhere(version >= "2025-06-18"));
    const answerInJson = ["WebSearch", "TaskManager", "ListBgTasks"];
    expect(fields("outputSchema")).toEqual(
      builtTools.map((name) => version >= "2025-06-18" && answerInJson.includes(name)),
    );
    for (const key of ["resultType", "ttlMs", "cacheScope"]) {
      expect(key in (reply.result ?? {})).toBe(version === modernVersion);
    }
  });

  test.each(allVersions)("[protocol.call-shape] tools/call in %s", async (version) => {
    const server = serverOf(version);
    const params = { name: "Bash", arguments: { command: "echo out; echo err >&2; exit 7" } };
    const reply = await ask(server, version, "tools/call", params);
    expect(reply.result?.["isError"]).toBe(true);
    expect(contentOf(reply)[0]?.text).toBe("out\nerr\nexit code: 7");
    expect([contentOf(reply).length, "structuredContent" in (reply.result ?? {})]).toEqual([
      1,
      false,
    ]);
    expect("resultType" in (reply.result ?? {})).toBe(version === modernVersion);
  });

  test.each(allVersions)("[tools.bad-arguments] in %s", async (version) => {
    const server = serverOf(version);
    const params = { name: "Bash", arguments: { command: "true", colour: "red" } };
    const reply = await ask(server, version, "tools/call", params);
    if (version < "2025-11-25") {
      expect(reply.error?.code).toBe(-32602);
      expect(reply.error?.message).toContain("`colour`");
    } else {
      expect(isError(reply)).toBe(true);
      expect(textOf(reply)).toContain("`colour`");
    }
  });

  test.each(allVersions)("[tools.unknown] an unknown tool in %s", async (version) => {
    const server = serverOf(version);
    const reply = await ask(server, version, "tools/call", { name: "Nope", arguments: {} });
    expect(reply.error?.code).toBe(-32602);
    expect(reply.error?.message).toContain("Nope");
  });

  test.each([
    [0, "`timeout`"],
    [-1, "`timeout`"],
    [86_400_001, "`timeout`"],
    [1.5, "`timeout`"],
    ["5", "`timeout`"],
    [null, "`timeout`"],
  ])("[tools.bad-arguments] timeout %p is refused by name", async (timeout, name) => {
    const server = serverOf("2025-11-25");
    const reply = await server.call("Bash", { command: "true", timeout });
    expect(isError(reply)).toBe(true);
    expect(textOf(reply)).toContain(name);
  });
});

describe("eras on one pipe", () => {
  test("[protocol.eras] interleaved, each answer has its own era's shape", async () => {
    await using fresh = new Server();
    const expected = (await fresh.request("tools/list", modern())).result;

    await using server = new Server();
    const first = await server.request("tools/list", modern());
    await server.initialize("2025-03-26");
    const [old, recent] = await Promise.all([
      server.request("tools/list", {}),
      server.request("tools/list", modern()),
    ]);
    expect(first.result).toEqual(expected);
    expect(recent.result).toEqual(expected);
    expect(Object.keys(old.result ?? {})).toEqual(["tools"]);
    const both = await Promise.all([
      server.request("tools/call", { name: "Bash", arguments: { command: "echo old" } }),
      server.request("tools/call", modern({ name: "Bash", arguments: { command: "echo new" } })),
    ]);
    expect(both.map((reply) => "resultType" in (reply.result ?? {}))).toEqual([false, true]);
    expect(both.map((reply) => contentOf(reply)[0]?.text)).toEqual(["old\n", "new\n"]);
    expect((await server.request("ping", modern())).error?.code).toBe(-32601);
    expect((await server.request("ping")).result).toEqual({});
  });

  test("[protocol.eras] a task started in one era is read in the other", async () => {
    await using server = new Server();
    const task = { name: "BackgroundBash", arguments: { command: "echo shared" } };
    const begun = await server.request("tools/call", modern(task));
    await server.initialize("2025-06-18");
    const task_id = taskIdOf(begun);
    const read = await server.call("ReadBgOutput", { task_id, wait_ms: 5000, until: "shared" });
    expect(textOf(read)).toContain("shared");
  });
});

describe("batches", () => {
  const ping = (id: number): unknown => ({ jsonrpc: "2.0", id, method: "ping" });

  test("[protocol.batch] are answered as one array under 2025-03-26", async () => {
    await using server = await startIn("2025-03-26");
    const params = { name: "Bash", arguments: { command: "echo batched" } };
    const call = { jsonrpc: "2.0", id: 8, method: "tools/call", params };
    server.send([ping(7), call, { jsonrpc: "2.0", method: "notifications/x" }, 5]);
    expect(contentOf(await server.reply(8))[0]?.text).toBe("batched\n");
    const batch = JSON.parse(server.lines.at(-1) ?? "") as ServerMessage[];
    const idsOrCodes = batch.map((reply) => String(reply.id ?? reply.error?.code));
    expect(idsOrCodes.sort()).toEqual(["-32600", "7", "8"]);
  });

  test.each(legacyVersions.filter((version) => version !== "2025-03-26"))(
    "[protocol.batch] are refused once under %s",
    async (version) => {
      await using server = await startIn(version);
      server.send([ping(7), ping(8)]);
      const refusal = await server.message("a refusal", (message) => message.error !== undefined);
      expect(refusal).toMatchObject({ error: { code: -32600 } });
      expect(refusal).not.toHaveProperty("id");
      await server.request("ping");
      expect(server.messages.filter(({ id }) => id === 7 || id === 8)).toEqual([]);
    },
  );
});
