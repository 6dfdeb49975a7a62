import { expect, setDefaultTimeout, test } from "bun:test";

import { ensureBuilt, productBinary, root } from "./harness/binary.ts";
import { eventually } from "./harness/conditions.ts";
import { everythingProgram } from "./harness/everything-server.ts";
import { testMsMax } from "./harness/platform.ts";
import { connectV1, connectV2, type RealClient } from "./harness/real-client.ts";
import { testEnvironment } from "./harness/server.ts";
import { TempFolder } from "./harness/temp-folder.ts";
import { onlyLong } from "../fixtures/long-run.ts";

setDefaultTimeout(testMsMax);
ensureBuilt(productBinary);

const modernProgram = `${root}/test/fixtures/upstream/official-modern.ts`;
const clients = { "the official SDK v1": connectV1, "the official SDK v2": connectV2 };

async function connect(
  client: keyof typeof clients,
  home: TempFolder,
  args: readonly string[],
): Promise<RealClient> {
  const entry = {
    command: process.execPath,
    args,
    sampling: "allow",
    elicitation: "allow",
    auto_approve: true,
  };
  home.write(".scorpiox/mcp_servers.json", JSON.stringify({ mcpServers: { up: entry } }));
  return clients[client]({
    command: productBinary,
    args: ["--defer", "off"],
    env: testEnvironment(home.path),
    cwd: home.path,
  });
}

/** What it says, in any form. */
async function said(client: RealClient, tool: string, args: object = {}): Promise<string> {
  return JSON.stringify(await client.callTool(`mcp__up__${tool}`, { ...args }));
}

async function hasTool(client: RealClient, name: string): Promise<void> {
  const isListed = async (): Promise<boolean> =>
    (await client.listTools()).some((tool) => tool.name === `mcp__up__${name}`);
  await eventually(`the tool ${name}`, isListed, 20_000);
}

/** How often the client was told how far it is. */
async function progressOf(client: RealClient, tool: string, args: object): Promise<number> {
  let steps = 0;
  const onprogress = (): void => void (steps += 1);
  await client.callTool(`mcp__up__${tool}`, { ...args }, { onprogress });
  return steps;
}

type Name = keyof typeof clients;
const [v1, v2]: readonly [Name, Name] = ["the official SDK v1", "the official SDK v2"];

// Each client and each server: what passes between a client and us is that of every other server.
test.each([v2, ...onlyLong([v1])])(
  "[gateway.gw-43] all of the reference server, over a pipe, for %s",
  async (name) => {
    using home = new TempFolder();
    await using client = await connect(name, home, [everythingProgram, "stdio"]);
    // It offers this when it has been told that it may ask.
    await hasTool(client, "trigger-sampling-request");
    expect(await said(client, "echo", { message: "hi" })).toContain("Echo: hi");
    expect(await said(client, "get-tiny-image")).toContain('"type":"image"');
    expect(
      await client.callTool("mcp__up__get-structured-content", { location: "Chicago" }),
    ).toMatchObject({ structuredContent: { temperature: expect.any(Number) } });
    // Slower than progress is passed on at most.
    const long = { duration: 0.6, steps: 2 };
    // The last step comes with the answer, which may make it late.
    expect(await progressOf(client, "trigger-long-running-operation", long)).toBeGreaterThan(0);
    expect(await said(client, "trigger-elicitation-request")).toContain("Ada");
    expect(await said(client, "trigger-sampling-request", { prompt: "p" })).toContain("Paris");
    expect(await said(client, "get-sum", { a: "no number" })).toContain('"isError":true');

    const stopped = AbortSignal.timeout(100);
    const tooLong = { duration: 60, steps: 60 };
    const call = client.callTool(`mcp__up__trigger-long-running-operation`, tooLong, {
      signal: stopped,
    });
    expect(
      await call.then(
        () => "answered",
        () => "given up",
      ),
    ).toBe("given up");

    const linked = /"uri":"(scorpiox:[^"]+)"/.exec(
      await said(client, "get-resource-links", { count: 1 }),
    )?.[1];
    expect(JSON.stringify(await client.readResource(linked ?? "none"))).toContain('"contents":[{');
    expect((await client.listTemplates()).join()).toContain("scorpiox://mcp/up/");
    const [resource] = (await client.listResources()).filter(({ uri }) => uri.includes("/mcp/up/"));
    await client.subscribe(resource?.uri ?? "none");
    const prompt = await client.getPrompt("mcp__up__args-prompt", { city: "Paris" });
    expect(JSON.stringify(prompt)).toContain("Paris");
    expect(await client.complete("mcp__up__completable-prompt", "department", "E")).toEqual([
      "Engineering",
    ]);
  },
);

test.each([v1, ...onlyLong([v2])])(
  "[gateway.gw-43] all of a server of 2026-07-28, for %s",
  async (name) => {
    using home = new TempFolder();
    await using client = await connect(name, home, [modernProgram]);
    await hasTool(client, "add");
    expect(await client.callTool("mcp__up__add", { a: 19, b: 23 })).toMatchObject({
      structuredContent: { sum: 42 },
    });
    expect(await progressOf(client, "count", { steps: 3 })).toBeGreaterThan(0);
    expect(await said(client, "greet")).toContain("Ada");
    expect(await said(client, "capital")).toContain("Paris");
    expect(await said(client, "where")).toContain("file:///");

    const uri = "scorpiox://mcp/up/test://note";
    expect((await client.listResources()).map((each) => each.uri)).toContain(uri);
    expect(await client.listTemplates()).toContain("scorpiox://mcp/up/test://page/{number}");
    expect(await client.readResource("scorpiox://mcp/up/test://page/7")).toMatchObject({
      contents: [{ uri: "scorpiox://mcp/up/test://page/7", text: "text of test://page/7" }],
    });
    expect(await client.listPrompts()).toContain("mcp__up__hello");
    expect(JSON.stringify(await client.getPrompt("mcp__up__hello", { name: "Ada" }))).toContain(
      "Hello, Ada",
    );
    expect(await client.complete("mcp__up__hello", "name", "A")).toEqual(["Ada", "Alan"]);

    await client.subscribe(uri);
    await said(client, "touch");
    await eventually("an update", () => client.seen.updated.includes(uri));
    const { toolChanges } = client.seen;
    await said(client, "grow");
    await eventually("a changed list", () => client.seen.toolChanges > toolChanges);
    await hasTool(client, "extra");
    expect(await said(client, "extra")).toContain("extra");
  },
);
