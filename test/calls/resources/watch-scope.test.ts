import { expect, test } from "bun:test";

import { EventStream, type ServerEvent } from "../../../src/base/server-events.ts";
import type { ClientContext } from "../../../src/calls/call.ts";
import { watchScope } from "../../../src/calls/resources/watch-scope.ts";

const limits = { resultCharsMax: 1_000, answerMs: 1_000 };

test.each([
  ["its own", "/w", 1],
  ["another's", "/other", 0],
])(
  "watchScope(): a change of %s scope before its workspace is known",
  async (_name, workspace, expected) => {
    const events = new EventStream(() => {});
    const folder = Promise.withResolvers<string>();
    const client: ClientContext = { id: "c", limits, workspaceDir: () => folder.promise };
    const known = Promise.withResolvers<void>();
    let told = 0;
    const look = (): string => {
      known.resolve();
      return "after";
    };
    const stop = watchScope({ look, events, kind: "task" }, client, () => (told += 1));
    const scope = { workspace, owner: "" };
    const event: ServerEvent = { kind: "task", scope, change: "created", taskId: 1, stepId: null };
    events.emit(event);
    folder.resolve("/w");
    await known.promise;
    await Promise.resolve();
    expect(told).toBe(expected);
    // From here on what it looks at counts.
    events.emit(event);
    expect(told).toBe(expected);
    stop();
  },
);
