import { mkdir, mkdtemp, realpath, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { startTimer } from "../../../src/base/cancellation.ts";
import { createUpstreamWork } from "../../../src/upstream/manager/create-upstream-work.ts";
import type { SharedRuntime } from "../../../src/upstream/manager/shared-runtime.ts";
import type { ConnectionTime } from "../../../src/upstream/manager/connection-parts.ts";
import type {
  ProcessLaunch,
  UpstreamProcess,
} from "../../../src/upstream/process/upstream-process.ts";
import type { ServerInfo, ServerState } from "../../../src/upstream/server-state.ts";
import type { UpstreamSnapshot } from "../../../src/upstream/snapshot.ts";
import type {
  UpstreamCall,
  UpstreamCallEvents,
  UpstreamEvent,
  UpstreamReply,
} from "../../../src/upstream/upstreams.ts";
import type { UpstreamOptions } from "../../../src/upstream/worker/upstream-options.ts";
import type { UpstreamWork } from "../../../src/upstream/worker/upstream-work.ts";
import type { UpstreamScript } from "../../fixtures/upstream/script.ts";
import { upstreamLaunch } from "../../fixtures/upstream/launch.ts";
import { spawnPiped } from "../../fixtures/upstream/spawn.ts";
import { allCapabilities } from "../connect/open-scripted.ts";
import { upstreamOptions } from "../upstream-options.ts";

/** A server in configuration: a script for the scripted one, and keys of its entry. */
export interface Configured {
  readonly script?: UpstreamScript;
  readonly [key: string]: unknown;
}

/** A user's folders, in which works are opened one after the other, as by one start of the program after the other. */
export interface Place extends AsyncDisposable {
  readonly home: string;
  readonly project: string;
  /** Writes `~/.scorpiox/mcp_servers.json`. */
  configure(servers: Readonly<Record<string, Configured>>): Promise<void>;
  /** @param shared of the works that share connections, as those of the clients of a hub do */
  open(
    options?: Partial<UpstreamOptions>,
    connectionTime?: ConnectionTime,
    shared?: SharedRuntime,
  ): Opened;
}

export interface Opened extends AsyncDisposable {
  readonly work: UpstreamWork;
  readonly snapshots: readonly UpstreamSnapshot[];
  readonly events: readonly UpstreamEvent[];
  readonly logs: readonly string[];
  /** One for each start of a process. */
  readonly processes: readonly UpstreamProcess[];
  /** Of each of them. */
  readonly launches: readonly ProcessLaunch[];
  /** The newest. */
  snapshot(): UpstreamSnapshot;
  info(server: string): ServerInfo | undefined;
  reach(server: string, state: ServerState): Promise<ServerInfo>;
  call(
    server: string,
    tool: string,
    args?: unknown,
    rest?: Partial<UpstreamCall>,
    events?: UpstreamCallEvents,
    signal?: AbortSignal,
  ): Promise<UpstreamReply>;
}

export async function openPlace(): Promise<Place> {
  const root = await realpath(await mkdtemp(join(tmpdir(), "scorpiox-manager-")));
  const home = join(root, "home");
  const project = join(root, "project");
  await mkdir(join(home, ".scorpiox"), { recursive: true, mode: 0o700 });
  await mkdir(project);
  const opened: Opened[] = [];
  return {
    home,
    project,
    async configure(servers) {
      await writeFile(join(home, ".scorpiox", "mcp_servers.json"), configText(servers));
    },
    open(options = {}, connectionTime = fastTime, shared?: SharedRuntime) {
      const work = openWork(home, project, options, connectionTime, shared);
      opened.push(work);
      return work;
    },
    async [Symbol.asyncDispose]() {
      await Promise.all(opened.map((work) => work[Symbol.asyncDispose]()));
      await rm(root, { recursive: true, force: true });
    },
  };
}

export function configText(servers: Readonly<Record<string, Configured>>): string {
  const entries = Object.entries(servers).map(([name, { script, ...keys }]) => {
    const launch = "url" in keys ? {} : upstreamLaunch(script ?? {});
    return [name, { ...launch, ...keys }];
  });
  return JSON.stringify({ mcpServers: Object.fromEntries(entries) });
}

function openWork(
  home: string,
  project: string,
  options: Partial<UpstreamOptions>,
  connectionTime: ConnectionTime,
  shared: SharedRuntime | undefined,
): Opened {
  const snapshots: UpstreamSnapshot[] = [];
  const events: UpstreamEvent[] = [];
  const logs: string[] = [];
  const processes: UpstreamProcess[] = [];
  const launches: ProcessLaunch[] = [];
  const scorpioxDir = join(home, ".scorpiox");
  const work = createUpstreamWork(
    upstreamOptions(
      { homeDir: home, scorpioxDir, executableDir: join(home, "bin"), projectDir: project },
      {
        env: { PATH: process.env.PATH },
        resultFolders: [join(scorpioxDir, "results")],
        ...options,
      },
    ),
    {
      startProcess(launch) {
        const started = start(launch);
        processes.push(started);
        launches.push(launch);
        return Promise.resolve(started);
      },
      log: (server, line) => void logs.push(`${server}: ${line}`),
      publish: (snapshot) => void snapshots.push(snapshot),
      notify: (event) => void events.push(event),
    },
    { connectionTime, ...(shared === undefined ? {} : { shared }) },
  );
  const info = (server: string): ServerInfo | undefined =>
    work.infoList().find(({ name }) => name === server);
  return {
    work,
    snapshots,
    events,
    logs,
    processes,
    launches,
    snapshot() {
      const newest = snapshots.at(-1);
      if (newest === undefined) throw new Error("nothing was published yet");
      return newest;
    },
    info,
    async reach(server, state) {
      for (;;) {
        const found = info(server);
        if (found?.state === state) return found;
        await Bun.sleep(5);
      }
    },
    call: (server, tool, args = {}, rest = {}, events = nobody, signal = never) =>
      work.call(
        {
          server,
          method: "tools/call",
          params: { name: tool, arguments: args },
          clientId: "client",
          capabilities: allCapabilities,
          wantsProgress: false,
          timeoutMs: 10_000,
          resultCharsMax: 30_000,
          ...rest,
        },
        events,
        signal,
      ),
    async [Symbol.asyncDispose]() {
      await work[Symbol.asyncDispose]();
      for (const each of processes) await each[Symbol.asyncDispose]();
    },
  };
}

const never = new AbortController().signal;
const nobody: UpstreamCallEvents = {
  ask: () => Promise.reject(new Error("nobody is to be asked")),
};

/** Connections are tried again, and given up when idle, ten times as soon. */
const fastTime: ConnectionTime = {
  now: () => performance.now() * 10,
  after: (ms, act) => startTimer(ms / 10, act),
};

/** What the main thread does, without what it adds. */
function start({ command, args, env, cwd }: ProcessLaunch): UpstreamProcess {
  return spawnPiped([command, ...args], { cwd, env: { PATH: process.env.PATH, ...env } });
}

/** The text of a reply, whatever it is. */
export function textOfReply(reply: UpstreamReply): string {
  if (reply.kind === "failed") return `${reply.reason}: ${reply.text}`;
  if (reply.kind !== "result") return JSON.stringify(reply);
  const { content } = JSON.parse(reply.json.json) as {
    content: readonly { readonly text?: string }[];
  };
  return content.map(({ text = "" }) => text).join("\n");
}
