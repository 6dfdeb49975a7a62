/** The servers that are measured, and how each is asked for the same thing. */
import path from "node:path";
import type { ToolCall } from "./client/message.ts";
import { faultyBinary, probe } from "./faults.ts";
import { paths } from "./paths.ts";
import type { PhaseName } from "./phases/phase-names.ts";

/** What has to be built before a server can run. */
export type Build =
  /** A C program of `floors/`. */
  | "cc"
  /** A program of `floors/`, compiled by Bun to one executable as the product is. */
  | "least"
  /** A package or script of `peers/`, run by Node. */
  | "npm"
  /** The same, compiled by Bun to one executable. */
  | "bun"
  /** Built elsewhere; skipped when it is absent. */
  | "given";

/** The same server over Streamable HTTP. */
export interface HttpService {
  /** Program and arguments; it prints one line that ends with the URL of its endpoint. */
  readonly command: (binary: string, port: number) => readonly string[];
  /** Of one that prints no URL: the path of its endpoint on the port that it is given. */
  readonly path?: string;
  /** The cheapest call. */
  readonly cheap: ToolCall;
  /** Keeps legacy sessions. */
  readonly hasSessions: boolean;
}

export interface Adapter {
  /** Heading in the report. */
  readonly label: string;
  readonly build: Build;
  /** What is needed besides. */
  readonly needs?: readonly Build[];
  /** Program and arguments. `binary` is the scorpiox-code under test. */
  readonly command: (binary: string) => readonly string[];
  /** The cheapest call this server has. */
  readonly cheap: ToolCall | "ping";
  /** Runs a command in a shell and answers with its output. */
  readonly shell?: (command: string) => ToolCall;
  /** A call that carries a text of several MB. */
  readonly bigRequest?: (text: string) => ToolCall;
  readonly http?: HttpService;
  /** How the cheap call of the phase `relay` reaches it. */
  readonly relay?: "stdio" | "http";
  /** Name of the threads that are Workers, where the server has any. */
  readonly workerThread?: RegExp;
  /** Only these phases, instead of all that the calls above allow. */
  readonly phases?: readonly PhaseName[];
}

const echo: ToolCall = { name: "echo", args: { message: "hi" } };
const listBgTasks: ToolCall = { name: "ListBgTasks", args: {} };
const bash = (command: string): ToolCall => ({ name: "Bash", args: { command } });
const bigEcho = (message: string): ToolCall => ({ name: "echo", args: { message } });
const compiled = (name: string): readonly string[] => [path.join(paths.build, name)];
const module = (file: string): string => path.join(paths.peerModules, file);

/** The server behind each of the gateways. */
const relayed = path.join(paths.build, "sdk2_bun");
const relayedEcho: ToolCall = { name: "mcp__sdk__echo", args: { message: "hi" } };
const anyPort = "127.0.0.1:0";

const sdkServer = { cheap: echo, shell: bash, bigRequest: bigEcho } as const;

const adapters = {
  floor_echo: {
    label: "C floor, echo",
    build: "cc",
    command: () => [path.join(paths.build, "floor_echo")],
    cheap: echo,
    bigRequest: bigEcho,
  },
  floor_http: {
    label: "bare Bun.serve",
    build: "bun",
    command: () => compiled("floor_http_bun"),
    cheap: echo,
    http: { command: () => compiled("floor_http_bun"), cheap: echo, hasSessions: false },
    phases: ["http"],
  },
  floor_bash: {
    label: "C floor, bash",
    build: "cc",
    command: () => [path.join(paths.build, "floor_shell"), "/bin/bash"],
    cheap: echo,
    shell: bash,
  },
  bare_bun: {
    label: "least Bun program",
    build: "least",
    command: () => compiled("bare_bun"),
    cheap: echo,
  },
  worker_echo: {
    label: "least program with a Worker",
    build: "least",
    command: () => compiled("worker_echo"),
    cheap: echo,
  },
  worker_call: {
    label: "the same with the promises of a call",
    build: "least",
    command: () => compiled("worker_call"),
    cheap: echo,
    http: {
      command: () => [...compiled("worker_call"), "--http"],
      cheap: echo,
      hasSessions: false,
    },
    phases: ["calls", "one", "pipelined", "http"],
  },
  scorpiox: {
    label: "scorpiox-code",
    build: "given",
    command: (binary) => [binary],
    cheap: listBgTasks,
    shell: bash,
    // The text is a comment, since Bash takes no other long argument that costs nothing to handle.
    bigRequest: (text) => bash(`true # ${text.replaceAll("\n", " ")}`),
    http: {
      command: (binary) => [binary, "serve", "--http", anyPort],
      cheap: listBgTasks,
      hasSessions: true,
    },
    workerThread: /^worker|^tool/i,
  },
  gateway: {
    label: "scorpiox-code → C floor",
    build: "given",
    command: (binary) => [binary, "--config", paths.gatewayConfig],
    cheap: { name: "mcp__floor__echo", args: { message: "hi" } },
    phases: ["calls"],
  },
  gateway_sdk: {
    label: "scorpiox-code → official SDK v2",
    build: "given",
    needs: ["bun"],
    command: (binary) => [binary, "--config", paths.gatewayConfig],
    cheap: relayedEcho,
    relay: "stdio",
    phases: ["relay"],
  },
  main_relay: {
    label: "least relay → official SDK v2",
    build: "least",
    needs: ["bun"],
    command: () => [...compiled("main_relay"), relayed],
    cheap: echo,
    relay: "stdio",
    phases: ["relay"],
  },
  worker_relay: {
    label: "least relay through a Worker → official SDK v2",
    build: "least",
    needs: ["bun"],
    command: () => [...compiled("worker_relay"), relayed],
    cheap: echo,
    relay: "stdio",
    phases: ["relay"],
  },
  gateway_http: {
    label: "scorpiox-code → official SDK v2, over HTTP",
    build: "given",
    needs: ["bun"],
    command: (binary) => [binary],
    cheap: relayedEcho,
    http: {
      command: (binary) => [binary, "serve", "--http", anyPort, "--config", paths.gatewayConfig],
      cheap: relayedEcho,
      hasSessions: true,
    },
    relay: "http",
    phases: ["relay"],
  },
  supergateway: {
    label: "supergateway → official SDK v2, over HTTP",
    build: "npm",
    needs: ["bun"],
    command: () => ["node", module("supergateway/dist/index.js")],
    cheap: echo,
    http: {
      command: (_, port) => [
        "node",
        module("supergateway/dist/index.js"),
        "--stdio",
        relayed,
        "--outputTransport",
        "streamableHttp",
        "--stateful",
        "--logLevel",
        "none",
        "--port",
        String(port),
      ],
      path: "/mcp",
      cheap: echo,
      hasSessions: true,
    },
    relay: "http",
    phases: ["relay"],
  },
  mcp_proxy: {
    label: "mcp-proxy → official SDK v2, over HTTP",
    build: "npm",
    needs: ["bun"],
    command: () => ["node", module("mcp-proxy/dist/bin/mcp-proxy.mjs")],
    cheap: echo,
    http: {
      command: (_, port) => [
        "node",
        module("mcp-proxy/dist/bin/mcp-proxy.mjs"),
        "--server",
        "stream",
        "--host",
        "127.0.0.1",
        "--port",
        String(port),
        "--",
        relayed,
      ],
      path: "/mcp",
      cheap: echo,
      hasSessions: true,
    },
    relay: "http",
    phases: ["relay"],
  },
  faulty: {
    label: "scorpiox-code, faulty tools",
    build: "given",
    command: () => [path.join(paths.repository, faultyBinary)],
    cheap: probe,
    phases: ["replacement"],
  },
  sdk1_bun: {
    ...sdkServer,
    label: "official SDK v1, Bun-compiled",
    build: "bun",
    command: () => compiled("sdk1_bun"),
  },
  sdk2_bun: {
    ...sdkServer,
    label: "official SDK v2, Bun-compiled",
    build: "bun",
    command: () => compiled("sdk2_bun"),
    relay: "stdio",
    http: { command: () => compiled("sdk2_http_bun"), cheap: echo, hasSessions: true },
  },
  sdk1_node: {
    ...sdkServer,
    label: "official SDK v1, Node",
    build: "npm",
    command: () => ["node", path.join(paths.peers, "sdk1-server.mjs")],
  },
  sdk2_node: {
    ...sdkServer,
    label: "official SDK v2, Node",
    build: "npm",
    command: () => ["node", path.join(paths.peers, "sdk2-server.mjs")],
  },
  everything: {
    label: "server-everything",
    build: "npm",
    command: () => ["node", module("@modelcontextprotocol/server-everything/dist/index.js")],
    cheap: echo,
    bigRequest: bigEcho,
  },
  commands: {
    label: "mcp-server-commands",
    build: "npm",
    command: () => ["node", module("mcp-server-commands/build/index.js")],
    cheap: "ping",
    shell: (command) => ({ name: "run_command", args: { command } }),
  },
} as const satisfies Record<string, Adapter>;

export type ServerName = keyof typeof adapters;

/** In the order of the report. */
export const serverNames: readonly ServerName[] = Object.keys(adapters).filter(isServerName);

/** The adapter with its optional parts visible. */
export function adapterOf(name: ServerName): Adapter {
  return adapters[name];
}

function isServerName(name: string): name is ServerName {
  return name in adapters;
}
