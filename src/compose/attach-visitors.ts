import { escapeName } from "../base/unsafe-characters.ts";
import { type LookAt, lookAtProcesses, originOf } from "../commands/process/process-origin.ts";
import { loadSocketPeer, type PeerOf, type SocketPeer } from "../commands/process/socket-owner.ts";

/** Attempts to answer are reported at most this often: a refused process may try a thousand times. */
const toldEveryMs = 60_000;

/** The processes that connect to the socket for terminals, as far as the system identifies them. */
export class AttachVisitors {
  readonly #warn: (message: string) => void;
  #peerOf: PeerOf | undefined | null = null;
  #toldAt = Number.NEGATIVE_INFINITY;
  #untold = 0;

  constructor(warn: (message: string) => void) {
    this.#warn = warn;
  }

  /** The folder of the socket keeps others out; this does where it does not. */
  readonly isOwnUser = (fd: number): boolean => {
    const uid = this.#peer(fd)?.uid;
    return uid === undefined || uid === process.getuid?.();
  };

  /**
   * Why no person is at the other end, which is reported to the user; undefined where one may be. Commands run as this user, can
   * read the key, and would answer the questions about themselves.
   */
  readonly whyNoAnswers = async (fd: number): Promise<string | undefined> => {
    // Windows, or a system whose C library cannot be used: the key decides alone.
    if (process.platform === "win32") return undefined;
    const pid = this.#peer(fd)?.pid;
    const reason = await reasonAgainst(pid);
    if (reason !== undefined) this.#tell(pid, reason);
    return reason?.text;
  };

  #peer(fd: number): SocketPeer | undefined {
    if (this.#peerOf === null) this.#peerOf = loadSocketPeer();
    return this.#peerOf?.(fd);
  }

  #tell(pid: number | undefined, { text, program }: Reason): void {
    this.#untold++;
    if (performance.now() - this.#toldAt < toldEveryMs) return;
    this.#toldAt = performance.now();
    const which = [pid === undefined || pid === 0 ? [] : `process ${pid}`, program ?? []].flat();
    const who = which.length === 0 ? "" : ` (${which.join(", ")})`;
    const more = this.#untold > 1 ? ` ${this.#untold - 1} more since the last such line.` : "";
    this.#untold = 0;
    this.#warn(
      `A command${who} tried to attach as a terminal, where it could have answered questions for you, and was refused: ${text}.${more}`,
    );
  }
}

interface Reason {
  readonly text: string;
  readonly program?: string;
}

async function reasonAgainst(pid: number | undefined): Promise<Reason | undefined> {
  const lookAt = await lookAtProcesses();
  if (pid === undefined || lookAt === undefined)
    return { text: "the system does not tell who it is" };
  return reasonFor(pid, lookAt);
}

/** Undefined for a process that a person may be using. */
export function reasonFor(pid: number, lookAt: LookAt): Reason | undefined {
  if (pid === 0) return { text: "it cannot be seen from here, as a process of another container" };
  const look = lookAt(pid);
  const program = look === undefined ? {} : { program: escapeName(look.name) };
  const text = look === undefined ? "it went at once" : textAgainst(pid, lookAt, look.hasTerminal);
  return text === undefined ? undefined : { text, ...program };
}

function textAgainst(pid: number, lookAt: LookAt, hasTerminal: boolean): string | undefined {
  const origin = originOf(pid, lookAt);
  switch (origin.kind) {
    case "server":
      return `a server (process ${origin.pid}) has started it`;
    case "mark":
      return `it carries the mark of processes that servers start (SCORPIOX_OWNER, process ${origin.pid})`;
    case "unknown":
      return "its parent processes cannot be determined";
    case "person":
      return hasTerminal ? undefined : "it has no terminal";
  }
}
