import { mkdtempSync, realpathSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { Cancellation } from "../../../src/base/cancellation.ts";
import { randomHex } from "../../../src/base/digests.ts";
import type { CallRequest, ClientContext } from "../../../src/calls/call.ts";
import { KeptClient } from "../../../src/hub/kept/kept-client.ts";
import { keptFolderIn, workspaceKeyOf } from "../../../src/hub/kept/kept-place.ts";
import { KeptTask } from "../../../src/hub/kept/kept-task.ts";
import type { KeptTasks } from "../../../src/hub/kept/kept-tasks.ts";
import type { HubLink, HubLinkHandlers } from "../../../src/hub/link/hub-link.ts";
import type { KeptCommand } from "../../../src/calls/router/kept-commands.ts";
import type { ReadReply, TaskSummary } from "../../../src/tools/services.ts";

export type ToHub =
  | {
      readonly kind: "open";
      readonly link: number;
      readonly pid: number;
      readonly clientKey: string;
    }
  | { readonly kind: "text"; readonly link: number; readonly text: string }
  | { readonly kind: "closed"; readonly link: number };
export type FromHub =
  | { readonly kind: "ready"; readonly alive: number }
  | { readonly kind: "text"; readonly link: number; readonly text: string }
  | { readonly kind: "closed"; readonly link: number };

export type Connect = (
  handlers: HubLinkHandlers,
  clientKey: string,
) => Promise<HubLink | undefined>;

/** A hub in a process of its own. */
export interface HubProcess {
  readonly pid: number;
  readonly connect: Connect;
  /** Tasks that it took over at its start. */
  readonly alive: number;
  readonly log: () => Promise<string>;
  kill(): Promise<void>;
}

export async function startHub(
  scorpioxDir: string,
  options: Readonly<Record<string, unknown>> = {},
): Promise<HubProcess> {
  const links = new Map<number, HubLinkHandlers>();
  const ready = Promise.withResolvers<number>();
  let last = 0;
  const child = Bun.spawn(
    [
      process.execPath,
      join(import.meta.dir, "fixtures/hub-program.ts"),
      scorpioxDir,
      JSON.stringify(options),
    ],
    {
      stdio: ["ignore", "ignore", "pipe"],
      ipc: (message: FromHub) => {
        if (message.kind === "ready") return ready.resolve(message.alive);
        const handlers = links.get(message.link);
        if (message.kind === "text") handlers?.onText(message.text);
        else handlers?.onClosed("closed by the hub");
      },
      onExit: () => {
        for (const handlers of links.values()) handlers.onClosed("the hub has ended");
        links.clear();
      },
    },
  );
  const log = new Response(child.stderr).text();
  const send = (message: ToHub): void => {
    if (child.exitCode === null && child.signalCode === null) child.send(message);
  };
  return {
    pid: child.pid,
    alive: await ready.promise,
    log: () => log,
    connect: (handlers, clientKey) => {
      const link = ++last;
      links.set(link, handlers);
      send({ kind: "open", link, pid: process.pid, clientKey });
      return Promise.resolve({
        send: (text) => send({ kind: "text", link, text }),
        waitingBytes: 0,
        close: () => {
          links.delete(link);
          send({ kind: "closed", link });
        },
      });
    },
    async kill() {
      child.kill("SIGKILL");
      await child.exited;
    },
  };
}

/** A link to a hub of this process. */
export function connectTo(tasks: KeptTasks): Connect {
  return (handlers, clientKey) => {
    const hubSide = tasks.accept(
      { pid: process.pid, purpose: "kept", clientKey },
      {
        send: (text) => queueMicrotask(() => handlers.onText(text)),
        waitingBytes: 0,
        close: () => handlers.onClosed("closed"),
      },
    );
    return Promise.resolve({
      send: (text) => queueMicrotask(() => hubSide?.onText(text)),
      waitingBytes: 0,
      close: () => queueMicrotask(() => hubSide?.onClosed("closed")),
    });
  };
}

export function clientOf(workspace: string): ClientContext {
  return {
    id: "stdio",
    name: "test-client",
    limits: { answerMs: 0, resultCharsMax: 30_000 },
    workspaceDir: () => Promise.resolve(workspace),
    workspaceKnown: () => workspace,
  };
}

/** A client process in the midst of one workspace; each has an identity of its own. */
export class TestClient implements Disposable {
  readonly client: ClientContext;
  readonly kept: KeptClient;
  readonly key: string;

  constructor(
    place: Pick<KeptPlace, "scorpioxDir" | "workspace">,
    connect: Connect,
    options: { keepHours?: number; audit?: boolean } = {},
  ) {
    const clientKey = randomHex(8);
    this.key = clientKey;
    this.client = clientOf(place.workspace);
    this.kept = new KeptClient({
      scorpioxDir: place.scorpioxDir,
      clientKey,
      connect: async (handlers) => {
        const link = await connect(handlers, clientKey);
        return link === undefined ? undefined : { link };
      },
      shell: { path: "/bin/bash", args: ["-c"], prefix: "" },
      environment: () => Promise.resolve({ PATH: process.env["PATH"] ?? "" }),
      keepHours: options.keepHours ?? 24,
      ...(options.audit === true ? { audit: { hasCommands: true } } : {}),
      warn: (message) => console.error(message),
    });
  }

  get call(): CallRequest {
    return {
      name: "BackgroundBash",
      args: {},
      version: "2026-07-28",
      client: this.client,
      cancellation: new Cancellation(),
    };
  }

  async start(command: string, more: Partial<KeptCommand> = {}): Promise<TaskSummary> {
    const cwd = await this.client.workspaceDir();
    const started = await this.kept.start(
      { command, cwd, confinement: undefined, ...more },
      this.call,
    );
    return started.task;
  }

  async task(taskId: number): Promise<TaskSummary | undefined> {
    return (await this.kept.list(this.client)).find((task) => task.taskId === taskId);
  }

  read(taskId: number, waitMs = 0, from: number | null = null): Promise<ReadReply> {
    return this.kept.read({ taskId, from, waitBeyond: null, waitMs }, this.call);
  }

  /** Reads on and takes delivery, lines or what there is of one. */
  async take(taskId: number, waitMs = 0): Promise<string> {
    const reply = await this.read(taskId, waitMs);
    const isEmpty = reply.stretches.length === 0;
    this.kept.delivery(taskId, isEmpty ? reply.partialTo : reply.linesTo, this.client)?.taken();
    return reply.stretches.join("") + (isEmpty ? reply.partial : "");
  }

  /** The state of the task once it has ended. */
  async ended(taskId: number): Promise<TaskSummary> {
    for (;;) {
      const { task, seenTo } = await this.read(taskId, 60_000, Number.MAX_SAFE_INTEGER);
      if (task.state !== "running") return task;
      await this.kept.read({ taskId, from: seenTo, waitBeyond: seenTo, waitMs: 60_000 }, this.call);
    }
  }

  kill(taskId: number): Promise<{ task: TaskSummary; wasRunning: boolean }> {
    return this.kept.kill(taskId, "killed", this.client);
  }

  [Symbol.dispose](): void {
    this.kept[Symbol.dispose]();
  }
}

/** A folder of scorpiox-code and a workspace; all kept tasks in it are ended with it. */
export class KeptPlace implements Disposable {
  readonly folder = realpathSync(mkdtempSync(join(tmpdir(), "kept-test-")));
  readonly scorpioxDir = join(this.folder, "home");
  readonly workspace = this.folder;

  taskFolder(taskId: number): string {
    const key = workspaceKeyOf({ workspace: this.workspace, owner: "" });
    return join(keptFolderIn(this.scorpioxDir), key, String(taskId));
  }

  task(taskId: number): KeptTask {
    return new KeptTask(this.taskFolder(taskId));
  }

  [Symbol.dispose](): void {
    rmSync(this.folder, { recursive: true, force: true });
  }
}
