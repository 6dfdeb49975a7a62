import { expect, test } from "bun:test";

import type { LookAt, ProcessLook } from "../../src/commands/process/process-origin.ts";
import { AttachVisitors, reasonFor } from "../../src/compose/attach-visitors.ts";
import { posixTest } from "../e2e/harness/platform.ts";

const shell: ProcessLook = {
  parentPid: 0,
  name: "sh",
  hasTerminal: true,
  isMarked: false,
  isProduct: false,
};

test.each<[what: string, look: Partial<ProcessLook> | undefined, reason: unknown]>([
  ["a person's terminal", {}, undefined],
  ["without a terminal", { hasTerminal: false }, { text: "it has no terminal", program: "sh" }],
  [
    "marked, in a terminal of its own",
    { isMarked: true, name: "a\u001b[2J\nb" },
    {
      text: "it carries the mark of processes that servers start (SCORPIOX_OWNER, process 9)",
      program: String.raw`a\u{1b}[2J\u{a}b`,
    },
  ],
  ["gone", undefined, { text: "it went at once" }],
])("reasonFor(): %s", (_, look, reason) => {
  const lookAt: LookAt = (pid) =>
    pid === 9 && look !== undefined ? { ...shell, ...look } : undefined;
  expect(reasonFor(9, lookAt)).toEqual(reason as never);
});

test("reasonFor(): a process of another container is none of a person here", () => {
  expect(reasonFor(0, () => shell)).toEqual({
    text: "it cannot be seen from here, as a process of another container",
  });
});

posixTest(
  "AttachVisitors: who cannot be told is refused, and the user told once a minute",
  async () => {
    const told: string[] = [];
    const visitors = new AttachVisitors((line) => told.push(line));
    // Descriptor 0 is no socket.
    expect(await visitors.whyNoAnswers(0)).toBe("the system does not tell who it is");
    expect(await visitors.whyNoAnswers(0)).toBe("the system does not tell who it is");
    expect(told).toEqual([
      "A command tried to attach as a terminal, where it could have answered questions for you, and was refused: the system does not tell who it is.",
    ]);
  },
);
