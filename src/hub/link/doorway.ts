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
  readonly #strangers = new Set<SocketLink>();
  /** Admitted, with the process of each. */
  readonly #guests = new Map<SocketLink, number>();

  constructor(parts: DoorwayParts) {
    this.#parts = parts;
  }

  /** A process has connected. */
  open(socket: LinkSocket): SocketLink {
    // The one that has taken longest goes: a client needs a moment, and would come again.
    const [oldest] = this.#strangers;
    if (this.#strangers.size >= strangersMax) oldest?.cut();
    const talk: Talk = { onText: () => {}, onClosed: () => {} };
    const link = new SocketLink(
      socket,
      { onText: (text) => talk.onText(text), onClosed: () => talk.onClosed() },
      greetingBytesMax,
    );
    this.#strangers.add(link);
    void this.#admit(link, fdOf(socket), talk);
    return link;
  }

  closeAll(): void {
    for (const link of [...this.#strangers, ...this.#guests.keys()]) link.close();
  }

  async #admit(link: SocketLink, fd: number, talk: Talk): Promise<void> {
    const late = setTimeout(
      () => this.#refuse(link, "its handshake took too long"),
      handshakeMsMax,
    );
    talk.onClosed = () => {
      clearTimeout(late);
      this.#strangers.delete(link);
    };
    const peer = await this.#parts.judge.judge(fd);
    const { key, generation } = this.#parts;
    const shake = new HubHandshake({ key, generation, hubPid: process.pid, clientPid: peer.pid });
    const leave = (): void => {
      clearTimeout(late);
      this.#strangers.delete(link);
      peer[Symbol.dispose]();
    };
    if (!link.isOpen) return leave();
    talk.onClosed = leave;
    talk.onText = (text) => {
      const step = shake.take(text);
      if ("answer" in step) return say(link, step.answer);
      const refusal = "refusal" in step ? step.refusal : this.#refusalOf(peer);
      if (refusal !== undefined) return this.#refuse(link, refusal, peer.pid);
      leave();
      if ("purpose" in step) this.#welcome(link, { pid: peer.pid, ...step });
    };
    if (peer.refusal === undefined) say(link, shake.opening);
    else this.#refuse(link, peer.refusal, peer.pid);
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

  #welcome(link: SocketLink, visitor: HubVisitor): void {
    // What the new owner sends at once comes behind the admission.
    const { handlers, early } = this.#introduce(link, visitor);
    if (handlers === undefined) return link.close();
    this.#guests.set(link, visitor.pid);
    link.handOver({
      onText: (text) => handlers.onText(text),
      onDrain: () => handlers.onDrain?.(),
      onClosed: (reason) => {
        this.#guests.delete(link);
        handlers.onClosed(reason);
      },
    });
    say(link, { admitted: true });
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

  #refuse(link: SocketLink, reason: string, pid?: number): void {
    const who = pid === undefined || pid === 0 ? "" : ` of process ${pid}`;
    this.#parts.warn(`Refused a connection${who}: ${reason}.`);
    say(link, { refused: reason });
    link.close();
  }
}

/** The owner of a link that is not admitted yet. */
interface Talk {
  onText: (text: string) => void;
  onClosed: () => void;
}

const say = (link: SocketLink, greeting: HubGreeting): void => link.send(JSON.stringify(greeting));
