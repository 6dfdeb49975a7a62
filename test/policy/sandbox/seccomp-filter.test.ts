import { expect, test } from "bun:test";

import { seccompFilter } from "../../../src/policy/sandbox/seccomp-filter.ts";
import { judge } from "./bpf.ts";

const x64 = { architecture: 0xc000003e, socket: 41, socketpair: 53, addKey: 248 };
const arm64 = { architecture: 0xc00000b7, socket: 198, socketpair: 199, addKey: 217 };
const cloexec = 0o2000000;

type Row = readonly [what: string, call: "socket" | "socketpair", args: number[], verdict: string];

const rows: readonly Row[] = [
  ["internet", "socket", [2, 1, 0], "allow"],
  ["internet 6, close-on-exec", "socket", [10, 2 | cloexec, 0], "allow"],
  ["notices of the kernel", "socket", [16, 3, 0], "allow"],
  ["unix", "socket", [1, 1, 0], "errno 13"],
  ["unix, with bits above those that count", "socket", [1 + 2 ** 32, 1, 0], "errno 13"],
  ["virtual machines", "socket", [40, 1, 0], "errno 13"],
  ["ciphers of the kernel", "socket", [38, 5, 0], "errno 13"],
  ["no family", "socket", [0, 1, 0], "errno 13"],
  ["pair of streams", "socketpair", [1, 1 | cloexec, 0], "allow"],
  ["pair of packets", "socketpair", [1, 5, 0], "allow"],
  ["pair for datagrams", "socketpair", [1, 2, 0], "errno 13"],
  ["pair for datagrams, close-on-exec", "socketpair", [1, 2 | cloexec, 0], "errno 13"],
  ["raw pair", "socketpair", [1, 3, 0], "errno 13"],
];

for (const [name, numbers] of [["x64", x64] as const, ["arm64", arm64] as const]) {
  const filter = seccompFilter(name);
  const { architecture } = numbers;

  test.each(rows)(`${name}: %s`, (_what, call, args, verdict) => {
    expect(judge(filter, { architecture, number: numbers[call], args })).toBe(verdict);
  });

  test.each([
    ["io_uring_setup", 425, "errno 38"],
    ["add_key", numbers.addKey, "errno 38"],
    ["request_key", numbers.addKey + 1, "errno 38"],
    ["keyctl", numbers.addKey + 2, "errno 38"],
    ["what comes before the keys", numbers.addKey - 1, "allow"],
    ["what comes after the keys", numbers.addKey + 3, "allow"],
    ["read, or what has its number", 0, "allow"],
    ["openat2", 437, "allow"],
  ])(`${name}: %s`, (_what, number, verdict) => {
    expect(judge(filter, { architecture, number })).toBe(verdict);
  });

  test(`${name}: another architecture's calls end the process`, () => {
    expect(judge(filter, { architecture: 0x40000003, number: 1 })).toBe("kill");
  });
}

test("x64: calls of the x32 table do not exist", () => {
  const number = 0x40000000 + x64.socket;
  expect(judge(seccompFilter("x64"), { ...x64, number, args: [1] })).toBe("errno 38");
});

test("a processor whose calls are not known is refused", () => {
  expect(() => seccompFilter("riscv64")).toThrow("There is no filter of system calls for riscv64.");
});
