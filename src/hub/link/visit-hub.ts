import { messageOf, systemCodeOf } from "../../base/errors.ts";
import { type LookAt, lookAtProcesses } from "../../commands/process/process-origin.ts";
import { fdOf, loadSocketPeer, type PeerOf } from "../../commands/process/socket-owner.ts";
import { ClientHandshake, greetingBytesMax, readKey, type ShownClient } from "./admission.ts";
import { type HubLink, type HubLinkHandlers, SocketLink } from "./hub-link.ts";
import { type HubRecord, readRecord } from "./hub-lock.ts";
import type { HubPlace } from "./hub-place.ts";
import { factsOf, isSameProcess } from "./process-facts.ts";
import { signOfCommand, withoutServers } from "./judge-peer.ts";

/** How an attempt to reach a hub ended. */
export type Visit =
  | { readonly kind: "admitted"; readonly link: HubLink; readonly record: HubRecord }
  /** Nobody listens: there is no hub, or it begins or ends. */
  | { readonly kind: "absent" }
  /** It listens and cannot take another connection at this moment. */
  | { readonly kind: "busy" }
  | { readonly kind: "refused"; readonly reason: string }
  /** It listens, and has not answered in time; a stopped one is not waited for. */
  | { readonly kind: "silent"; readonly record: HubRecord };

export interface VisitOptions extends ShownClient {
  readonly handlers: HubLinkHandlers;
  readonly msMax: number;
  /** Ends the attempt, as absent. */
  readonly signal: AbortSignal;
}

/** How often a hub that does not answer is looked at. */
const lookMs = 100;
/** So many looks in a row find a process that somebody has stopped, and not one that is being started. */
const stoppedLooksMin = 3;

let peerOf: PeerOf | undefined | null = null;

/** Connects to the hub of a place and lets it and this process prove to each other who they are. */
export async function visitHub(place: HubPlace, options: VisitOptions): Promise<Visit> {
  const record = readRecord(place);
  if (record?.socket === undefined) return { kind: "absent" };
  const key = readKey(place);
  if (key === undefined) return { kind: "absent" };
  const visit = new OneVisit(record, key, options, withoutServers(await lookAtProcesses()));
  // Not awaited: the answer may stay away when the hub is killed meanwhile.
  Bun.connect({ unix: record.socket, socket: visit.events }).then(
    (socket) => visit.begin(socket),
    (error: unknown) => visit.settle(failedVisit(error)),
  );
  return visit.outcome;
}

const absentCodes = new Set(["ECONNREFUSED", "ENOENT", "ECONNRESET"]);

/** A full queue of connections says EAGAIN (Linux) or ECONNREFUSED (macOS); ECONNRESET is a hub that closes at once, as one that ends. */
function failedVisit(error: unknown): Visit {
  const code = systemCodeOf(error);
  if (code !== undefined && absentCodes.has(code)) return { kind: "absent" };
  if (code === "EAGAIN") return { kind: "busy" };
  return { kind: "refused", reason: `its socket cannot be reached: ${code ?? messageOf(error)}` };
}

class OneVisit {
  readonly #record: HubRecord;
  readonly #options: VisitOptions;
  readonly #shake: ClientHandshake;
  readonly #lookAt: LookAt | undefined;
  readonly #done = Promise.withResolvers<Visit>();
  readonly #startedAt = performance.now();
  readonly #abort = (): void => this.settle({ kind: "absent" });
  #link: SocketLink | undefined;
  readonly #looking: ReturnType<typeof setInterval>;
  #stoppedLooks = 0;
  #isSettled = false;

  constructor(record: HubRecord, key: string, options: VisitOptions, lookAt: LookAt | undefined) {
    this.#record = record;
    this.#options = options;
    this.#lookAt = lookAt;
    const { generation, pid: hubPid } = record;
    const { purpose, clientKey } = options;
    const expected = { key, generation, hubPid, clientPid: process.pid };
    this.#shake = new ClientHandshake(expected, { purpose, clientKey });
    options.signal.addEventListener("abort", this.#abort, { once: true });
    this.#looking = setInterval(() => this.#look(), lookMs);
  }

  get outcome(): Promise<Visit> {
    return this.#done.promise;
  }

  readonly events = {
    open: (socket: Bun.Socket): void => this.begin(socket),
    data: (_: Bun.Socket, chunk: Uint8Array): void => this.#link?.push(chunk),
    drain: (): void => this.#link?.drain(),
    close: (): void => this.#link?.ended(),
    error: (_: Bun.Socket, error: Error): void => this.#link?.ended(messageOf(error)),
    connectError: (): void => {},
  };

  /** The socket is connected. Idempotent. */
  begin(socket: Bun.Socket): void {
    if (this.#link !== undefined) return;
    if (this.#isSettled) {
      socket.terminate();
      return;
    }
    const onText = (text: string): void => this.#take(text);
    // It ends without a word: it ends, or has no room for strangers.
    const onClosed = (): void => this.settle({ kind: "absent" });
    this.#link = new SocketLink(socket, { onText, onClosed }, greetingBytesMax);
    const reason = this.#reasonAgainst(socket);
    if (reason === "ended") return this.settle({ kind: "absent" });
    if (reason !== undefined) return this.#refuse(reason);
  }

  settle(visit: Visit): void {
    if (this.#isSettled) return;
    this.#isSettled = true;
    clearInterval(this.#looking);
    this.#options.signal.removeEventListener("abort", this.#abort);
    if (visit.kind !== "admitted") this.#link?.close();
    this.#done.resolve(visit);
  }

  /**
   * The hub alone may read what crosses. A command can take the place of its files, listen there, and become this
   * program then.
   */
  #reasonAgainst(socket: Bun.Socket): string | undefined {
    if (peerOf === null) peerOf = loadSocketPeer();
    const peer = peerOf?.(fdOf(socket));
    if (peer === undefined) return "the system does not say who listens at its socket";
    if (peer.uid !== process.getuid?.()) return "another user listens at its socket";
    if (peer.pid !== this.#record.pid) return "another process than the hub listens at its socket";
    const facts = factsOf(peer.pid);
    // It was killed, and its socket is the last that goes.
    if (facts === undefined || facts.state === "ended") return "ended";
    if (!isSameProcess(this.#record, facts)) return "its process is not the one that took the lock";
    return facts.program === factsOf(process.pid)?.program
      ? signOfCommand(peer.pid, this.#lookAt)
      : "it runs another program than this process";
  }

  #take(text: string): void {
    const step = this.#shake.take(text);
    if ("refusal" in step) return this.#refuse(step.refusal);
    if ("answer" in step) return this.#link?.send(JSON.stringify(step.answer));
    const link = this.#link;
    if (link === undefined) return;
    link.handOver(this.#options.handlers);
    this.settle({ kind: "admitted", link, record: this.#record });
  }

  #refuse(reason: string): void {
    this.settle({ kind: "refused", reason });
  }

  #look(): void {
    const isStopped = factsOf(this.#record.pid)?.state === "stopped";
    this.#stoppedLooks = isStopped ? this.#stoppedLooks + 1 : 0;
    const isLate = performance.now() - this.#startedAt > this.#options.msMax;
    if (isLate || this.#stoppedLooks >= stoppedLooksMin) {
      this.settle({ kind: "silent", record: this.#record });
    }
  }
}
