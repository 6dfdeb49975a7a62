import { mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { root } from "../../test/e2e/harness/binary.ts";
import { type OfferedTool, objects, offeredTool } from "./dialects/dialect.ts";
import { environmentIn, introduction, messagesIn, type Recording } from "./record.ts";

/** A client without a model: it lists the tools of the server in its arguments, and prints them as JSON. */
export interface PlainClient {
  readonly id: string;
  readonly title: string;
  readonly version: string;
  readonly words: (server: readonly string[]) => readonly string[];
  /** Why it cannot be had here. */
  readonly missing?: string;
}

const inspector = join(
  root,
  "node_modules/@modelcontextprotocol/inspector/clients/launcher/build/index.js",
);
const sdk = join(import.meta.dir, "list-by-sdk.ts");
const python = process.env["MCP_PYTHON"] ?? "python3";
const pythonProgram = `
import asyncio, json, sys
from mcp import Client, StdioServerParameters, stdio_client
async def main():
    server = StdioServerParameters(command=sys.argv[1], args=sys.argv[2:])
    async with Client(stdio_client(server)) as client:
        tools = (await client.list_tools()).tools
        print(json.dumps([{"name": tool.name, "description": tool.description} for tool in tools]))
asyncio.run(main())
`;

/** The version of a package of this checkout. */
async function versionOf(name: string): Promise<string> {
  const manifest = join(root, "node_modules", name, "package.json");
  return ((await Bun.file(manifest).json()) as { version: string }).version;
}

/** The clients by which programmers try servers. `MCP_PYTHON` names a Python that has the official SDK. */
export async function plainClients(): Promise<readonly PlainClient[]> {
  const pythonVersion = Bun.spawnSync([
    python,
    "-c",
    "import mcp, importlib.metadata as m; mcp.Client; print(m.version('mcp'))",
  ]);
  return [
    {
      id: "inspector",
      title: "MCP Inspector, command line",
      version: await versionOf("@modelcontextprotocol/inspector"),
      words: (server) =>
        [process.execPath, inspector, "--cli", ...server].concat([
          "--method",
          "tools/list",
          "--format",
          "json",
        ]),
    },
    {
      id: "sdk-v1",
      title: "TypeScript SDK v1",
      version: await versionOf("@modelcontextprotocol/sdk"),
      words: (server) => [process.execPath, sdk, "v1", ...server],
    },
    {
      id: "sdk-v2",
      title: "TypeScript SDK v2",
      version: await versionOf("@modelcontextprotocol/client"),
      words: (server) => [process.execPath, sdk, "v2", ...server],
    },
    {
      id: "sdk-python",
      title: "Python SDK",
      version: pythonVersion.stdout.toString().trim(),
      words: (server) => [python, "-c", pythonProgram, ...server],
      ...(pythonVersion.exitCode !== 0 && { missing: "no Python here has mcp 2" }),
    },
  ];
}

/** What such a client does with a server. */
export async function recordPlain(
  { words }: PlainClient,
  server: readonly string[],
  prepare: (work: string, home: string) => void,
  env: Readonly<Record<string, string>>,
): Promise<Recording> {
  const folder = mkdtempSync(join(tmpdir(), "scorpiox-plain-"));
  const [home, work, log] = ["home", "work", "messages.jsonl"].map((name) => join(folder, name));
  if (home === undefined || work === undefined || log === undefined) throw new Error("no folder");
  try {
    for (const each of [home, work]) mkdirSync(each);
    prepare(work, home);
    const tee = [process.execPath, join(import.meta.dir, "tee.ts"), log, ...server];
    const child = Bun.spawn([...words(tee)], {
      cwd: work,
      // The Inspector's catalogue is in the user's home otherwise.
      env: { ...env, HOME: home, TMPDIR: folder, MCP_CATALOG_PATH: join(folder, "catalogue.json") },
      stdio: ["ignore", "pipe", "pipe"],
      timeout: 60_000,
      killSignal: "SIGKILL",
    });
    const [out, said] = await Promise.all([child.stdout.text(), child.stderr.text()]);
    const isDone = (await child.exited) === 0;
    return {
      ...introduction(messagesIn(log)),
      offered: isDone ? toolsIn(out) : [],
      environment: environmentIn(log),
      calls: [],
      ...(!isDone && { fault: said }),
    };
  } finally {
    rmSync(folder, { recursive: true, force: true, maxRetries: 3 });
  }
}

function toolsIn(printed: string): readonly OfferedTool[] {
  const value: unknown = JSON.parse(printed);
  const { result } = (value ?? {}) as { result?: { tools?: unknown } };
  return objects(result?.tools ?? value).map((tool) => offeredTool(tool));
}
