import { describe, expect, test } from "bun:test";
import type { ServerFeatures } from "../../../src/calls/features.ts";
import { legacyVersions } from "../../../src/protocol/message.ts";
import { everyFeature } from "../fake-features.ts";
import { modern, request, startServer, startSession } from "../harness.ts";

const { resources, prompts, completion, skills } = everyFeature() as Required<ServerFeatures>;

interface Opening {
  readonly result: { readonly capabilities: unknown };
}

async function discovered(offered: Partial<ServerFeatures>): Promise<unknown> {
  const [reply] = await startServer(0, offered).exchange(1, modern(1, "server/discover"));
  return (reply as Opening).result.capabilities;
}

describe("capabilities", () => {
  const extension = { "io.modelcontextprotocol/skills": { directoryRead: true } };

  test.each<[Partial<ServerFeatures>, Record<string, unknown>]>([
    [{}, {}],
    [{ resources }, { resources: { subscribe: true } }],
    [
      { resources, changing: new Set(["resources"]) },
      { resources: { subscribe: true, listChanged: true } },
    ],
    [{ changing: new Set(["tools"]) }, { tools: { listChanged: true } }],
    // Nothing is said to change that is not there.
    [{ changing: new Set(["prompts", "resources"]) }, {}],
    [{ prompts }, { prompts: {} }],
    [{ prompts, changing: new Set(["prompts"]) }, { prompts: { listChanged: true } }],
    [{ completion }, { completions: {} }],
    [
      { resources, skills },
      { resources: { subscribe: true }, extensions: extension },
    ],
  ])("are those of what is offered (%#)", async (offered, expected) => {
    expect(await discovered(offered)).toEqual({ logging: {}, tools: {}, ...expected });
  });

  test("tasks are declared when a tool makes them", async () => {
    const server = startServer();
    server.tools.taskSupports.set("Echo", "optional");
    const [reply] = await server.exchange(1, modern(1, "server/discover"));
    expect((reply as Opening).result.capabilities).toEqual({
      logging: {},
      tools: {},
      extensions: { "io.modelcontextprotocol/tasks": {} },
    });
  });

  test.each(legacyVersions)(
    "HP14: %s: no tasks, and completions from 2025-03-26",
    async (version) => {
      const server = startServer(0, everyFeature());
      server.tools.taskSupports.set("Echo", "optional");
      const [reply] = await server.exchange(
        1,
        request(1, "initialize", { protocolVersion: version }),
      );
      expect((reply as Opening).result.capabilities).toEqual({
        extensions: { "io.modelcontextprotocol/skills": { directoryRead: true } },
        logging: {},
        tools: { listChanged: true },
        resources: { subscribe: true, listChanged: true },
        prompts: { listChanged: true },
        ...(version === "2024-11-05" ? {} : { completions: {} }),
      });
    },
  );
});

describe("what is not offered does not exist", () => {
  const methods = [
    "resources/list",
    "resources/templates/list",
    "resources/read",
    "prompts/list",
    "prompts/get",
    "completion/complete",
  ];

  test.each([...methods, "resources/subscribe", "resources/unsubscribe"])(
    "legacy %s",
    async (method) => {
      const { exchange } = await startSession("2025-11-25");
      const [reply] = await exchange(1, request(1, method, { uri: "test://a", name: "greet" }));
      expect(reply).toMatchObject({ error: { code: -32601 } });
    },
  );

  test.each([
    ...methods,
    "skills/list",
    "skills/get",
    "resources/directory/read",
    "subscriptions/listen",
  ])("modern %s", async (method) => {
    const { exchange } = startServer();
    const params = { uri: "test://a", name: "greet", notifications: {} };
    const [reply] = await exchange(1, modern(1, method, params));
    expect(reply).toMatchObject({ error: { code: -32601 } });
  });
});
