import { keptTaskIds } from "../../base/limits.ts";
import type { ReplyRecord } from "../../base/reply-record.ts";
import type { Confinement } from "../../commands/background/command-launcher.ts";
import type { Execution } from "../../commands/background/execution.ts";
import type { OutputStore } from "../../commands/background/output-store.ts";
import type { KillReply, ReadReply, ReadRequest, TaskSummary } from "../../tools/services.ts";
import type { CallRequest, ClientContext } from "../call.ts";

/** A command that has passed the gate and is to outlive its client. */
export interface KeptCommand {
  readonly command: string;
  readonly cwd: string;
  readonly confinement: Confinement | undefined;
}

export interface KeptStart {
  readonly task: TaskSummary;
  /** The process with which it ends all the same, for people; undefined: none. */
  readonly endsWith?: string;
}

/** A task as somebody follows it beside the client, such as an attached terminal. */
export interface KeptFollowed extends Pick<Execution, "listen" | "isRunning"> {
  readonly output: Pick<OutputStore, "read" | "end">;
}

/** Background commands that belong to a workspace and outlive the client that starts them. */
export interface KeptCommands {
  /** Whether a command is kept whose call does not say. */
  readonly isDefault: boolean;
  /** Why no command of this client can be kept; undefined: it can. */
  refusalFor(client: ClientContext): Promise<string | undefined>;
  /** No client has any before this time, on the clock of `performance.now()`: nobody needs to ask. */
  readonly noneUntil: number;
  /** Whether there may be any for this client; costs next to nothing. */
  mayHave(client: ClientContext): boolean;
  /** @throws AppError `limit`, `refused`, `system`: nothing runs then */
  start(command: KeptCommand, call: CallRequest): Promise<KeptStart>;
  list(client: ClientContext): Promise<readonly TaskSummary[]>;
  /** @throws AppError `not_found` */
  read(
    request: ReadRequest,
    call: Pick<CallRequest, "client" | "cancellation">,
  ): Promise<ReadReply>;
  /** @throws AppError `not_found` */
  kill(taskId: number, by: "killed" | "user", client: ClientContext): Promise<KillReply>;
  /** Undefined when there is no such task, or none was listed before. */
  followed(taskId: number, client: ClientContext): KeptFollowed | undefined;
  /** The record of the reply with the output up to `to`: a client that comes later goes on from there. */
  delivery(taskId: number, to: number, client: ClientContext): ReplyRecord | undefined;
  /** Reads of one task by one client, one after the other. */
  turnOf(taskId: number, client: ClientContext): { reading: Promise<void> };
}

/** True for the id of a kept task, whether or not there is one: no other background task has such an id. */
export function isKeptId(taskId: number): boolean {
  return taskId >= keptTaskIds.first && taskId <= keptTaskIds.last;
}
