import { join } from "node:path";

import { AppError, cancelledError } from "../../base/errors.ts";
import type { ReplyRecord } from "../../base/reply-record.ts";
import { ownValue } from "../../base/values.ts";
import type { StateScope } from "../../base/server-events.ts";
import type { ChannelPort } from "../../base/worker-channel/channel-port.ts";
import { hungReason, WorkerChannel } from "../../base/worker-channel/worker-channel.ts";
import type { CallRequest, ClientContext } from "../../calls/call.ts";
import type {
  KeptCommand,
  KeptCommands,
  KeptFollowed,
  KeptStart,
} from "../../calls/router/kept-commands.ts";
import { scopeNow, scopeOf } from "../../calls/state-calls.ts";
import type { Shell } from "../../commands/process/shell.ts";
import type { ReadReply, ReadRequest, TaskSummary, KillReply } from "../../tools/services.ts";
import type { HubLink, HubLinkHandlers } from "../link/hub-link.ts";
import { followTask, KeptAccess, type Reader, waitForEnd } from "./kept-access.ts";
import {
  type KeptCall,
  type KeptConfinement,
  type KeptLaunch,
  keptMessagesVersion,
  type KeptOptions,
  type KeptReplies,
} from "./kept-messages.ts";
import { keptFolderIn, workspaceKeyOf } from "./kept-place.ts";
import { KeptTask } from "./kept-task.ts";
import { keptProcessOf } from "./machine.ts";
import { ReadPlaces } from "./read-places.ts";

export interface KeptClientParts {
  readonly scorpioxDir: string;
  /** Names this process to the hub; the one of its links. */
  readonly clientKey: string;
  /** Reaches the hub, and starts it where that is wanted. Undefined: there is none. */
  readonly connect: (
    handlers: HubLinkHandlers,
    signal: AbortSignal,
  ) => Promise<KeptConnection | undefined>;
  readonly shell: Shell;
  /** The environment of commands. */
  readonly environment: () => Promise<Readonly<Record<string, string>>>;
  readonly keepHours: number;
  /** See `KeptLaunch`. */
  readonly audit?: KeptLaunch["audit"];
  readonly hooks?: KeptLaunch["hooks"];
  readonly warn: (message: string) => void;
  /** A task of this process has started or ended. */
  readonly onTask?: (clientId: string, task: TaskSummary) => void;
}

/** A link to a hub. */
interface KeptConnection {
  readonly link: HubLink;
  /** The hub has answered nothing and is given up. */
  onSilent?(): void;
}

type Channel = WorkerChannel<KeptOptions, KeptCall, KeptCall["method"]>;

/** A hub that is silent for so long is given up. */
const heartbeat = { lookMs: 350, silentLooksMax: 5, isSteady: false } as const;
/** Linux refuses one argument above 128 KiB, and a file of the command would have to outlive this process. */
const commandBytesMax = 100 * 1024;

/** Kept tasks as a client process sees them: asked of the hub, or where there is none, of their files. */
export class KeptClient
  implements
    Omit<KeptCommands, "isDefault" | "refusalFor" | "noneUntil" | "mayHave" | "turnOf">,
    Disposable
{
  readonly #parts: KeptClientParts;
  /** By the key of the workspace. */
  readonly #channels = new Map<string, Promise<Channel | undefined>>();
  readonly #places: ReadPlaces;
  readonly #ending = new AbortController();
  readonly #local: KeptAccess;

  constructor(parts: KeptClientParts) {
    this.#parts = parts;
    const { scorpioxDir, warn: log } = parts;
    this.#local = new KeptAccess({ scorpioxDir, log });
    this.#places = new ReadPlaces({ ...parts, self: keptProcessOf(process.pid) });
  }

  async start(command: KeptCommand, { client }: CallRequest): Promise<KeptStart> {
    const { confinement } = command;
    try {
      const [launch, scope] = await Promise.all([this.#launchOf(command), scopeOf(client)]);
      const channel = await this.#channelOf(scope, client);
      if (channel === undefined) {
        const message =
          "The command cannot be kept: the hub cannot be reached. Start it without `keep`.";
        throw new AppError("unsupported", message);
      }
      const started = await this.#call<"start">(channel, { method: "start", request: launch });
      await confinement?.handOver?.();
      this.#watch(client.id, scope, started.task);
      return started;
    } catch (error) {
      // The hub may have started it, and then removes what belongs to it.
      const isUnclear = error instanceof AppError && error.code === "worker";
      await (isUnclear ? confinement?.handOver?.() : confinement?.release());
      throw error;
    }
  }

  async list(client: ClientContext): Promise<readonly TaskSummary[]> {
    return this.#ask<"list">(client, { method: "list" }, (access, reader) => access.list(reader));
  }

  async read(
    { taskId, from, waitBeyond, waitMs }: ReadRequest,
    { client, cancellation }: Pick<CallRequest, "client" | "cancellation">,
  ): Promise<ReadReply> {
    const scope = scopeNow(client);
    // Further than the files say, while the reply before this one is on its way out.
    const place = scope === undefined ? undefined : this.#places.of(this.#taskOf(scope, taskId));
    const request = { taskId, from: from ?? place ?? null, waitBeyond, waitMs };
    return this.#ask<"read">(
      client,
      { method: "read", request },
      (access, reader) => access.read(request, reader, cancellation),
      cancellation,
    );
  }

  async kill(taskId: number, by: "killed" | "user", client: ClientContext): Promise<KillReply> {
    const request = { taskId, by };
    return this.#ask<"kill">(client, { method: "kill", request }, (access, reader) =>
      access.kill(request, reader),
    );
  }

  delivery(taskId: number, to: number, client: ClientContext): ReplyRecord | undefined {
    const scope = scopeNow(client);
    return scope === undefined ? undefined : this.#places.recordOf(this.#taskOf(scope, taskId), to);
  }

  /** A task as somebody follows it beside the client; undefined when there is none. */
  followed(taskId: number, client: ClientContext): KeptFollowed | undefined {
    const scope = scopeNow(client);
    const task = scope === undefined ? undefined : this.#taskOf(scope, taskId);
    if (task?.record === undefined) return undefined;
    const { output } = task;
    return {
      listen: (onChange) => followTask(task, () => onChange(undefined)),
      get isRunning() {
        return task.end === undefined;
      },
      output: {
        get end() {
          return output.end;
        },
        read: (from) => output.segments(from),
      },
    };
  }

  [Symbol.dispose](): void {
    this.#ending.abort();
    for (const channel of this.#channels.values()) {
      void channel.then((open) => open?.close(0)).catch(() => {});
    }
    void this.#local[Symbol.asyncDispose]();
  }

  #readerOf(workspace: string): Reader {
    return { key: this.#parts.clientKey, workspace };
  }

  #taskOf(scope: StateScope, taskId: number): KeptTask {
    const folder = keptFolderIn(this.#parts.scorpioxDir);
    return new KeptTask(join(folder, workspaceKeyOf(scope), String(taskId)));
  }

  /** Asks the hub, once more if it has ended meanwhile; without a hub, the files. */
  async #ask<Method extends Exclude<KeptCall["method"], "start">>(
    client: ClientContext,
    call: Extract<KeptCall, { readonly method: Method }>,
    locally: (
      access: KeptAccess,
      reader: Reader,
    ) => KeptReplies[Method] | Promise<KeptReplies[Method]>,
    signal?: CallRequest["cancellation"],
  ): Promise<KeptReplies[Method]> {
    const scope = await scopeOf(client);
    const workspace = workspaceKeyOf(scope);
    // Tasks that have ended are files: no hub is started, or kept alive, for them.
    if (this.#local.isQuiet(workspace)) return locally(this.#local, this.#readerOf(workspace));
    for (let isRepeated = false; ; isRepeated = true) {
      const channel = await this.#channelOf(scope, client);
      if (signal?.aborted === true) throw cancelledError();
      if (channel === undefined) {
        return locally(this.#local, this.#readerOf(workspace));
      }
      try {
        return await this.#call<Method>(channel, call, signal);
      } catch (error) {
        if (isRepeated || !(error instanceof AppError) || error.code !== "worker") throw error;
      }
    }
  }

  async #call<Method extends KeptCall["method"]>(
    channel: Channel,
    call: Extract<KeptCall, { readonly method: Method }>,
    signal?: CallRequest["cancellation"],
  ): Promise<KeptReplies[Method]> {
    const value: unknown = await channel.call(call, call.method, signal);
    return ownValue<KeptReplies[Method]>(value);
  }

  #channelOf(scope: StateScope, client: ClientContext): Promise<Channel | undefined> {
    const key = workspaceKeyOf(scope);
    let channel = this.#channels.get(key);
    if (channel === undefined) {
      channel = this.#open(key, scope, client);
      this.#channels.set(key, channel);
      // Without a hub now there may be one later.
      const forget = (): void => void this.#channels.delete(key);
      channel.then((open) => open === undefined && forget(), forget);
    }
    return channel;
  }

  async #open(
    key: string,
    scope: StateScope,
    { name }: ClientContext,
  ): Promise<Channel | undefined> {
    const opened = await openPort(this.#parts.connect, this.#ending.signal);
    if (opened === undefined) return undefined;
    const { port, onSilent } = opened;
    return new WorkerChannel<KeptOptions, KeptCall, KeptCall["method"]>({
      port,
      options: {
        version: keptMessagesVersion,
        scope,
        ...(name === undefined ? {} : { clientName: name }),
      },
      events: {
        onGone: (reason) => {
          this.#channels.delete(key);
          if (reason === hungReason) onSilent();
        },
      },
      heartbeat,
      lostText: (reason, method) =>
        method === "start"
          ? `The hub ended (${reason}); the command may have been started. ListBgTasks shows whether it runs.`
          : `The hub ended (${reason}). Try again.`,
    });
  }

  async #launchOf({ command, cwd, confinement }: KeptCommand): Promise<KeptLaunch> {
    if (Buffer.byteLength(command) > commandBytesMax) {
      const message =
        "A kept command may have 100 KiB at most. Put it into a file, and start that.";
      throw new AppError("usage", message);
    }
    const { shell, environment, keepHours, audit, hooks } = this.#parts;
    const env = await environment();
    return {
      argv: [shell.path, ...shell.args, shell.prefix + command],
      commandText: command,
      cwd,
      env: { ...env, ...confinement?.env },
      umask: process.umask(),
      ...(confinement === undefined ? {} : { confinement: boundsOf(confinement) }),
      keepHours,
      ...(audit === undefined ? {} : { audit }),
      ...(hooks === undefined ? {} : { hooks }),
    };
  }

  /** As long as this process runs, it reports the end. */
  #watch(clientId: string, scope: StateScope, started: TaskSummary): void {
    const { onTask } = this.#parts;
    if (onTask === undefined) return;
    onTask(clientId, started);
    const task = this.#taskOf(scope, started.taskId);
    void waitForEnd(task, this.#ending.signal).then(() => {
      if (!this.#ending.signal.aborted) onTask(clientId, task.summary(0));
    });
  }
}

function boundsOf(confinement: NonNullable<KeptCommand["confinement"]>): KeptConfinement {
  const { data, isOverseen, notes, holdings } = confinement;
  return {
    wrapper: confinement.wrap([]),
    ...(data === undefined ? {} : { data: Buffer.from(data).toString("base64") }),
    isOverseen: isOverseen ?? false,
    notes,
    ...(holdings === undefined ? {} : { holdings }),
  };
}

/** A link as a port: its handlers are needed before it is there. */
async function openPort(
  connect: KeptClientParts["connect"],
  signal: AbortSignal,
): Promise<{ port: ChannelPort; onSilent: () => void } | undefined> {
  let receive: (text: string) => void = () => {};
  let end: (reason: string) => void = () => {};
  let ended: string | undefined;
  const connection = await connect(
    {
      onText: (text) => receive(text),
      onClosed: (reason) => {
        ended = reason;
        end(reason);
      },
    },
    signal,
  );
  if (connection === undefined) return undefined;
  const { link } = connection;
  const port: ChannelPort = {
    listen(onText, onEnd) {
      [receive, end] = [onText, onEnd];
      if (ended !== undefined) onEnd(ended);
    },
    postMessage: (text) => link.send(text),
    terminate: () => link.close(),
  };
  return { port, onSilent: () => connection.onSilent?.() };
}
