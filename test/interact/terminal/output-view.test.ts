import { expect, test } from "bun:test";

import { attachOutputLinesMax } from "../../../src/base/limits.ts";
import { AttachModel } from "../../../src/interact/terminal/attach-model.ts";
import { createLook } from "../../../src/interact/terminal/cells.ts";
import { OutputView } from "../../../src/interact/terminal/output-view.ts";

const size = { columns: 40, rows: 13 };
const key = (name: string): { name: string; text: string } => ({ name, text: "" });
const task = {
  serverId: "s",
  client: "stdio",
  taskId: 1,
  command: "make",
  startedAt: 0,
  state: "running",
  exitCode: null,
  signal: null,
  endedBy: null,
  pid: 1,
  runtimeMs: 0,
} as const;

/** An open view of a task that has filled all that is kept, scrolled back by two pages. */
function scrolled(): OutputView {
  const nothing = (): void => {};
  const view = new OutputView({
    model: new AttachModel(),
    look: createLook(false, true),
    send: nothing,
    request: nothing,
    confirm: nothing,
    notice: nothing,
    now: () => 0,
  });
  view.open(task);
  give(view, 1, attachOutputLinesMax);
  view.draw(size);
  view.press(key("pageup"));
  view.press(key("pageup"));
  return view;
}

function give(view: OutputView, from: number, count: number, isFirst = false): void {
  const lines = Array.from({ length: count }, (_, index) => `line ${from + index}\n`);
  const piece = { partial: "", skippedBytes: 0, isEnded: false, isFirst };
  view.take("s", { client: "stdio", taskId: 1, text: lines.join(""), ...piece });
}

const rowsOf = (view: OutputView): readonly string[] => view.draw(size).slice(3);

test("what is being read stays where it is while output comes and old lines go", () => {
  const view = scrolled();
  const before = rowsOf(view);
  give(view, attachOutputLinesMax + 1, 50);
  expect([before.at(-1), rowsOf(view)]).toEqual([` line ${attachOutputLinesMax - 20}`, before]);
});

test("output that begins anew is followed", () => {
  const view = scrolled();
  give(view, 1, 3, true);
  expect(rowsOf(view)).toEqual([" line 1", " line 2", " line 3"]);
});
