import {
  type ConnectionRequest,
  type ConnectOptions,
  type UpstreamConnection,
} from "../../../src/upstream/connect/connection.ts";
import { openConnection } from "../../../src/upstream/connect/negotiate.ts";
import type { UpstreamProcess } from "../../../src/upstream/process/upstream-process.ts";
import type { ClientCapabilities } from "../../../src/protocol/client-capabilities.ts";
import {
  type HttpUpstream,
  spawnHttpUpstream,
  spawnUpstream,
} from "../../fixtures/upstream/spawn.ts";
import type { UpstreamScript } from "../../fixtures/upstream/script.ts";

export const allCapabilities: ClientCapabilities = {
  elicitationForm: true,
  elicitationUrl: true,
  sampling: true,
  samplingTools: false,
  roots: true,
  tasks: false,
};

/** What a connection told of its own accord. */
export interface Told {
  readonly lists: string[];
  readonly updated: string[];
  readonly logs: unknown[];
  readonly strays: string[];
  readonly closed: string[];
}

export interface Opened extends AsyncDisposable {
  readonly connection: UpstreamConnection;
  readonly told: Told;
  /** One for each start. */
  readonly processes: readonly UpstreamProcess[];
  readonly http: HttpUpstream | undefined;
}

export type Transport = "stdio" | "http";

interface OpenParts {
  readonly options?: Partial<ConnectOptions>;
  readonly url?: string;
  readonly signal?: AbortSignal;
}

/** Connects to a scripted server that is started for it. */
export async function openScripted(
  transport: Transport,
  script: UpstreamScript,
  { options = {}, url, signal = new AbortController().signal }: OpenParts = {},
): Promise<Opened> {
  const told: Told = { lists: [], updated: [], logs: [], strays: [], closed: [] };
  const processes: (UpstreamProcess & AsyncDisposable)[] = [];
  const http = transport === "http" ? await spawnHttpUpstream(script) : undefined;
  const spawn = (): Promise<UpstreamProcess> => {
    const process = spawnUpstream(script);
    processes.push(process);
    return Promise.resolve(process);
  };
  const dispose = async (): Promise<void> => {
    await Promise.all(
      [...processes, ...(http ? [http] : [])].map((each) => each[Symbol.asyncDispose]()),
    );
  };
  const events = {
    onListChanged: (list: string) => void told.lists.push(list),
    onResourceUpdated: (uri: string) => void told.updated.push(uri),
    onLog: (_: string, data: unknown) => void told.logs.push(data),
    onStray: (text: string) => void told.strays.push(text),
    onClosed: (reason: string) => void told.closed.push(reason),
  };
  try {
    const connection = await openConnection(
      {
        server: "scripted",
        endpoint:
          http === undefined
            ? { transport: "stdio", spawn }
            : { transport: "http", url: url ?? http.url, headers: {} },
        era: "auto",
        initTimeoutMs: 5_000,
        mayAsk: { sampling: true, elicitation: true },
        roots: { isAsked: true, known: () => [{ uri: "file:///project", name: "project" }] },
        product: { name: "test", version: "1" },
        ...options,
      },
      events,
      signal,
    );
    const end = async (): Promise<void> => {
      await connection[Symbol.asyncDispose]();
      await dispose();
    };
    return { connection, told, processes, http, [Symbol.asyncDispose]: end };
  } catch (error) {
    await dispose();
    throw error;
  }
}

/** A call of a tool, with all the rest at its usual. */
export function toolCall(
  name: string,
  args: Readonly<Record<string, unknown>> = {},
  rest: Partial<ConnectionRequest> = {},
): ConnectionRequest {
  return {
    method: "tools/call",
    params: { name, arguments: args },
    capabilities: allCapabilities,
    signal: new AbortController().signal,
    timeoutMs: 10_000,
    idleMs: 10_000,
    ask: () => Promise.reject(new Error("nobody is to be asked")),
    ...rest,
  };
}

/** Waits for what is to become true; the time limit of the test ends it. */
export async function until(isTrue: () => boolean): Promise<void> {
  while (!isTrue()) await Bun.sleep(5);
}
