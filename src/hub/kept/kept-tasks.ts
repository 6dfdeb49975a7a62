import { sha256Hex, randomHex } from "../../base/digests.ts";
import { oneLine } from "../../base/cut-text.ts";
import { auditCommandCharsMax } from "../../base/limits.ts";
import { escapeJson } from "../../base/unsafe-characters.ts";
import { type WorkerWork, WorkerSide } from "../../base/worker-channel/worker-side.ts";
import { redact, secretsOf } from "../../calls/policy/audit/audit-log.ts";
import type { Orphanage } from "../../commands/process/orphanage.ts";
import type { TaskSummary } from "../../tools/services.ts";
import type { HubLink, HubLinkHandlers, HubVisitor } from "../link/hub-link.ts";
import type {
  KeptCall,
  KeptLaunch,
  KeptOptions,
  KeptReplies,
  KeptStarted,
} from "./kept-messages.ts";
import { KeptAccess, type KeptAccessParts } from "./kept-access.ts";
import { workspaceKeyOf } from "./kept-place.ts";
import type { KeptTask } from "./kept-task.ts";
import { TaskStarter } from "./task-starter.ts";

export interface KeptTasksParts extends KeptAccessParts {
  /** The orphanage of the hub, which must not end what outlives it. */
  readonly orphanage?: Pick<Orphanage, "spare" | "addDirectChild" | "removeDirectChild">;
  /** The audit log; absent: none is written. */
  readonly audit?: { add(line: string): void; flush(): Promise<void> };
  /** The process with which the hub ends, for people; undefined: none. */
  readonly endsWith?: () => string | undefined;
}

/** One kept task for people. */
export interface KeptStatus {
  readonly id: number;
  readonly workspace: string;
  readonly command: string;
  readonly state: TaskSummary["state"];
  readonly startedAt: number;
  readonly outputBytes: number;
  readonly pid?: number;
}

/** Background tasks that outlive their client, for all clients of the hub. */
export class KeptTasks implements AsyncDisposable {
  readonly #parts: KeptTasksParts;
  readonly #access: KeptAccess;
  readonly #starter: TaskStarter;
  readonly #instanceId = randomHex(16);
  #adopting: Promise<void> | undefined;

  constructor(parts: KeptTasksParts) {
    this.#parts = parts;
    parts.orphanage?.spare(this.#instanceId);
    const access = new KeptAccess(parts);
    this.#access = access;
    this.#starter = new TaskStarter({ ...parts, ...access.parts, instanceId: this.#instanceId });
  }

  /** Running tasks for which the hub stays. */
  get alive(): number {
    return this.#access.parts.keeper.alive;
  }

  /** Takes over all that runs and that no other hub watches over; at the latest before the first call. */
  begin(): Promise<void> {
    return (this.#adopting ??= this.#adopt());
  }

  /** The tasks that run. */
  status(): readonly KeptStatus[] {
    return this.#access.parts.folders
      .all()
      .filter(({ end }) => end === undefined)
      .map(statusOf);
  }

  /** Serves a link of one client. */
  accept(visitor: HubVisitor, link: HubLink): HubLinkHandlers | undefined {
    if (!/^[\w-]{1,100}$/.test(visitor.clientKey)) return undefined;
    let workspace: string | undefined;
    const side = new WorkerSide<KeptOptions, KeptCall, never, never>(
      (options) => {
        workspace = workspaceKeyOf(options.scope);
        return this.#workFor(visitor, options);
      },
      (text) => link.send(text),
    );
    return {
      onText: (text) => {
        try {
          side.receive(text);
        } catch (error) {
          side.report(error);
        }
      },
      onClosed: () => {
        side.cancelCalls();
        if (workspace !== undefined)
          this.#access.clientEnded({ workspace, key: visitor.clientKey });
      },
    };
  }

  /** Ends the running tasks that this hub watches over: the user wants that. */
  async endAll(): Promise<void> {
    await this.begin();
    await this.#access.parts.keeper.endAll();
  }

  /** Leaves all tasks running. */
  async [Symbol.asyncDispose](): Promise<void> {
    await this.#adopting;
    await this.#access[Symbol.asyncDispose]();
    await this.#parts.audit?.flush();
  }

  async #adopt(): Promise<void> {
    try {
      await this.#access.parts.keeper.adopt();
    } catch (error) {
      this.#parts.log(`Kept tasks could not be taken over: ${String(error)}`);
    }
  }

  #workFor(visitor: HubVisitor, options: KeptOptions): WorkerWork<KeptCall, never> {
    const reader = { key: visitor.clientKey, workspace: workspaceKeyOf(options.scope) };
    return {
      call: async (call, _id, signal): Promise<KeptReplies[keyof KeptReplies]> => {
        await this.begin();
        switch (call.method) {
          case "start":
            return this.#start(call.request, visitor, options);
          case "list":
            return this.#access.list(reader);
          case "read":
            return this.#access.read(call.request, reader, signal);
          case "kill":
            return this.#access.kill(call.request, reader);
        }
      },
      [Symbol.asyncDispose]: () => Promise.resolve(),
    };
  }

  async #start(
    launch: KeptLaunch,
    visitor: HubVisitor,
    options: KeptOptions,
  ): Promise<KeptStarted> {
    try {
      const task = await this.#starter.start(launch, { ...options, pid: visitor.pid });
      this.#audit(launch, visitor, options, { task: task.id, decision: "allowed", outcome: "ok" });
      const endsWith = this.#parts.endsWith?.();
      return { task: task.summary(0), ...(endsWith === undefined ? {} : { endsWith }) };
    } catch (error) {
      this.#audit(launch, visitor, options, { decision: "refused", outcome: "refused" });
      throw error;
    }
  }

  /** The client writes a line about its call; this one is about the start. */
  #audit(
    { audit, commandText, confinement, env }: KeptLaunch,
    { pid, clientKey }: HubVisitor,
    { scope }: KeptOptions,
    outcome: { readonly task?: number; readonly decision: string; readonly outcome: string },
  ): void {
    if (audit === undefined) return;
    const command = audit.hasCommands
      ? redact(oneLine(commandText, auditCommandCharsMax), secretsOf(env))
      : undefined;
    const line = {
      time: new Date().toISOString(),
      instance: this.#instanceId,
      client: sha256Hex(clientKey).slice(0, 16),
      pid,
      tool: "BackgroundBash",
      kept: true,
      workspace: scope.workspace,
      args: `sha256:${sha256Hex(commandText)}`,
      ...(command !== undefined && { command }),
      sandbox: (confinement?.wrapper.length ?? 0) > 0,
      ...outcome,
    };
    this.#parts.audit?.add(escapeJson(JSON.stringify(line)));
  }
}

function statusOf(task: KeptTask): KeptStatus {
  const { record } = task;
  const { command, state, pid } = task.summary(0);
  return {
    id: task.id,
    workspace: record?.workspace ?? "",
    command,
    state,
    startedAt: record?.startedAt ?? 0,
    outputBytes: task.output.end,
    ...(pid === 0 ? {} : { pid }),
  };
}
