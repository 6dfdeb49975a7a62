import { formatAmount } from "../../base/cut-text.ts";
import type { HubEntry } from "../attach/messages.ts";
import type { InstanceEntry } from "./attach-model.ts";
import { cutCells, safeLine } from "./cells.ts";
import type { Key } from "./keys.ts";
import {
  type Hint,
  passingTime,
  ScrollText,
  type Size,
  type View,
  type ViewContext,
} from "./view.ts";

/** The servers of this user that run now, and whom they serve. */
export class ServersView implements View {
  readonly title = "Servers";
  readonly isWriting = false;
  readonly hints: readonly Hint[] = [["↑↓", "scroll"]];
  readonly #context: ViewContext;
  readonly #scroll = new ScrollText();

  constructor(context: ViewContext) {
    this.#context = context;
  }

  get count(): number {
    return this.#context.model.servers.length;
  }

  draw({ columns, rows }: Size): readonly string[] {
    const { look, model } = this.#context;
    const lines = model.servers.flatMap((server) => this.#drawServer(server, columns));
    const problem = model.problem === undefined ? [] : [safeLine(model.problem), ""];
    const shown = problem.map((line) => ` ${look.warning(cutCells(line, columns - 2))}`);
    if (lines.length > 0) return this.#scroll.window([...shown, ...lines], rows);
    const none = "No server is running. It appears here as soon as a client starts one.";
    return [...shown, "", ` ${look.dim(cutCells(none, columns - 2))}`];
  }

  press(key: Key): boolean {
    return this.#scroll.press(key);
  }

  #drawServer({ facts, state, fault }: InstanceEntry, columns: number): string[] {
    const { look, now } = this.#context;
    const { dot } = look.signs;
    const about = [
      safeLine(facts.transport),
      `version ${safeLine(facts.version)}`,
      `up ${passingTime(now() - facts.startedAt)}`,
    ];
    const name = `pid ${facts.pid}`;
    const rest = cutCells(about.join(` ${dot} `), columns - name.length - 5);
    const clients = (state?.clients ?? []).map(({ client, workspace, owner }) => {
      const who = [client, workspace, owner].filter((part) => part !== "").map(safeLine);
      return `   ${cutCells(who.join(` ${dot} `), columns - 4)}`;
    });
    const none = fault === undefined ? ["   no client has called a tool yet"] : [];
    const hub = state?.hub === undefined ? [] : hubLines(state.hub).map((line) => `   ${line}`);
    return [
      ` ${look.bold(name)}  ${look.dim(rest)}`,
      ...(fault === undefined ? [] : [`   ${look.warning(cutCells(fault, columns - 4))}`]),
      ...[...(clients.length > 0 ? clients : none), ...hub].map((line) =>
        look.dim(cutCells(line, columns - 1)),
      ),
      "",
    ];
  }
}

/** The hub, and a line for each MCP server that it runs for this server. */
function hubLines({ pid, servers, kept }: HubEntry): readonly string[] {
  const tasks = kept === 0 ? "" : `, ${formatAmount(kept, "kept task")}`;
  return [
    `hub pid ${pid}: ${formatAmount(servers.length, "MCP server")}${tasks}`,
    ...servers.map(({ name, state, clients }) => {
      const users = clients > 1 ? `shared by ${formatAmount(clients, "client")}` : "1 client";
      return safeLine(`  ${name}  ${state.replaceAll("_", " ")}, ${users}`);
    }),
  ];
}
