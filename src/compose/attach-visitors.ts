import { escapeName } from "../base/unsafe-characters.ts";
import { type LookAt, lookAtProcesses, originOf } from "../commands/process/process-origin.ts";
import { loadSocketPeer, type PeerOf, type SocketPeer } from "../commands/process/socket-owner.ts";

/** Attempts to answer are told at most this often: who is refused may try a thousand times. */
const toldEveryMs = 60_000;

/** Who connects to the socket for terminals, as far as the system tells. */
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
   * Why no person sits at the other end, and the user is told; undefined where one may. Commands run as this user, can
   * read the key, and would answer what they are asked about themselves.
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

/** Undefined for what a person may sit at. */
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
      return `it carries the mark of what servers start (SCORPIOX_OWNER, process ${origin.pid})`;
    case "unknown":
      return "it cannot be told what has started it";
    case "person":
      return hasTerminal ? undefined : "it has no terminal";
  }
}
