import { createAsker } from "./ask-in-turn.ts";
import type { CommandContext } from "./command.ts";
import type { ServersOfCommand } from "./configured-servers.ts";

export type Choice = "approve" | "deny" | "revoke";

/** One run of `mcp approve`. */
export interface Approval {
  readonly context: CommandContext;
  readonly view: ServersOfCommand;
  readonly choice: Choice;
  /** Asks the person at the terminal to approve the printed text; with `--yes` it is approved. */
  readonly confirm: (question: string) => Promise<boolean>;
  /** The data that `--json` prints at the end. */
  readonly servers: unknown[];
  readonly items: unknown[];
}

export function createApproval(
  context: CommandContext,
  view: ServersOfCommand,
  choice: Choice,
): Approval {
  const { args, io } = context;
  const ask = createAsker(io);
  // With --json nothing has been shown when the question would come.
  const mayAsk = io.stdinIsTerminal && !args.has("json");
  return {
    context,
    view,
    choice,
    confirm: async (question) => args.has("yes") || (mayAsk && (await ask(question))),
    servers: [],
    items: [],
  };
}
