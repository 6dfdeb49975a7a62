import type { CommandIo, TextOutput } from "../../src/cli/command-io.ts";
import type { CliServices, OpenTools, UpstreamTool } from "../../src/cli/command.ts";
import type { HttpSettings } from "../../src/cli/http-settings.ts";
import { runCommandLine } from "../../src/cli/run/run.ts";
import type { StartUp } from "../../src/cli/start-up.ts";
import type { CallOutcome, CallRequest } from "../../src/calls/call.ts";
import type { SandboxReport } from "../../src/commands/sandbox/notes.ts";
import type { ToolListing } from "../../src/protocol/tool-types.ts";
import type { AskedCatalogue } from "../../src/upstream/server-state.ts";
import type { SearchReply, SearchRequest } from "../../src/web/search/search-reply.ts";
import { TempTree, type TreeEntry } from "../config/temp-tree.ts";

/** What one run of the command line left behind. */
export interface CommandRun {
  readonly exitCode: number;
  readonly stdout: string;
  readonly stderr: string;
  /** `serveStdio` was asked for with this. */
  readonly served: StartUp | undefined;
  /** `serveHttp` was asked for with this. */
  readonly servedHttp: HttpSettings | undefined;
  readonly calls: readonly CallRequest[];
  /** Queries that were searched for. */
  readonly searched: readonly string[];
  readonly closed: number;
  /** How often suspensions of search engines were forgotten. */
  readonly forgotten: number;
}

export interface CommandRunInput {
  readonly files?: Readonly<Record<string, TreeEntry>>;
  readonly env?: Readonly<Record<string, string>>;
  /** Below the tree's root. */
  readonly cwd?: string;
  readonly terminals?: readonly ("stdin" | "stdout" | "stderr")[];
  /** Characters in a line of the terminal. */
  readonly columns?: number;
  readonly tools?: readonly ToolListing[];
  readonly outcome?: CallOutcome;
  /** Tools of other servers: then all names can be called. */
  readonly upstreamTools?: readonly UpstreamTool[];
  /** What searches give. */
  readonly reply?: SearchReply;
  /** What trying the sandboxes gives. */
  readonly sandbox?: SandboxReport;
  /** What other servers say when they are asked; without it they may not be asked. */
  readonly catalogues?: Readonly<Record<string, AskedCatalogue>>;
  /** How it shows that a server has started this. */
  readonly startedByServer?: string;
  /** What Ctrl-C aborts. */
  readonly interrupted?: AbortSignal;
  /** Services in place of the usual ones. */
  readonly services?: Partial<CliServices>;
  /** Chunks of stdin. */
  readonly stdin?: Iterable<string | Uint8Array> | AsyncIterable<string | Uint8Array>;
}

const annotations = {
  readOnlyHint: true,
  destructiveHint: false,
  idempotentHint: true,
  openWorldHint: false,
};

/** A machine without any. */
const unsandboxed: SandboxReport = {
  settings: { mode: "off", hasNetwork: true, writable: [], backend: undefined },
  trials: [],
  used: null,
  refusal: null,
  planMode: ["Nothing holds."],
};

/** A tool with a parameter of each type. */
export const probeTool: ToolListing = {
  name: "Probe",
  title: "Probe",
  description: "Tries things, e.g. this. Then more.",
  inputSchema: {
    type: "object",
    properties: {
      text: { type: "string" },
      count: { type: "integer" },
      ratio: { type: "number" },
      deep: { type: "boolean" },
      list: { type: "array" },
      map: { type: "object" },
    },
  },
  annotations,
};

/** Runs `argv` in `tree`; its root is taken out of the outputs. */
export async function runIn(
  tree: TempTree,
  argv: readonly string[],
  input: CommandRunInput = {},
): Promise<CommandRun> {
  const stdout = createOutput(input.terminals?.includes("stdout") === true, input.columns);
  const stderr = createOutput(input.terminals?.includes("stderr") === true);
  const probe = createServices(input);
  const io: CommandIo = {
    env: input.env ?? {},
    cwd: tree.path(input.cwd ?? "project"),
    homeDir: tree.path("home"),
    executableDir: tree.path("bin"),
    machineDir: tree.path("machine"),
    startedByServer: async () => input.startedByServer,
    stdinIsTerminal: input.terminals?.includes("stdin") === true,
    stdin: chunksOf(input.stdin ?? []),
    stdout,
    stderr,
    interrupted: input.interrupted ?? new AbortController().signal,
    wasInterrupted: input.interrupted?.aborted === true,
  };
  const exitCode = await runCommandLine(argv, io, probe.services);
  return {
    exitCode,
    stdout: tree.relative(stdout.text()),
    stderr: tree.relative(stderr.text()),
    served: probe.served(),
    servedHttp: probe.servedHttp(),
    calls: probe.calls,
    searched: probe.searched,
    closed: probe.closed(),
    forgotten: probe.forgotten(),
  };
}

/** Runs `argv` in a new tree. */
export async function run(
  argv: readonly string[],
  input: CommandRunInput = {},
): Promise<CommandRun> {
  using tree = new TempTree(input.files);
  return await runIn(tree, argv, input);
}

async function* chunksOf(
  chunks: Iterable<string | Uint8Array> | AsyncIterable<string | Uint8Array>,
): AsyncGenerator<Uint8Array> {
  for await (const chunk of chunks) {
    yield typeof chunk === "string" ? new TextEncoder().encode(chunk) : chunk;
  }
}

function createOutput(isTerminal: boolean, columns?: number): TextOutput & { text(): string } {
  const written: string[] = [];
  return {
    isTerminal,
    columns,
    write: (text) => void written.push(text),
    text: () => written.join(""),
  };
}

interface ServicesProbe {
  readonly services: CliServices;
  readonly calls: CallRequest[];
  readonly searched: string[];
  served(): StartUp | undefined;
  servedHttp(): HttpSettings | undefined;
  closed(): number;
  forgotten(): number;
}

function createServices(input: CommandRunInput): ServicesProbe {
  const calls: CallRequest[] = [];
  const searched: string[] = [];
  let served: StartUp | undefined;
  let servedHttp: HttpSettings | undefined;
  let closed = 0;
  let forgotten = 0;
  const services: CliServices = {
    version: "1.2.3",
    ownCommand: ["/home/you/.scorpiox/scorpiox-code"],
    runProgram: () => Promise.reject(new Error("there are no programs")),
    toolNames: ["Bash", "BackgroundBash", "ReadDocs", "WebSearch"],
    async serveStdio(options) {
      served = options;
      return 0;
    },
    async serveHttp(options, http) {
      served = options;
      servedHttp = http;
      return 0;
    },
    tryClientEntry: () => Promise.reject(new Error("there are no clients")),
    storePlace: () => Promise.resolve(undefined),
    async upstreamCatalogues(_start, servers) {
      if (input.catalogues === undefined) throw new Error("there are no MCP servers");
      const names = servers.map(({ entry }) => entry.name);
      const all = Object.entries(input.catalogues);
      return new Map(all.filter(([name]) => names.includes(name)));
    },
    triedUpstreams: async (_start, servers) => (servers.length === 0 ? new Map() : unasked()),
    installUpstreams: () => Promise.resolve(new Map()),
    openPages: async () => ({
      canOpen: false,
      open: () => Promise.reject(new Error("there is no screen")),
    }),
    probeSandbox: () => Promise.resolve(input.sandbox ?? unsandboxed),
    async openTools() {
      return {
        upstreams: noUpstreams,
        upstreamTools: ({ server: wanted }) => {
          const tools = input.upstreamTools ?? [];
          const meant = tools.filter(({ server }) => wanted === undefined || server === wanted);
          return Promise.resolve(meant);
        },
        tools: {
          takesOtherNames: input.upstreamTools !== undefined,
          list: () => input.tools ?? [probeTool],
          async call(request) {
            calls.push(request);
            return input.outcome ?? resultOf([{ type: "text", text: "done" }]);
          },
        },
        [Symbol.asyncDispose]: async () => void closed++,
      };
    },
    async openHooks() {
      throw new Error("there are no hooks");
    },
    async openSearch() {
      const answer = async (request?: SearchRequest): Promise<SearchReply> => {
        if (request !== undefined) searched.push(request.query);
        if (input.reply === undefined) throw new Error("there is no reply");
        return input.reply;
      };
      return {
        search: answer,
        report: () => answer(),
        forget: () => {
          forgotten++;
          return true;
        },
        [Symbol.asyncDispose]: async () => void closed++,
      };
    },
    ...input.services,
  };
  return {
    services,
    calls,
    searched,
    served: () => served,
    servedHttp: () => servedHttp,
    closed: () => closed,
    forgotten: () => forgotten,
  };
}

function unasked(): never {
  throw new Error("there are no MCP servers");
}

/** Those of a user without servers, whom a command does not ask then. */
const noUpstreams: OpenTools["upstreams"] = {
  isWanted: false,
  snapshot: undefined,
  settled: unasked,
  call: unasked,
  checkArguments: unasked,
  search: unasked,
  control: unasked,
  infoList: unasked,
  subscribe: unasked,
  unsubscribe: unasked,
  endClient: unasked,
  listen: unasked,
  [Symbol.asyncDispose]: unasked,
};

/** The outcome of a call that gave this content. */
export function resultOf(content: readonly unknown[], isError = false): CallOutcome {
  return { kind: "result", json: JSON.stringify({ content, isError }) };
}
