import type { HubLink, HubLinkHandlers } from "../../src/hub/link/hub-link.ts";

/** One end of a link in memory, as a socket would be: in order, and never within the sender's turn. */
class MemoryLink implements HubLink {
  waitingBytes = 0;
  other: MemoryLink | undefined;
  handlers: HubLinkHandlers | undefined;
  #isClosed = false;

  send(text: string): void {
    if (this.#isClosed) return;
    queueMicrotask(() => {
      if (!this.#isClosed) this.other?.handlers?.onText(text);
    });
  }

  close(): void {
    queueMicrotask(() => {
      this.ended("closed by this side");
      this.other?.ended("the other side closed the link");
    });
  }

  ended(reason: string): void {
    if (this.#isClosed) return;
    this.#isClosed = true;
    this.handlers?.onClosed(reason);
  }
}

/** Both ends of a new link. @param accept gives the handlers of the far end */
export function memoryLinks(
  near: HubLinkHandlers,
  accept: (far: HubLink) => HubLinkHandlers,
): { readonly near: HubLink; readonly far: HubLink } {
  const [one, other] = [new MemoryLink(), new MemoryLink()];
  one.other = other;
  other.other = one;
  one.handlers = near;
  other.handlers = accept(other);
  return { near: one, far: other };
}
