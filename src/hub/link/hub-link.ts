import { type FrameFault, FrameReader, frameOf, linkFrameBytesMax } from "./frames.ts";

/** The purpose of a connection to the hub; a client process has one connection for each. */
export type HubPurpose = "upstream" | "kept" | "watch";

/** One end of an admitted connection between a client process and the hub: texts, in order, both ways. */
export interface HubLink {
  /** Sends at once, or when the other side has read what was sent before. After the link has closed it does nothing. */
  send(text: string): void;
  /** Bytes that the other side has not taken yet. */
  readonly waitingBytes: number;
  /** Closes the link once the other side has taken all that was sent, or has not within a second. Idempotent. */
  close(): void;
}

/** Events of a link. None comes before the function that makes the link has returned, and none after `onClosed`. */
export interface HubLinkHandlers {
  onText(text: string): void;
  /** Called once, whichever side closed the link; never from within `send` or `close`. */
  onClosed(reason: string): void;
  /** The other side has taken all that waited. */
  onDrain?(): void;
}

/** The client process at the other end of a link, as the hub sees it. */
export interface HubVisitor {
  readonly pid: number;
  readonly purpose: HubPurpose;
  /** Random, one for each client process: its connections have it in common. */
  readonly clientKey: string;
}

/** The part of a socket that a link uses. */
export interface LinkSocket {
  /** @returns bytes that were taken; the rest is offered again at `drain` */
  write(bytes: Uint8Array): number;
  end(): void;
  terminate(): void;
}

/** A peer that has left so much unread reads no more: what waits for it is memory of the process that everybody uses. */
const waitingBytesMax = 256 * 1024 * 1024;
/** The other side has this long to take the last texts. */
const closeMsMax = 1_000;
/** Small frames that wait are joined to pieces of about this size. */
const pieceBytes = 64 * 1024;

/** A link over a socket, to be fed with the events of the socket by the code that opened it. */
export class SocketLink implements HubLink {
  readonly #socket: LinkSocket;
  readonly #frames: FrameReader;
  #handlers: HubLinkHandlers;
  #waiting: Uint8Array[] = [];
  #waitingBytes = 0;
  /** Texts that came with the admission; handlers get them once they know their link. */
  #early: string[] | undefined;
  /** Why it closes; it still sends what waits, and receives nothing. */
  #closing: string | undefined;
  #closeTimer: ReturnType<typeof setTimeout> | undefined;
  #isClosed = false;

  /** @param frameBytesMax bound of received frames, until `handOver` */
  constructor(socket: LinkSocket, handlers: HubLinkHandlers, frameBytesMax = linkFrameBytesMax) {
    this.#socket = socket;
    this.#handlers = handlers;
    this.#frames = new FrameReader(frameBytesMax);
  }

  get waitingBytes(): number {
    return this.#waitingBytes;
  }

  get isOpen(): boolean {
    return this.#closing === undefined && !this.#isClosed;
  }

  /** The peer is admitted: frames of full size, for others than those who looked at it. */
  handOver(handlers: HubLinkHandlers): void {
    this.#handlers = handlers;
    this.#frames.bytesMax = linkFrameBytesMax;
    this.#early = [];
    setImmediate(() => this.#deliverEarly());
  }

  send(text: string): void {
    if (!this.isOpen) return;
    const frame = frameOf(text);
    if (frame === undefined) return this.#closeFor("a message was longer than a link carries");
    this.#waiting.push(frame);
    this.#waitingBytes += frame.length;
    if (this.#waiting.length === 1) this.#write();
    else if (this.#waitingBytes > waitingBytesMax) {
      this.#drop();
      this.#closeFor("the other side has not read what was sent to it");
    }
  }

  close(): void {
    this.#closeFor("closed by this side");
  }

  /** Ends the link at once; the peer may not have taken all. */
  cut(): void {
    this.#socket.terminate();
    this.ended();
  }

  /** Bytes have come. */
  push(chunk: Uint8Array): void {
    const onText = (text: string): boolean => {
      if (this.#early === undefined) this.#handlers.onText(text);
      else this.#early.push(text);
      return this.isOpen;
    };
    const fault = this.isOpen ? this.#frames.push(chunk, onText) : undefined;
    if (fault !== undefined) this.#closeFor(faultTexts[fault]);
  }

  /** The socket has room again. */
  drain(): void {
    if (this.#waiting.length === 0) return;
    this.#write();
    if (this.#waiting.length > 0) return;
    if (this.#closing !== undefined) this.#socket.end();
    else this.#handlers.onDrain?.();
  }

  /** The socket has closed. */
  ended(reason = "the other side closed the link"): void {
    if (this.#isClosed) return;
    this.#deliverEarly();
    this.#isClosed = true;
    clearTimeout(this.#closeTimer);
    this.#drop();
    this.#handlers.onClosed(this.#closing ?? reason);
  }

  #deliverEarly(): void {
    const texts = this.#early ?? [];
    this.#early = undefined;
    for (const text of texts) if (this.isOpen) this.#handlers.onText(text);
  }

  #closeFor(reason: string): void {
    if (!this.isOpen) return;
    this.#closing = reason;
    this.#closeTimer = setTimeout(() => this.cut(), closeMsMax);
    this.#closeTimer.unref();
    // Not from within the caller: the end of a socket may be reported before `end` returns.
    if (this.#waiting.length === 0) queueMicrotask(() => this.#socket.end());
  }

  #drop(): void {
    this.#waiting = [];
    this.#waitingBytes = 0;
  }

  #write(): void {
    for (let piece = this.#nextPiece(); piece !== undefined; piece = this.#nextPiece()) {
      const taken = Math.max(0, this.#socket.write(piece));
      this.#waitingBytes -= taken;
      if (taken < piece.length) {
        this.#waiting[0] = piece.subarray(taken);
        return;
      }
      this.#waiting.shift();
    }
  }

  /** The first that waits, with those behind it as long as that makes no large piece. */
  #nextPiece(): Uint8Array | undefined {
    const [first] = this.#waiting;
    let [count, bytes] = [0, 0];
    for (const { length } of this.#waiting) {
      if (count > 0 && bytes + length > pieceBytes) break;
      [count, bytes] = [count + 1, bytes + length];
    }
    if (count <= 1) return first;
    const piece = Buffer.concat(this.#waiting.slice(0, count), bytes);
    this.#waiting.splice(0, count, piece);
    return piece;
  }
}

const faultTexts: Readonly<Record<FrameFault, string>> = {
  "too-long": "the other side announced a message that is longer than a link carries",
  "not-text": "the other side sent a message that is not UTF-8",
};
