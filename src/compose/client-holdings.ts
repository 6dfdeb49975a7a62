import { cutEnd } from "../base/cut-text.ts";
import { shownCommandCharsMax } from "../base/limits.ts";
import { isObject } from "../base/values.ts";
import type { Supervisor } from "../commands/background/supervisor.ts";
import type { Holdings } from "../fleet/places/held-state.ts";
import type { Callbacks, SavedCallbacks } from "./callbacks.ts";

/** A background task, for a replica that can only say what became of it. */
interface SavedTask {
  readonly id: number;
  readonly command: string;
  /** Undefined while it ran. */
  readonly ended: string | undefined;
}

interface ClientState {
  readonly tasks: readonly SavedTask[];
  readonly callbacks: SavedCallbacks;
}

interface HoldingParts {
  readonly supervisor: Supervisor;
  readonly callbacks: Pick<Callbacks, "saved" | "restore" | "forgetAll">;
}

/** The state of clients that another replica takes over: callbacks go on there, background tasks are lost and said to be. */
export class ClientHoldings implements Holdings {
  readonly #parts: HoldingParts;

  constructor(parts: HoldingParts) {
    this.#parts = parts;
  }

  /** Others take over all clients: background tasks end, or run on unseen; nothing fires here any more. */
  async giveUp(how: "kill" | "detach"): Promise<void> {
    const { supervisor, callbacks } = this.#parts;
    callbacks.forgetAll();
    await supervisor.giveUpTasks(how);
  }

  saved(clientId: string): ClientState | undefined {
    const { supervisor } = this.#parts;
    const callbacks = this.#parts.callbacks.saved(clientId);
    const tasks = supervisor.tasksOf(clientId).executions().map(savedTask);
    const isEmpty = tasks.length + callbacks.callbacks.length === 0 && !callbacks.mailbox;
    return isEmpty ? undefined : { tasks, callbacks };
  }

  restore(clientId: string, state: unknown, passedMs: number): void {
    if (!isClientState(state)) return;
    const { supervisor, callbacks } = this.#parts;
    for (const { id, command, ended } of state.tasks)
      supervisor.addLost(clientId, id, command, lostText(ended));
    callbacks.restore(clientId, state.callbacks, passedMs);
  }
}

type Executions = ReturnType<ReturnType<Supervisor["tasksOf"]>["executions"]>;

function savedTask({ id, execution }: Executions[number]): SavedTask {
  const command = cutEnd(execution.commandText, shownCommandCharsMax);
  if (execution.isRunning) return { id, command, ended: undefined };
  const code = execution.exit?.exitCode;
  const how = typeof code === "number" ? ` with exit code ${code}` : "";
  return { id, command, ended: `${execution.state}${how}` };
}

function lostText(ended: string | undefined): string {
  const end =
    ended === undefined
      ? "It was running, and has ended with that replica or is out of reach."
      : `It had ended before (${ended}).`;
  return `[The replica that ran this task is gone, and its output with it. ${end}]\n`;
}

/** Written by another replica, perhaps of another version. */
function isClientState(state: unknown): state is ClientState {
  if (!isObject(state) || !Array.isArray(state.tasks) || !isObject(state.callbacks)) return false;
  return Array.isArray(state.callbacks.callbacks);
}
