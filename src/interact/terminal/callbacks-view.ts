import type { CallbackEntry } from "../attach/messages.ts";
import type { Owned } from "./attach-model.ts";
import { cutCells, fitCells, safeLine } from "./cells.ts";
import type { Key } from "./keys.ts";
import {
  drawRows,
  type Hint,
  passingTime,
  Selection,
  type Size,
  type View,
  type ViewContext,
} from "./view.ts";

type Entry = Owned<CallbackEntry>;

/** Cells of the columns that say when and how often. */
const timeCells = 16;
const countCells = 10;

/** The callbacks of all servers, the next one first. */
export class CallbacksView implements View {
  readonly title = "Callbacks";
  readonly isWriting = false;
  readonly #context: ViewContext;
  readonly #selection = new Selection<Entry>(({ serverId, client, callbackId }) =>
    [serverId, client, callbackId].join("/"),
  );

  constructor(context: ViewContext) {
    this.#context = context;
  }

  get count(): number {
    return this.#context.model.callbacks.length;
  }

  get hints(): readonly Hint[] {
    return this.#chosen === undefined
      ? []
      : [
          ["↑↓", "move"],
          ["x", "cancel"],
        ];
  }

  draw(size: Size): readonly string[] {
    const { look, model } = this.#context;
    if (this.count === 0) return ["", ` ${look.dim("No callbacks.")}`];
    return drawRows(model.callbacks, this.#selection, size, look, (entry, width, isChosen) =>
      this.#drawRow(entry, width, isChosen),
    );
  }

  press(key: Key): boolean {
    if (key.name === "x") return this.#cancel();
    return this.#selection.press(key, this.#context.model.callbacks);
  }

  get #chosen(): Entry | undefined {
    return this.#selection.chosen(this.#context.model.callbacks);
  }

  #cancel(): boolean {
    const chosen = this.#chosen;
    if (chosen === undefined) return false;
    const { serverId, client, callbackId } = chosen;
    this.#context.confirm(`Cancel callback ${callbackId}?`, () => {
      this.#context.request(serverId, (request) => {
        return { type: "cancel_callback", request, client, callbackId };
      });
    });
    return true;
  }

  #drawRow(entry: Entry, width: number, isChosen: boolean): string {
    const { look, model, now } = this.#context;
    const leftMs = entry.nextFireAt - now();
    const when = fitCells(leftMs <= 0 ? "due" : `in ${passingTime(leftMs)}`, timeCells);
    const times = entry.firesLeft === -1 ? "forever" : `${entry.firesLeft} left`;
    const owner = model.servers.length > 1 ? `${model.serverName(entry.serverId)}  ` : "";
    const left = `${entry.callbackId}  ${when}  ${fitCells(times, countCells)}  ${owner}`;
    const message = cutCells(safeLine(entry.message), Math.max(0, width - left.length));
    return `${look.dim(left)}${isChosen ? look.bold(message) : message}`;
  }
}
