import { existsSync } from "node:fs";
import { join } from "node:path";

import { Lazy } from "../base/lazy.ts";
import type { ReplyRecord } from "../base/reply-record.ts";
import type { EventStream } from "../base/server-events.ts";
import type { CallRequest, ClientContext } from "../calls/call.ts";
import type { Changes } from "../calls/features.ts";
import type {
  KeptCommand,
  KeptCommands,
  KeptFollowed,
  KeptStart,
} from "../calls/router/kept-commands.ts";
import { scopeNow } from "../calls/state-calls.ts";
import type { Shell } from "../commands/process/shell.ts";
import type { KeptClient } from "../hub/kept/kept-client.ts";
import { keptFolderIn, workspaceKeyOf } from "../hub/kept/kept-place.ts";
import type { KillReply, ReadReply, ReadRequest, TaskSummary } from "../tools/services.ts";
import type { HubAccess } from "./hub-access.ts";
import type { Commands } from "./open-commands.ts";
import type { ApplicationOptions } from "./program-parts.ts";

export interface ServerKeptParts extends Pick<
  ApplicationOptions,
  "start" | "warn" | "transport" | "ownUrl"
> {
  readonly hub: () => Promise<HubAccess>;
  readonly shell: Shell;
  /** The environment of commands. */
  readonly environment: () => Promise<Readonly<Record<string, string>>>;
  /** A task of this process has started or ended. */
  readonly onTask: (clientId: string, task: TaskSummary) => void;
}

/** How long a user is taken to have no kept tasks who had none; a client that starts one knows at once. */
const keptFolderLookMs = 1_000;

/** Background tasks that outlive their client, of which nothing is loaded before there are any. */
export class ServerKept implements KeptCommands, Disposable {
  readonly isDefault: boolean;
  readonly #parts: ServerKeptParts;
  readonly #folder: string;
  /** A folder that was not there is looked for again from this time on. A member, because every list of tasks looks at it. */
  noneUntil = 0;
  readonly #client = new Lazy(() => this.#makeClient());
  /** This process has started one, or has looked for some. */
  #isUsed = false;
  readonly #turns = new Map<string, { reading: Promise<void> }>();

  constructor(parts: ServerKeptParts) {
    this.#parts = parts;
    this.#folder = keptFolderIn(parts.start.dirs.scorpioxDir);
    this.isDefault = parts.start.config.settings.hub.persists === true;
  }

  async refusalFor(client: ClientContext): Promise<string | undefined> {
    const { start, hub, ownUrl } = this.#parts;
    if (start.config.settings.hub.persists === false) return "BG_PERSIST=0";
    if (ownUrl !== undefined || client.owner !== undefined || client.isRemote === true) {
      return "a client over HTTP has no kept tasks";
    }
    const reason = (await hub()).whyNone;
    return reason === undefined ? undefined : `kept tasks run under the hub, and ${reason}`;
  }

  /** Whether the client's workspace may have kept tasks; before that is known, whether any has. */
  mayHave(client: ClientContext): boolean {
    if (this.#parts.ownUrl !== undefined || !this.#isThere()) return false;
    const scope = scopeNow(client);
    return scope === undefined || existsSync(join(this.#folder, workspaceKeyOf(scope)));
  }

  /** Whether any workspace has kept tasks. Each list of background tasks asks, and mostly there are none. */
  #isThere(): boolean {
    const now = performance.now();
    if (now < this.noneUntil) return false;
    const isThere = existsSync(this.#folder);
    if (!isThere && !this.#isUsed) this.noneUntil = now + keptFolderLookMs;
    return isThere;
  }

  async start(command: KeptCommand, call: CallRequest): Promise<KeptStart> {
    return (await this.#client.get()).start(command, call);
  }

  async list(client: ClientContext): Promise<readonly TaskSummary[]> {
    return this.mayHave(client) ? (await this.#client.get()).list(client) : [];
  }

  async read(
    request: ReadRequest,
    call: Pick<CallRequest, "client" | "cancellation">,
  ): Promise<ReadReply> {
    return (await this.#client.get()).read(request, call);
  }

  async kill(taskId: number, by: "killed" | "user", client: ClientContext): Promise<KillReply> {
    return (await this.#client.get()).kill(taskId, by, client);
  }

  followed(taskId: number, client: ClientContext): KeptFollowed | undefined {
    return this.#client.made?.followed(taskId, client);
  }

  delivery(taskId: number, to: number, client: ClientContext): ReplyRecord | undefined {
    return this.#client.made?.delivery(taskId, to, client);
  }

  turnOf(taskId: number, { id }: ClientContext): { reading: Promise<void> } {
    const key = `${taskId} ${id}`;
    let turn = this.#turns.get(key);
    if (turn === undefined) this.#turns.set(key, (turn = { reading: Promise.resolve() }));
    return turn;
  }

  [Symbol.dispose](): void {
    this.#client.close();
    void this.#client.making?.then((client) => client[Symbol.dispose]()).catch(() => {});
  }

  async #makeClient(): Promise<KeptClient> {
    this.#isUsed = true;
    this.noneUntil = 0;
    const { start, hub, shell, environment, onTask, warn } = this.#parts;
    const [module, access] = await Promise.all([import("../hub/kept/kept-client.ts"), hub()]);
    this.#client.assertOpen();
    const { hub: settings, policy, hooks } = start.config.settings;
    return new module.KeptClient({
      scorpioxDir: start.dirs.scorpioxDir,
      clientKey: access.clientKey,
      connect: async (handlers, signal) => {
        const reached = await access.connect("kept", handlers, signal);
        if (reached === undefined) return undefined;
        const { link, generation } = reached;
        return { link, onSilent: () => access.gaveUp(generation) };
      },
      shell,
      environment,
      keepHours: settings.keepHours,
      ...(hooks.isEnabled && { hooks: { projectDir: start.dirs.projectDir ?? null } }),
      ...(policy.audit && { audit: { hasCommands: policy.auditCommands } }),
      warn,
      onTask,
    });
  }
}

interface OpenKeptParts extends Pick<ServerKeptParts, "hub"> {
  readonly options: ApplicationOptions;
  readonly changes: Changes;
  readonly commands: Pick<Commands, "shell" | "environment">;
  readonly events: EventStream;
}

/** Kept tasks of a server, whose start and end are events like those of its other background tasks. */
export function openServerKept(parts: OpenKeptParts): ServerKept {
  const { options, hub, changes, commands, events } = parts;
  const { shell, environment } = commands;
  return new ServerKept({
    ...options,
    hub,
    shell,
    environment: environment.get,
    onTask: (clientId, { taskId, command, state, exitCode }) => {
      const change = state === "running" ? "started" : "ended";
      if (change === "started") changes.emit({ kind: "resources", clientId });
      events.emit({ kind: "background", clientId, taskId, command, change, exitCode });
    },
  });
}
