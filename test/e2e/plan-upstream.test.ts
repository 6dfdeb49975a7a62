import { expect, setDefaultTimeout, test } from "bun:test";

import { ensureBuilt, productBinary } from "./harness/binary.ts";
import { eventually } from "./harness/conditions.ts";
import { isError, textOf, toolNames } from "./harness/messages.ts";
import { testMsMax } from "./harness/platform.ts";
import { Server, type ServerMessage } from "./harness/server.ts";
import { TempFolder } from "./harness/temp-folder.ts";
import { upstreamHome } from "./harness/upstream-home.ts";

setDefaultTimeout(testMsMax);
ensureBuilt(productBinary);

const definition = (name: string, more: object = {}): object => {
  return { name, behaviour: "echo", inputSchema: { type: "object" }, ...more };
};
const reading = definition("look", { annotations: { readOnlyHint: true } });
const structured = definition("write", { outputSchema: { type: "object" } });

function started(home: TempFolder, ...args: readonly string[]): Server {
  home.folder("project/.git");
  return new Server({ home, cwd: home.at("project"), args: ["serve", "--defer", "off", ...args] });
}

/** Whether plan mode keeps the call from being made. */
function isKept(reply: ServerMessage): boolean {
  return isError(reply) && textOf(reply).includes("plan mode is active");
}

async function enter(server: Server): Promise<void> {
  expect(isError(await server.call("PlanMode", { action: "enter", goal: "Look first" }))).toBe(
    false,
  );
}

test("[plan.upstream] only tools that read are called, unless the user's entry allows all", async () => {
  using home = upstreamHome({
    own: [{ tools: [reading, structured] }],
    free: [{ tools: [structured] }, { policy: "allow" }],
  });
  await using server = started(home);
  await server.initialize();
  await eventually("the tools", async () => {
    const names = toolNames(await server.request("tools/list"));
    return names.filter((name) => name.startsWith("mcp__")).length === 3;
  });
  const call = (name: string): Promise<ServerMessage> => server.call(name, { text: "hi" });
  expect(isKept(await call("mcp__own__write"))).toBe(false);
  await enter(server);
  const reply = await call("mcp__own__write");
  expect(reply.result).toMatchObject({ isError: true });
  expect(reply.result?.["structuredContent"]).toBeUndefined();
  for (const way of ["readOnlyHint: true", 'policy = "allow"', "PlanMode with action exit"]) {
    expect(textOf(reply)).toContain(way);
  }
  for (const alias of ["mcp:own.write", "mcp__scorpiox-code__mcp__own__write"]) {
    expect([alias, isKept(await call(alias))]).toEqual([alias, true]);
  }
  const wrapped = { name: "mcp__own__write", arguments: { text: "hi" } };
  expect(isKept(await server.call("tool_call", wrapped))).toBe(true);
  for (const name of ["mcp__own__look", "mcp__free__write"]) {
    expect([name, isKept(await call(name))]).toEqual([name, false]);
  }
  await server.call("PlanMode", { action: "reset" });
  expect(isKept(await call("mcp__own__write"))).toBe(false);
});

test("[plan.upstream] a hint that came after the approval does not count", async () => {
  using files = new TempFolder();
  const readOnly = { annotations: { readOnlyHint: true } };
  const offer = (more: object): string => {
    const change = definition("change_tools", { behaviour: "change_tools", ...readOnly });
    return files.write("tools.json", JSON.stringify([definition("write", more), change]));
  };
  using home = upstreamHome({ own: [{ toolsFile: offer({}) }] });
  // What a server changes is let through by this flag, and still not believed.
  await using server = started(home, "--on-change", "allow");
  await server.initialize();
  const hasHint = async (): Promise<boolean | undefined> => {
    const { result } = await server.request("tools/list");
    const tools = result?.["tools"] as readonly { name: string; annotations?: object }[];
    const tool = tools.find(({ name }) => name === "mcp__own__write");
    return tool && JSON.stringify(tool.annotations ?? {}).includes('"readOnlyHint":true');
  };
  await eventually("its tool", async () => (await hasHint()) === false);
  await enter(server);
  offer(readOnly);
  await server.call("mcp__own__change_tools");
  await eventually("its tool with the hint", async () => (await hasHint()) === true);
  expect(isKept(await server.call("mcp__own__write", { text: "hi" }))).toBe(true);
});
