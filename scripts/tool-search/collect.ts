/**
 * Collects the tool definitions of the benchmark's servers: installs each into a folder, starts it, lists its tools.
 *
 *     bun scripts/tool-search/collect.ts
 *
 * All of it goes below `.build`, which git ignores: the texts are those of other projects. Servers get no key that opens
 * anything. Exits with 1 when a server could not be asked.
 */
import { mkdir } from "node:fs/promises";
import { dirname, join } from "node:path";

import { collectedFile } from "./corpus.ts";
import { benchmarkServers, type BenchmarkServer } from "./servers.ts";

const scratchDir = join(dirname(collectedFile), "servers");

const waitMsMax = 20_000;
const collected: unknown[] = [];
for (const server of benchmarkServers) {
  const tools = await toolsOf(server).catch((error: unknown) => {
    console.error(`${server.name}: ${error instanceof Error ? error.message : String(error)}`);
    return [];
  });
  console.log(`${server.name}: ${tools.length}`);
  if (tools.length > 0) collected.push({ name: server.name, tools });
}
await Bun.write(collectedFile, `${JSON.stringify(collected, null, 1)}\n`);
process.exitCode = collected.length < benchmarkServers.length ? 1 : 0;

async function toolsOf(server: BenchmarkServer): Promise<readonly unknown[]> {
  const dir = join(scratchDir, server.package.replaceAll(/[/@]/g, "_"));
  await install(server, dir);
  const script = join(dir, "node_modules", server.package, server.script);
  const child = Bun.spawn(["node", script, ...(server.args ?? [])], {
    cwd: dir,
    env: { PATH: process.env["PATH"] ?? "", HOME: dir, ...server.env },
    stdin: "pipe",
    stdout: "pipe",
    stderr: "ignore",
  });
  const timer = setTimeout(() => child.kill("SIGKILL"), waitMsMax);
  try {
    return await list(child);
  } finally {
    clearTimeout(timer);
    child.kill("SIGKILL");
    await child.exited;
  }
}

async function install({ package: name, version }: BenchmarkServer, dir: string): Promise<void> {
  if (await Bun.file(join(dir, "node_modules", name, "package.json")).exists()) return;
  await mkdir(dir, { recursive: true });
  await Bun.write(join(dir, "package.json"), '{"private":true}');
  const flags = ["--ignore-scripts", "--no-audit", "--no-fund", "--save-exact"];
  const npm = Bun.spawn(["npm", "install", ...flags, `${name}@${version}`], { cwd: dir });
  if ((await npm.exited) !== 0) throw new Error(`npm could not install ${name}@${version}`);
}

async function list(child: Bun.Subprocess<"pipe", "pipe", "ignore">): Promise<readonly unknown[]> {
  const send = (message: unknown): void => {
    void child.stdin.write(`${JSON.stringify({ jsonrpc: "2.0", ...Object(message) })}\n`);
    void child.stdin.flush();
  };
  const clientInfo = { name: "tool-search-benchmark", version: "1" };
  const params = { protocolVersion: "2025-06-18", capabilities: {}, clientInfo };
  send({ id: 1, method: "initialize", params });
  const tools: unknown[] = [];
  let text = "";
  for await (const chunk of child.stdout.pipeThrough(new TextDecoderStream())) {
    text += chunk;
    const lines = text.split("\n");
    text = lines.pop() ?? "";
    for (const line of lines) {
      const { id, result, error } = parsed(line);
      if (error !== undefined) throw new Error(JSON.stringify(error));
      if (id === 1) {
        send({ method: "notifications/initialized" });
        send({ id: 2, method: "tools/list", params: {} });
      }
      if (id === 2) {
        tools.push(...(result?.tools ?? []).map(definition));
        if (result?.nextCursor === undefined) return tools;
        send({ id: 2, method: "tools/list", params: { cursor: result.nextCursor } });
      }
    }
  }
  throw new Error("ended or was mute before its tools were listed");
}

interface Reply {
  readonly id?: number;
  readonly error?: unknown;
  readonly result?: { readonly tools?: readonly Tool[]; readonly nextCursor?: string };
}

interface Tool {
  readonly name: string;
  readonly title?: string;
  readonly description?: string;
  readonly inputSchema: unknown;
  readonly annotations?: unknown;
}

function parsed(line: string): Reply {
  try {
    return Object(JSON.parse(line)) as Reply;
  } catch {
    return {};
  }
}

/** What a search can look at. */
function definition({ name, title, description, inputSchema, annotations }: Tool): Tool {
  return {
    name,
    ...(title === undefined ? {} : { title }),
    description: description ?? "",
    inputSchema,
    ...(annotations === undefined ? {} : { annotations }),
  };
}
