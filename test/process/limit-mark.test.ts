import { expect, test } from "bun:test";

import { LimitMarks } from "../../src/process/limit-mark.ts";
import { loadLibc } from "../../src/process/libc.ts";

const libc = loadLibc();
const linuxTest = test.skipIf(process.platform !== "linux" || libc === undefined);
const unlimited = 2n ** 64n - 1n;

/** Marks of a server whose own limit this is, and who puts and reads the limit of one other process. */
function marksBelow(ceiling: bigint, limits = new Map<number, bigint>()): LimitMarks {
  return new LimitMarks({
    ...libc!,
    limitsOf: () => ({ soft: ceiling, hard: ceiling }),
    limit: (pid, _resource, { hard }) => limits.set(pid, hard).size > 0,
    limitOf: (pid) => limits.get(pid),
  });
}

linuxTest("a number tells the command, the server, or nothing", () => {
  const limits = new Map([[7, unlimited]]);
  const marks = marksBelow(unlimited, limits);
  marks.put(2 ** 30, "one.12");
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

linuxTest("what is no owner mark has no number", () => {
  const marks = marksBelow(unlimited);
  expect(["", "one", "one.", ".1", "one.x"].map((mark) => marks.of(mark))).toEqual(
    Array.from({ length: 5 }, () => undefined),
  );
});
