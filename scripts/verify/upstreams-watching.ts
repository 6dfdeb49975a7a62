import { eventually } from "../../test/e2e/harness/conditions.ts";
import type { RealClient } from "../../test/e2e/harness/real-client.ts";
import { ownName } from "./upstreams-direct.ts";

interface Watched {
  readonly figure: string;
  readonly faults: readonly string[];
}

type Watch = (client: RealClient, prefix: string) => Promise<readonly string[]>;

/** Longer than the five seconds after which the reference server tells of its resources. */
const waitMsMax = 15_000;

/** Reads and subscribes to a resource of the reference server, which then says now and again that it has changed. */
const everything: Watch = async (client, prefix) => {
  const uri = await firstResource(client, prefix);
  await client.subscribe(uri);
  await client.callTool(`${prefix}toggle-subscriber-updates`, {});
  await eventually("an update", () => client.seen.updated.includes(uri), waitMsMax);
  await client.callTool(`${prefix}toggle-subscriber-updates`, {});
  return ["resource read", "update seen"];
};

/** The server of the official SDK says what it changes. */
const modern: Watch = async (client, prefix) => {
  const uri = await firstResource(client, prefix);
  await client.subscribe(uri);
  const { toolChanges } = client.seen;
  await client.callTool(`${prefix}touch`, {});
  await eventually("an update", () => client.seen.updated.includes(uri), waitMsMax);
  await client.callTool(`${prefix}grow`, {});
  await eventually("a changed list", () => client.seen.toolChanges > toolChanges, waitMsMax);
  const hasExtra = async (): Promise<boolean> =>
    (await client.listTools()).some(({ name }) => name === `${prefix}extra`);
  await eventually("the new tool", hasExtra, waitMsMax);
  const said = JSON.stringify(await client.callTool(`${prefix}extra`, {}));
  if (!said.includes("extra")) throw new Error(`the new tool said ${said}`);
  return ["resource read", "update seen", "new tool seen and called"];
};

/** The servers by which the official SDKs are tested: they take subscriptions and change nothing. */
const sdk: Watch = async (client, prefix) => {
  const uri = await firstResource(client, prefix);
  const watched = `${uri.slice(0, uri.lastIndexOf("/"))}/watched-resource`;
  await client.subscribe(watched);
  const prompts = (await client.listPrompts()).filter((name) => name.startsWith(prefix));
  // What none of them takes is not looked at.
  const args = { arg1: "one", arg2: "two", resourceUri: "test://static-text" };
  for (const name of prompts) {
    const said = JSON.stringify(await client.getPrompt(name, args));
    if (!said.includes('"messages":[{')) throw new Error(`the prompt ${name} said ${said}`);
  }
  const server = prefix.split("__")[1] ?? "";
  await client.complete(ownName(server, "test_prompt_with_arguments"), "arg1", "o");
  return ["resource read", "subscribed", `${prompts.length} prompts got`, "completion asked"];
};

const watches: Readonly<Record<string, Watch>> = {
  everything,
  oldest: everything,
  modern,
  "sdk-v1": sdk,
  "sdk-v2": sdk,
  "sdk-v2-older": sdk,
};

/** Subscriptions and changed lists, for the servers that have them. */
export async function checkWatching(
  name: string,
  client: RealClient,
  prefix: string,
): Promise<Watched> {
  const asked = [...new Set(client.seen.asked)].toSorted();
  const figure = `asked: ${asked.length === 0 ? "nothing" : asked.join(", ")}`;
  const watch = watches[name];
  if (watch === undefined) return { figure, faults: [] };
  const prompts = (await client.listPrompts()).filter((each) => each.startsWith(prefix));
  const wanted = ["elicitation/create", "sampling/createMessage"].filter(
    (each) => !asked.includes(each),
  );
  const faults = wanted.map((each) => `${each} was not relayed`);
  if (prompts.length === 0) faults.push("no prompts");
  try {
    return { figure: `${figure}; ${(await watch(client, prefix)).join(", ")}`, faults };
  } catch (error) {
    return { figure, faults: [...faults, error instanceof Error ? error.message : String(error)] };
  }
}

async function firstResource(client: RealClient, prefix: string): Promise<string> {
  const server = prefix.split("__")[1] ?? "";
  const all = await client.listResources();
  const found = all.find(({ uri }) => uri.startsWith(`scorpiox://mcp/${server}/`));
  if (found === undefined) throw new Error(`no resource among ${all.length}`);
  const read = JSON.stringify(await client.readResource(found.uri));
  if (!read.includes(found.uri)) throw new Error(`reading ${found.uri} gave ${read.slice(0, 200)}`);
  return found.uri;
}
