import { fdOf } from "../../commands/process/socket-owner.ts";
import { greetingBytesMax, handshakeMsMax, type HubGreeting, HubHandshake } from "./admission.ts";
import {
  type HubLink,
  type HubLinkHandlers,
  type HubVisitor,
  type LinkSocket,
  SocketLink,
} from "./hub-link.ts";
import type { JudgedPeer, PeerJudge } from "./judge-peer.ts";

/** Client processes at a time: a user has a handful, and each costs memory here. */
const clientsMax = 64;
/** Links of one client: one for each purpose, and some that have not ended yet. */
const linksPerClientMax = 8;
/** Connections that are not admitted yet; each has `handshakeMsMax`. */
const strangersMax = 128;

export interface DoorwayParts {
  readonly key: string;
  readonly generation: number;
  readonly judge: PeerJudge;
  readonly accept: (visitor: HubVisitor, link: HubLink) => HubLinkHandlers | undefined;
  readonly warn: (line: string) => void;
}

/** Lets processes in that are clients of the hub, and turns others away. */
export class Doorway {
  readonly #parts: DoorwayParts;
  readonly #strangers = new Set<Stranger>();
  /** Admitted, with the process of each. */
  readonly #guests = new Map<SocketLink, number>();

  constructor(parts: DoorwayParts) {
    this.#parts = parts;
  }

  /** A process has connected. */
  open(socket: LinkSocket): SocketLink {
    // The one that has taken longest goes: a client needs a moment, and would come again.
    const [oldest] = this.#strangers;
    if (this.#strangers.size >= strangersMax) oldest?.link.cut();
    const stranger: Stranger = new Stranger(socket, {
      warn: this.#parts.warn,
      onGone: () => void this.#strangers.delete(stranger),
    });
    this.#strangers.add(stranger);
    void this.#admit(stranger, fdOf(socket));
    return stranger.link;
  }

  closeAll(): void {
    for (const { link } of this.#strangers) link.close();
    for (const link of this.#guests.keys()) link.close();
  }

  async #admit(stranger: Stranger, fd: number): Promise<void> {
    const peer = await this.#parts.judge.judge(fd);
    if (!stranger.isKnownAs(peer)) return;
    if (peer.refusal !== undefined) return stranger.refuse(peer.refusal);
    const { key, generation } = this.#parts;
    const shake = new HubHandshake({ key, generation, hubPid: process.pid, clientPid: peer.pid });
    stranger.say(shake.opening);
    stranger.listen((text) => {
      const step = shake.take(text);
      if ("answer" in step) return stranger.say(step.answer);
      const refusal = "refusal" in step ? step.refusal : this.#refusalOf(peer);
      if (refusal !== undefined) return stranger.refuse(refusal);
      if (!("purpose" in step)) return;
      this.#welcome(stranger, { pid: peer.pid, ...step });
    });
  }

  /** Why a process that has proved the key is not admitted. */
  #refusalOf(peer: JudgedPeer): string | undefined {
    if (!peer.isThere()) return "the process that connected has ended";
    const pids = [...this.#guests.values()];
    const links = pids.filter((pid) => pid === peer.pid).length;
    if (links >= linksPerClientMax) return `it has ${links} connections already`;
    return links === 0 && new Set(pids).size >= clientsMax
      ? `${clientsMax} processes use this hub already`
      : undefined;
  }

  #welcome(stranger: Stranger, visitor: HubVisitor): void {
    const { link } = stranger;
    // Frames that the new owner sends at once come behind the admission.
    const { handlers, early } = this.#introduce(link, visitor);
    if (handlers === undefined) return link.close();
    stranger.forget();
    this.#guests.set(link, visitor.pid);
    link.handOver({
      onText: (text) => handlers.onText(text),
      onDrain: () => handlers.onDrain?.(),
      onClosed: (reason) => {
        this.#guests.delete(link);
        handlers.onClosed(reason);
      },
    });
    stranger.say({ admitted: true });
    for (const text of early) link.send(text);
  }

  /** Gives the owner-to-be its link, and keeps the texts that it sends before it has said that it takes the visitor. */
  #introduce(link: SocketLink, visitor: HubVisitor) {
    let early: string[] | undefined = [];
    const sent = early;
    const held: HubLink = {
      send: (text) => void (early === undefined ? link.send(text) : early.push(text)),
      get waitingBytes() {
        return link.waitingBytes;
      },
      close: () => link.close(),
    };
    const handlers = this.#parts.accept(visitor, held);
    early = undefined;
    return { handlers, early: sent };
  }
}

/** A refused process has this long to read why: a connection that closes at once looks to it like a failed one. */
const refusalMsMax = 1_000;

interface StrangerParts {
  readonly warn: (line: string) => void;
  /** It has left, or was admitted. */
  readonly onGone: () => void;
}

/** A connection to the hub that is not admitted yet. */
class Stranger {
  readonly link: SocketLink;
  readonly #parts: StrangerParts;
  readonly #late: ReturnType<typeof setTimeout>;
  #peer: JudgedPeer | undefined;
  #onText: (text: string) => void = () => {};
  #isRefused = false;

  constructor(socket: LinkSocket, parts: StrangerParts) {
    this.#parts = parts;
    this.#late = setTimeout(() => this.refuse("its handshake took too long"), handshakeMsMax);
    this.link = new SocketLink(
      socket,
      { onText: (text) => this.#onText(text), onClosed: () => this.forget() },
      greetingBytesMax,
    );
  }

  /** False when it has gone meanwhile. */
  isKnownAs(peer: JudgedPeer): boolean {
    this.#peer = peer;
    if (this.link.isOpen && !this.#isRefused) return true;
    peer[Symbol.dispose]();
    return false;
  }

  /** Texts go there from now on. */
  listen(onText: (text: string) => void): void {
    if (!this.#isRefused) this.#onText = onText;
  }

  say(greeting: HubGreeting): void {
    this.link.send(JSON.stringify(greeting));
  }

  /** Says why it is not admitted; nothing that it sends is looked at any more. */
  refuse(reason: string): void {
    if (this.#isRefused) return;
    this.#isRefused = true;
    this.#onText = () => {};
    const pid = this.#peer?.pid ?? 0;
    this.#parts.warn(`Refused a connection${pid === 0 ? "" : ` of process ${pid}`}: ${reason}.`);
    this.say({ refused: reason });
    setTimeout(() => this.link.close(), refusalMsMax).unref();
  }

  /** Admitted, or gone. */
  forget(): void {
    clearTimeout(this.#late);
    this.#peer?.[Symbol.dispose]();
    this.#parts.onGone();
  }
}
