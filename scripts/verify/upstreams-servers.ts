import { existsSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

import { root } from "../../test/e2e/harness/binary.ts";
import { everythingProgram, startEverything } from "../../test/e2e/harness/everything-server.ts";
import {
  askingCalls,
  type CallPlace,
  everythingCalls,
  filesystemCalls,
  memoryCalls,
  modernCalls,
  progressCalls,
  type RealCall,
  summaryCalls,
  thinkingCalls,
  weatherCalls,
} from "./upstreams-calls.ts";
import { installed } from "./upstreams-install.ts";
import { startNodeServer } from "./upstreams-http.ts";
import { commanderCalls, playwrightCalls } from "./upstreams-program-calls.ts";

/** A server as a user would configure it. */
export interface RealServer {
  readonly name: string;
  /** Its entry, made for one run; what it needs besides lives until it is disposed of. */
  start(place: CallPlace): Promise<{ readonly entry: Entry } & AsyncDisposable>;
  calls(place: CallPlace): readonly RealCall[];
  /** Tools that are listed and not called, with the reason. */
  readonly uncalled?: Readonly<Record<string, string>>;
}

export interface Entry {
  readonly command?: string;
  readonly args?: readonly string[];
  readonly env?: Readonly<Record<string, string>>;
  readonly url?: string;
  readonly [option: string]: unknown;
}

const chromium = ["/usr/bin/chromium", "/usr/bin/chromium-browser", "/usr/bin/google-chrome"].find(
  (path) => existsSync(path),
);

/** What a user who wants to be asked writes. */
const rights = { sampling: "allow", elicitation: "allow" };
const nothing = (): Promise<void> => Promise.resolve();

const program = (specifier: string): string => fileURLToPath(import.meta.resolve(specifier));

function piped(
  name: string,
  calls: RealServer["calls"],
  command: (place: CallPlace) => readonly string[],
  more: (place: CallPlace) => Entry = () => ({}),
): RealServer {
  return {
    name,
    calls,
    start(place) {
      const [first = "", ...args] = command(place);
      const entry = { command: first, args, ...rights, ...more(place) };
      return Promise.resolve({ entry, [Symbol.asyncDispose]: nothing });
    },
  };
}

const reference = (name: string): string =>
  program(`@modelcontextprotocol/server-${name}/dist/index.js`);

const everythingAll = (place: CallPlace): readonly RealCall[] => [
  ...everythingCalls(place),
  ...askingCalls,
];

function everythingOver(name: string, form: "mcp" | "sse"): RealServer {
  return {
    name,
    calls: everythingAll,
    async start() {
      const server = await startEverything(form);
      return {
        entry: { url: server.url, ...rights },
        [Symbol.asyncDispose]: () => server[Symbol.asyncDispose](),
      };
    },
  };
}

/** An example of the official SDK v1. */
const example = (file: string): string =>
  program(`@modelcontextprotocol/sdk/examples/server/${file}.js`);

const modernProgram = join(root, "test/fixtures/upstream/official-modern.ts");
const playwrightArgs = (): readonly string[] => [
  installed("@playwright/mcp", "cli.js"),
  "--headless",
  "--isolated",
  "--no-sandbox",
  ...(chromium === undefined ? [] : ["--executable-path", chromium]),
];

/** Servers over a pipe. */
export const pipedServers: readonly RealServer[] = [
  piped("everything", everythingAll, () => ["node", everythingProgram, "stdio"]),
  piped("filesystem", filesystemCalls, ({ folder }) => ["node", reference("filesystem"), folder]),
  piped(
    "memory",
    memoryCalls,
    () => ["node", reference("memory")],
    ({ folder }) => ({
      env: { MEMORY_FILE_PATH: join(folder, "memory.jsonl") },
    }),
  ),
  piped("thinking", thinkingCalls, () => ["node", reference("sequential-thinking")]),
  piped(
    "modern",
    modernCalls,
    () => [process.execPath, modernProgram],
    () => ({ auto_approve: true }),
  ),
  piped("weather", weatherCalls, () => ["node", example("mcpServerOutputSchema")]),
  piped("summary", summaryCalls, () => ["node", example("toolWithSampleServer")]),
  piped("progress", progressCalls, () => ["node", example("progressExample")]),
  piped("playwright", playwrightCalls, () => ["node", ...playwrightArgs()]),
  {
    ...piped("commander", commanderCalls, () => [
      "node",
      installed("@wonderwhy-er/desktop-commander", "dist/index.js"),
    ]),
    uncalled: { give_feedback_to_desktop_commander: "opens a page in the user's browser" },
  },
];

/** Servers over HTTP. */
export const httpServers: readonly RealServer[] = [
  everythingOver("everything", "mcp"),
  everythingOver("oldest", "sse"),
  {
    name: "example",
    calls: () => [
      { tool: "greet", args: { name: "Ada" }, says: "Hello, Ada!" },
      { tool: "multi-greet", args: { name: "Ada" }, says: "Ada" },
      { tool: "start-notification-stream", args: { interval: 20, count: 3 }, says: "Started" },
      { tool: "collect-user-info", args: { infoType: "contact" }, mayFail: true },
    ],
    start: () =>
      startNodeServer(["node", example("simpleStreamableHttp")], (port) => ({
        env: { MCP_PORT: String(port) },
        url: `http://localhost:${port}/mcp`,
        entry: rights,
      })),
  },
  {
    name: "forms",
    calls: () => [],
    start: () =>
      startNodeServer(["node", example("elicitationFormExample")], (port) => ({
        env: { PORT: String(port) },
        url: `http://localhost:${port}/mcp`,
        entry: rights,
      })),
  },
  {
    name: "hono",
    calls: () => [{ tool: "greet", args: { name: "Ada" }, says: "Ada" }],
    start: () =>
      startNodeServer(["node", example("honoWebStandardStreamableHttp")], (port) => ({
        env: { MCP_PORT: String(port) },
        url: `http://localhost:${port}/mcp`,
        entry: rights,
      })),
  },
  {
    name: "modern",
    calls: modernCalls,
    start: () =>
      startNodeServer([process.execPath, modernProgram, "--http"], (port) => ({
        env: { PORT: String(port) },
        url: `http://127.0.0.1:${port}/mcp`,
        entry: { ...rights, auto_approve: true },
      })),
  },
  {
    name: "playwright",
    calls: playwrightCalls,
    start: () =>
      startNodeServer(["node", ...playwrightArgs()], (port) => ({
        args: ["--port", String(port)],
        env: {},
        url: `http://localhost:${port}/mcp`,
        entry: rights,
      })),
  },
];
