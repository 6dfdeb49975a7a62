import { greetingBytesMax, handshakeMsMax, type HubGreeting } from "./admission.ts";
import { type LinkSocket, SocketLink } from "./hub-link.ts";
import type { JudgedPeer } from "./judge-peer.ts";

/** A refused process has this long to read why: a connection that closes at once looks to it like a failed one. */
const refusalMsMax = 1_000;

interface StrangerParts {
  readonly warn: (line: string) => void;
  /** It has left, or was admitted. */
  readonly onGone: () => void;
}

/** A connection to the hub that is not admitted yet. */
export class Stranger {
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
