import { expect, test } from "bun:test";

import { LimitMarks } from "../../../src/commands/process/command-limits.ts";
import { type Limits, loadLibc } from "../../../src/commands/process/libc.ts";

const libc = loadLibc();
const linuxTest = test.skipIf(process.platform !== "linux" || libc === undefined);
const unlimited = 2n ** 64n - 1n;

/** Marks of a server whose own limit this is, and who puts and reads the limits of other processes; its own are those of 0. */
function marksBelow(ceiling: bigint, limits = new Map<number, Limits>()): LimitMarks {
  limits.set(0, { soft: ceiling, hard: ceiling });
  return new LimitMarks({
    ...libc!,
    limitsOf: () => limits.get(0),
    limit: (pid, _resource, both) => limits.set(pid, both).size > 0,
    limitOf: (pid) => limits.get(pid),
  });
}

linuxTest("a number tells the command, the server, or nothing", () => {
  const limits = new Map([[7, { soft: unlimited, hard: unlimited }]]);
  const marks = marksBelow(unlimited, limits);
  marks.startWith("one.12", () => ({ pid: 2 ** 30 }));
  const answers = [
    marks.isOf(2 ** 30, "one.12"),
    marks.isOf(2 ** 30, "one.13"),
    marks.isOf(2 ** 30, "two.12"),
    marks.isOf(7, "one.12"),
    marks.isOf(8, "one.12"),
  ];
  expect(answers).toEqual([true, false, undefined, undefined, undefined]);
});

linuxTest(
  "a server below the command of another has lower numbers, as long as there are some",
  () => {
    let ceiling = unlimited;
    let depth = 0;
    for (let next = marksBelow(ceiling).of("a.1"); next !== undefined; depth++) {
      expect(next).toBeLessThan(ceiling);
      ceiling = next;
      next = marksBelow(ceiling).of("a.1");
    }
    expect(depth).toBeGreaterThan(10);
  },
);

linuxTest("a process has the number from its first moment, and what it loses then too", () => {
  const limits = new Map<number, Limits>();
  const marks = marksBelow(unlimited, limits);
  const [leader, lost] = [2 ** 30, 2 ** 30 + 1];
  const child = marks.startWith("one.12", () => {
    // As the system does when a process is started.
    for (const pid of [leader, lost]) limits.set(pid, limits.get(0)!);
    return { pid: leader };
  });
  const failing = (): unknown =>
    marks.startWith("one.12", () => {
      throw new Error("no such program");
    });
  expect(failing).toThrow("no such program");
  const number = marks.of("one.12")!;
  expect({ child, limits: Object.fromEntries(limits), isOf: marks.isOf(lost, "one.12") }).toEqual({
    child: { pid: leader },
    limits: {
      0: { soft: unlimited, hard: unlimited },
      [leader]: { soft: number, hard: number },
      [lost]: { soft: number, hard: unlimited },
    },
    isOf: true,
  });
});

linuxTest("what is no owner mark has no number", () => {
  const marks = marksBelow(unlimited);
  expect(["", "one", "one.", ".1", "one.x"].map((mark) => marks.of(mark))).toEqual(
    Array.from({ length: 5 }, () => undefined),
  );
});
