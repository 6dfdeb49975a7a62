import { AppError } from "../../base/errors.ts";

/**
 * A filter for system calls in classic BPF (seccomp(2)): what bounds on files and network leave open.
 * A socket of the family AF_UNIX reaches any server of this machine by the path of its socket, and that
 * server may write or connect for the asker; io_uring makes sockets without the calls that are looked at; the kernel's
 * keys are shared with the session outside, and asking for one starts a program of root there.
 */
interface CallNumbers {
  /** `AUDIT_ARCH_…`: numbers mean something else on another architecture. */
  readonly architecture: number;
  readonly socket: number;
  readonly socketpair: number;
  /** `add_key`, `request_key` and `keyctl`. */
  readonly keys: readonly number[];
  /** Numbers from here on are of another table (x32). */
  readonly foreignFrom?: number;
}

const callNumbers: Partial<Record<NodeJS.Architecture, CallNumbers>> = {
  x64: {
    architecture: 0xc000003e,
    socket: 41,
    socketpair: 53,
    keys: [248, 249, 250],
    foreignFrom: 0x40000000,
  },
  arm64: { architecture: 0xc00000b7, socket: 198, socketpair: 199, keys: [217, 218, 219] },
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
const EACCES = 13;
const ENOSYS = 38;

/** Offsets in `struct seccomp_data`; of an argument its lower half, which is all that the kernel reads of these. */
const numberAt = 0;
const architectureAt = 4;
const argumentAt = (index: number): number => 16 + 8 * index;

const AF_INET = 2;
const AF_INET6 = 10;
const AF_NETLINK = 16;
const SOCK_STREAM = 1;
const SOCK_SEQPACKET = 5;
const typeMask = 0xf;

type Instruction = readonly [code: number, ifTrue: number, ifFalse: number, operand: number];

const load = (offset: number): Instruction => [loadWord, 0, 0, offset];
const end = (verdict: number): Instruction => [giveBack, 0, 0, verdict];
const denied = end(errorNumber | EACCES);
const missing = end(errorNumber | ENOSYS);

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
 * The filter as an array of `struct sock_filter`, as `bwrap --seccomp` and prctl(2) take it.
 * @throws AppError `unsupported` for a processor whose calls are not known
 */
export function seccompFilter(architecture: NodeJS.Architecture = process.arch): Uint8Array {
  const calls = callNumbers[architecture];
  if (calls === undefined) {
    throw new AppError("unsupported", `There is no filter of system calls for ${architecture}.`);
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
