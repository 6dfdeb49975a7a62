import { AppError } from "../../base/errors.ts";

/**
 * A filter for system calls in classic BPF (seccomp(2)), for the ways that bounds on files and network leave open.
 * A socket of the family AF_UNIX reaches any server of this machine by the path of its socket, and that
 * server may write or connect for the caller; io_uring makes sockets without the filtered calls; the kernel's
 * keys are shared with the session outside, and asking for one starts a program of root there.
 */
interface CallNumbers {
  /** `AUDIT_ARCH_…`: numbers mean something else on another architecture. */
  readonly architecture: number;
  readonly socket: number;
  readonly socketpair: number;
  /** `add_key`, `request_key` and `keyctl`. */
  readonly keys: readonly number[];
  /** Calls on other processes: those that change their limits, their scheduling, or their shared objects. */
  readonly others: OtherCalls;
  /** Numbers from here on are of another table (x32). */
  readonly foreignFrom?: number;
}

interface OtherCalls {
  /** With the process first: `sched_setparam`, `sched_setscheduler`, `sched_setaffinity` and `sched_setattr`. */
  readonly schedule: readonly number[];
  readonly prlimit64: number;
  readonly setpriority: number;
  readonly ioprioSet: number;
  /** With what to do second: `shmctl` and `msgctl`. */
  readonly shmAndMsgctl: readonly number[];
  readonly semctl: number;
  readonly mqUnlink: number;
}

const callNumbers: Partial<Record<NodeJS.Architecture, CallNumbers>> = {
  x64: {
    architecture: 0xc000003e,
    socket: 41,
    socketpair: 53,
    keys: [248, 249, 250],
    others: {
      schedule: [142, 144, 203, 314],
      prlimit64: 302,
      setpriority: 141,
      ioprioSet: 251,
      shmAndMsgctl: [31, 71],
      semctl: 66,
      mqUnlink: 241,
    },
    foreignFrom: 0x40000000,
  },
  arm64: {
    architecture: 0xc00000b7,
    socket: 198,
    socketpair: 199,
    keys: [217, 218, 219],
    others: {
      schedule: [118, 119, 122, 274],
      prlimit64: 261,
      setpriority: 140,
      ioprioSet: 30,
      shmAndMsgctl: [195, 187],
      semctl: 191,
      mqUnlink: 181,
    },
  },
};
const ioUringSetup = 425;

const loadWord = 0x20;
const jumpEqual = 0x15;
const jumpAtLeast = 0x35;
const and = 0x54;
const giveBack = 0x06;

const allow = 0x7fff0000;
const killProcess = 0x80000000;
const errorNumber = 0x00050000;
const EPERM = 1;
const EACCES = 13;
const ENOSYS = 38;

/** Offsets in `struct seccomp_data`; of an argument its lower half, which is all that the kernel reads of these. */
const numberAt = 0;
const architectureAt = 4;
const argumentAt = (index: number): number => 16 + 8 * index;
const upperHalfAt = (index: number): number => argumentAt(index) + 4;

const AF_INET = 2;
const AF_INET6 = 10;
const AF_NETLINK = 16;
const SOCK_STREAM = 1;
const SOCK_SEQPACKET = 5;
const typeMask = 0xf;
const PRIO_USER = 2;
const IOPRIO_WHO_USER = 3;
const IPC_RMID = 0;
const IPC_SET = 1;

type Instruction = readonly [code: number, ifTrue: number, ifFalse: number, operand: number];

const load = (offset: number): Instruction => [loadWord, 0, 0, offset];
const end = (verdict: number): Instruction => [giveBack, 0, 0, verdict];
const denied = end(errorNumber | EACCES);
const missing = end(errorNumber | ENOSYS);
const notOne = end(errorNumber | EPERM);

/** Ends with `verdict` when the loaded word is `value`. */
const endIf = (value: number, verdict: Instruction): Instruction[] => [
  [jumpEqual, 0, 1, value],
  verdict,
];

/** Runs `body`, which ends, when the loaded word is `value`. */
const when = (value: number, body: readonly Instruction[]): Instruction[] => [
  [jumpEqual, 0, body.length, value],
  ...body,
];

/** Sockets of the internet and of the kernel's own notices; nothing else. */
const judgeFamily: readonly Instruction[] = [
  load(argumentAt(0)),
  ...[AF_INET, AF_INET6, AF_NETLINK].flatMap((family) => endIf(family, end(allow))),
  denied,
];

/** One of a pair for datagrams can be sent from to any path; one that is connected for good cannot. */
const judgePair: readonly Instruction[] = [
  load(argumentAt(1)),
  [and, 0, 0, typeMask],
  ...[SOCK_STREAM, SOCK_SEQPACKET].flatMap((type) => endIf(type, end(allow))),
  denied,
];

/**
 * Process 0 is the caller. Its own number is refused as well: a filter cannot know that of a program which is started
 * later, and a number that was known may belong to another by then.
 */
const judgeProcess = (index: number): readonly Instruction[] => [
  load(argumentAt(index)),
  ...endIf(0, end(allow)),
  notOne,
];

/** Itself or its own group, but not all that its user runs. */
const judgePriority = (ofUser: number): readonly Instruction[] => [
  load(argumentAt(0)),
  ...endIf(ofUser, notOne),
  ...judgeProcess(1),
];

/** Without new limits (a null pointer) it only reads those of a process. */
const judgeLimits: readonly Instruction[] = [
  load(argumentAt(2)),
  [jumpEqual, 0, 3, 0],
  load(upperHalfAt(2)),
  ...endIf(0, end(allow)),
  ...judgeProcess(0),
];

/** Objects shared by System V's means are reachable by number for every process of the user. */
const judgeShared = (index: number): readonly Instruction[] => [
  load(argumentAt(index)),
  ...[IPC_RMID, IPC_SET].flatMap((what) => endIf(what, notOne)),
  end(allow),
];

const judgeOthers = (calls: OtherCalls): Instruction[] => [
  ...calls.schedule.flatMap((number) => when(number, judgeProcess(0))),
  ...when(calls.prlimit64, judgeLimits),
  ...when(calls.setpriority, judgePriority(PRIO_USER)),
  ...when(calls.ioprioSet, judgePriority(IOPRIO_WHO_USER)),
  ...calls.shmAndMsgctl.flatMap((number) => when(number, judgeShared(1))),
  ...when(calls.semctl, judgeShared(2)),
  ...endIf(calls.mqUnlink, notOne),
];

/**
 * The filter as an array of `struct sock_filter`, as `bwrap --seccomp` and prctl(2) take it.
 * @param processes `shared`: no namespace separates the command from other processes
 * @throws AppError `unsupported` for a processor whose calls are not known
 */
export function seccompFilter(
  processes: "own" | "shared",
  architecture: NodeJS.Architecture = process.arch,
): Uint8Array {
  const calls = callNumbers[architecture];
  if (calls === undefined) {
    throw new AppError("unsupported", `No system-call filter exists for ${architecture}.`);
  }
  const foreign: Instruction[] =
    calls.foreignFrom === undefined ? [] : [[jumpAtLeast, 0, 1, calls.foreignFrom], missing];
  return encode([
    load(architectureAt),
    [jumpEqual, 1, 0, calls.architecture],
    end(killProcess),
    load(numberAt),
    ...foreign,
    ...when(calls.socket, judgeFamily),
    ...when(calls.socketpair, judgePair),
    ...[ioUringSetup, ...calls.keys].flatMap((number) => endIf(number, missing)),
    ...(processes === "own" ? [] : judgeOthers(calls.others)),
    end(allow),
  ]);
}

function encode(program: readonly Instruction[]): Uint8Array {
  const bytes = new Uint8Array(program.length * 8);
  const view = new DataView(bytes.buffer);
  for (const [index, [code, ifTrue, ifFalse, operand]] of program.entries()) {
    view.setUint16(index * 8, code, true);
    view.setUint8(index * 8 + 2, ifTrue);
    view.setUint8(index * 8 + 3, ifFalse);
    view.setUint32(index * 8 + 4, operand, true);
  }
  return bytes;
}
