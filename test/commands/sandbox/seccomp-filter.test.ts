import { expect, test } from "bun:test";

import { seccompFilter } from "../../../src/commands/sandbox/seccomp-filter.ts";
import { judge } from "./bpf.ts";

const x64 = {
  architecture: 0xc000003e,
  socket: 41,
  socketpair: 53,
  addKey: 248,
  sched_setparam: 142,
  sched_setscheduler: 144,
  sched_setaffinity: 203,
  sched_setattr: 314,
  prlimit64: 302,
  setpriority: 141,
  ioprio_set: 251,
  shmctl: 31,
  msgctl: 71,
  semctl: 66,
  mq_unlink: 241,
};
const arm64: typeof x64 = {
  architecture: 0xc00000b7,
  socket: 198,
  socketpair: 199,
  addKey: 217,
  sched_setparam: 118,
  sched_setscheduler: 119,
  sched_setaffinity: 122,
  sched_setattr: 274,
  prlimit64: 261,
  setpriority: 140,
  ioprio_set: 30,
  shmctl: 195,
  msgctl: 187,
  semctl: 191,
  mq_unlink: 181,
};
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

type SharedRow = readonly [what: string, call: keyof typeof x64, args: number[], verdict: string];

const pointer = 0x7f00_0000_1000;
const [process, group, user] = [0, 1, 2];

/** What reaches other processes, where no namespace keeps them away. */
const sharedRows: readonly SharedRow[] = [
  ...(
    ["sched_setparam", "sched_setscheduler", "sched_setaffinity", "sched_setattr"] as const
  ).flatMap((call): SharedRow[] => [
    ["of oneself", call, [0, pointer, 0], "allow"],
    ["of another", call, [77, pointer, 0], "errno 1"],
    ["with bits above those that count", call, [2 ** 32, pointer, 0], "allow"],
    ["with a number below zero", call, [-1, pointer, 0], "errno 1"],
  ]),
  ["limits of oneself", "prlimit64", [0, 7, pointer, 0], "allow"],
  ["limits of another are told", "prlimit64", [77, 7, 0, pointer], "allow"],
  ["limits of another", "prlimit64", [77, 7, pointer, 0], "errno 1"],
  ["limits, by a pointer without a lower half", "prlimit64", [77, 7, 2 ** 32, 0], "errno 1"],
  ["one's own, by a pointer without a lower half", "prlimit64", [0, 7, 2 ** 32, 0], "allow"],
  ["oneself", "setpriority", [process, 0, 5], "allow"],
  ["one's group", "setpriority", [group, 0, 5], "allow"],
  ["all of the user", "setpriority", [user, 0, 5], "errno 1"],
  ["another", "setpriority", [process, 77, 5], "errno 1"],
  ["another group", "setpriority", [group, 77, 5], "errno 1"],
  ["oneself", "ioprio_set", [process + 1, 0, 5], "allow"],
  ["one's group", "ioprio_set", [group + 1, 0, 5], "allow"],
  ["all of the user", "ioprio_set", [user + 1, 0, 5], "errno 1"],
  ["another", "ioprio_set", [process + 1, 77, 5], "errno 1"],
  ...(["shmctl", "msgctl"] as const).flatMap((call): SharedRow[] => [
    ["IPC_RMID", call, [5, 0, 0], "errno 1"],
    ["IPC_SET", call, [5, 1, pointer], "errno 1"],
    ["IPC_STAT", call, [5, 2, pointer], "allow"],
  ]),
  ["IPC_RMID", "semctl", [5, 9, 0, 0], "errno 1"],
  ["IPC_SET", "semctl", [5, 9, 1, pointer], "errno 1"],
  ["SETVAL", "semctl", [5, 0, 16, 1], "allow"],
  ["a queue's name", "mq_unlink", [pointer], "errno 1"],
];

for (const [name, numbers] of [["x64", x64] as const, ["arm64", arm64] as const]) {
  const filter = seccompFilter("own", name);
  const shared = seccompFilter("shared", name);
  const { architecture } = numbers;

  test.each(rows)(`${name}: %s`, (_what, call, args, verdict) => {
    expect(judge(filter, { architecture, number: numbers[call], args })).toBe(verdict);
  });

  test.each(sharedRows)(
    `${name}, processes of others in reach: %s, %s%j`,
    (_what, call, args, verdict) => {
      const asked = { architecture, number: numbers[call], args };
      expect([judge(shared, asked), judge(filter, asked)]).toEqual([verdict, "allow"]);
    },
  );

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
  expect(judge(seccompFilter("own", "x64"), { ...x64, number, args: [1] })).toBe("errno 38");
});

test("a processor whose calls are not known is refused", () => {
  expect(() => seccompFilter("own", "riscv64")).toThrow(
    "No system-call filter exists for riscv64.",
  );
});
