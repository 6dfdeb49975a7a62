import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

import type { JsonText } from "../../../src/base/weight.ts";
import { noClientCapabilities } from "../../../src/protocol/client-capabilities.ts";
import { Orphanage } from "../../../src/commands/process/orphanage.ts";
import { Guardian } from "../../../src/commands/process/guardian.ts";
import { loadLibc } from "../../../src/commands/process/libc.ts";
import {
  ServerProcesses,
  type ServerProcessesParts,
} from "../../../src/upstream/process/server-processes.ts";
import type { UpstreamCall, UpstreamCallEvents } from "../../../src/upstream/upstreams.ts";
import { workerPort } from "../../../src/base/worker-channel/channel-port.ts";
import { UpstreamClient } from "../../../src/upstream/worker/upstream-client.ts";
import type { UpstreamOptions } from "../../../src/upstream/worker/upstream-options.ts";
import { upstreamOptions } from "../upstream-options.ts";

const workerUrl = new URL("./fixtures/scripted-upstream-worker.ts", import.meta.url).href;
const never = new AbortController().signal;

/** A real client with a real Worker and real processes; calls say what is to happen in the Worker. */
export class ScriptedUpstreams implements AsyncDisposable {
  readonly dir = mkdtempSync(join(tmpdir(), "scorpiox-upstreams-"));
  readonly warnings: string[] = [];
  readonly client: UpstreamClient;
  started = 0;
  readonly #guardian: Guardian;
  readonly #processes: ServerProcesses;

  constructor(
    timing: ConstructorParameters<typeof UpstreamClient>[0]["timing"] = {},
    options: Partial<UpstreamOptions> = {},
    spawn?: ServerProcessesParts["spawn"],
  ) {
    loadLibc()?.becomeSubreaper();
    const instanceId = crypto.randomUUID().replaceAll("-", "");
    const orphanage = new Orphanage();
    this.#guardian = new Guardian(instanceId, orphanage);
    let marks = 0;
    this.#processes = new ServerProcesses({
      env: { PATH: process.env["PATH"] ?? "/usr/bin:/bin", SECRET_OF_OURS: "canary" },
      user: { name: "nobody", homeDir: this.dir, shell: null },
      loginPath: () => Promise.resolve(undefined),
      orphanage,
      guardian: this.#guardian,
      nextMark: () => `${instanceId}.${++marks}`,
      onFamily: () => {},
      collectOrphans: () => {},
      ...(spawn !== undefined && { spawn }),
    });
    this.client = new UpstreamClient({
      openPort: () => {
        this.started++;
        return workerPort(new Worker(workerUrl));
      },
      options: { ...ScriptedUpstreams.options(this.dir), ...options },
      processes: () => Promise.resolve(this.#processes),
      warn: (message) => this.warnings.push(message),
      timing,
    });
  }

  static options(dir: string): UpstreamOptions {
    const dirs = { homeDir: dir, scorpioxDir: dir, executableDir: dir, projectDir: undefined };
    return upstreamOptions(dirs);
  }

  /** What became of it; a result as its value. */
  async call(
    act: string,
    args: object = {},
    events: Partial<UpstreamCallEvents> = {},
    signal: AbortSignal = never,
  ): Promise<unknown> {
    const call: UpstreamCall = {
      server: "scripted",
      method: "tools/call",
      params: { act, ...args },
      clientId: "client",
      capabilities: noClientCapabilities,
      wantsProgress: events.onProgress !== undefined,
      timeoutMs: 60_000,
      resultCharsMax: 30_000,
    };
    const ask = (): Promise<never> => Promise.reject(new Error("not asked"));
    const reply = await this.client.call(call, { ask, ...events }, signal);
    return reply.kind === "result" ? valueOf(reply.json) : reply;
  }

  /** Starts a server that runs a shell script. */
  start(script: string, more: object = {}): Promise<unknown> {
    const launch = {
      server: "scripted",
      command: "sh",
      args: ["-c", script],
      env: {},
      inheritEnv: [],
      cwd: this.dir,
    };
    return this.call("start", { ...launch, ...more });
  }

  /** What the main thread does at the end, beside the Worker. */
  closeProcesses(killAt: number): Promise<void> {
    return this.#processes.endBy(killAt);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.client[Symbol.asyncDispose]();
    await this.#processes[Symbol.asyncDispose]();
    this.#guardian[Symbol.dispose]();
    rmSync(this.dir, { recursive: true, force: true });
  }
}

function valueOf(text: JsonText): unknown {
  return JSON.parse(text.json);
}
