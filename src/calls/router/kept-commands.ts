import type { Confinement } from "../../commands/background/command-launcher.ts";
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

/** Background commands that belong to a workspace and outlive the client that starts them. */
export interface KeptCommands {
  /** Whether a command is kept that says nothing about it. */
  readonly isDefault: boolean;
  /** Why no command of this client can be kept; undefined: it can. */
  refusalFor(client: ClientContext): string | undefined;
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
  /** The result with the output up to `to` is on its way to the client. */
  delivered(taskId: number, to: number, client: ClientContext): void;
}
