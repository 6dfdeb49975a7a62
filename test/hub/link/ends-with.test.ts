import { describe, expect, test } from "bun:test";

import type { LookAt, ProcessLook } from "../../../src/commands/process/process-origin.ts";
import { serviceThatEnds, starterIn } from "../../../src/hub/link/ends-with.ts";

const plain: ProcessLook = {
  parentPid: 1,
  name: "scorpiox-code",
  hasTerminal: false,
  isMarked: false,
  isProduct: true,
};
const processes = (looks: Readonly<Record<number, Partial<ProcessLook>>>): LookAt => {
  return (pid) => (looks[pid] === undefined ? undefined : { ...plain, ...looks[pid] });
};

describe("starterIn()", () => {
  test.each<[what: string, starter: number, lookAt: LookAt | undefined, words: string | undefined]>(
    [
      ["a client's server has started it", 9, processes({ 9: {} }), undefined],
      ["its starter has ended already", 1, processes({ 1: {} }), undefined],
      ["nobody knows the processes", 9, undefined, undefined],
      [
        "its starter carries the mark of a command",
        9,
        processes({ 9: { isMarked: true } }),
        "process 9",
      ],
      ["a server is above its starter", 9, processes({ 9: { parentPid: 5 }, 5: {} }), "process 5"],
    ],
  )("%s", (_, starter, lookAt, words) => {
    expect(starterIn(starter, lookAt)).toBe(words);
  });
});

describe("serviceThatEnds()", () => {
  test.each([
    [
      "a service of the user",
      "0::/user.slice/user@1.service/app.slice/code.service",
      "code.service",
    ],
    ["a service of the system", "0::/system.slice/code.service\n", "code.service"],
    [
      "a service, with two hierarchies",
      "2:cpu:/\n1:name=systemd:/system.slice/a.service\n0::/\n",
      "a.service",
    ],
    [
      "a scope of its own",
      "0::/user.slice/user@1.service/app.slice/scorpiox-hub-1.scope",
      undefined,
    ],
    ["a session", "0::/user.slice/user-1.slice/session-3.scope", undefined],
    ["the user's manager", "0::/user.slice/user-1.slice/user@1.service", undefined],
    ["a container", "0::/", undefined],
    ["a system without them", "", undefined],
  ])("%s", (_, cgroups, unit) => {
    expect(serviceThatEnds(cgroups)).toBe(unit);
  });
});
