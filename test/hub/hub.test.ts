import { describe, expect, test } from "bun:test";

import { Hub, type HubParts } from "../../src/hub/hub.ts";
import type { HubLink, HubVisitor } from "../../src/hub/link/hub-link.ts";
import { memoryLinks } from "./memory-links.ts";

const visitor = (pid: number, purpose: HubVisitor["purpose"]): HubVisitor => ({
  pid,
  purpose,
  clientKey: String(pid),
});

/** A hub of which nothing is real but itself. */
class Yard implements Disposable {
  readonly lines: string[] = [];
  readonly closed: string[] = [];
  holds = true;
  kept = 0;
  readonly hub: Hub;

  constructor(idleMs: number, more: Partial<HubParts> = {}) {
    const service = { accept: () => ({ onText: () => {}, onClosed: () => {} }) };
    this.hub = new Hub({
      services: { upstream: service, kept: service, watch: service },
      holdsOn: () => this.kept > 0,
      idleMs,
      holdsLock: () => this.holds,
      log: (line) => this.lines.push(line),
      ...more,
    });
  }

  /** The near end of an admitted link; undefined where nobody is taken in. */
  visit(who: HubVisitor): HubLink | undefined {
    let isTaken = true;
    const { near } = memoryLinks(
      { onText: () => {}, onClosed: (reason) => this.closed.push(reason) },
      (far) => {
        const handlers = this.hub.accept(who, far);
        isTaken = handlers !== undefined;
        return handlers ?? { onText: () => {}, onClosed: () => {} };
      },
    );
    return isTaken ? near : undefined;
  }

  [Symbol.dispose](): void {
    this.hub[Symbol.dispose]();
  }
}

describe("[HB5] a hub", () => {
  test("ends some time after its last client, and not while another is there", async () => {
    using yard = new Yard(20);
    const links = [1, 2].map((pid) => yard.visit(visitor(pid, "upstream")));
    expect(yard.hub.clients().map(({ pid }) => pid)).toEqual([1, 2]);
    let isOver = false;
    const ended = yard.hub.ended.finally(() => (isOver = true));
    links[0]?.close();
    // Longer than the hub would stay without anybody.
    await Bun.sleep(60);
    expect(isOver).toBe(false);
    links[1]?.close();
    expect(await ended).toBe("nobody needs it");
  });

  test("stays for a client that comes back in time", async () => {
    using yard = new Yard(200);
    yard.visit(visitor(1, "upstream"))?.close();
    const link = yard.visit(visitor(1, "upstream"));
    let isOver = false;
    void yard.hub.ended.finally(() => (isOver = true));
    await Bun.sleep(300);
    expect(isOver).toBe(false);
    link?.close();
    expect(await yard.hub.ended).toBe("nobody needs it");
  });

  test("stays for work that goes on without clients, until that is over", async () => {
    using yard = new Yard(0);
    yard.kept = 1;
    yard.visit(visitor(1, "kept"))?.close();
    let isOver = false;
    const ended = yard.hub.ended.finally(() => (isOver = true));
    await Bun.sleep(20);
    expect(isOver).toBe(false);
    yard.kept = 0;
    yard.hub.reconsider();
    expect(await ended).toBe("nobody needs it");
  });

  test("counts a process once, and those that watch not at all", async () => {
    using yard = new Yard(20);
    const links = [
      yard.visit(visitor(1, "upstream")),
      yard.visit(visitor(1, "kept")),
      yard.visit(visitor(2, "watch")),
    ];
    expect(yard.hub.clients()).toEqual([{ pid: 1, sinceMs: expect.any(Number) }]);
    links[0]?.close();
    links[1]?.close();
    expect(await yard.hub.ended).toBe("nobody needs it");
  });
});

describe("[HB6] a hub that was replaced while it slept", () => {
  test("takes nobody in, and ends", async () => {
    using yard = new Yard(1_000);
    yard.holds = false;
    expect(yard.visit(visitor(1, "upstream"))).toBeUndefined();
    expect([await yard.hub.ended, yard.lines]).toEqual([
      "replaced",
      ["Another process has become the hub meanwhile."],
    ]);
  });

  test("finds that out by itself, and lets its clients go", async () => {
    using yard = new Yard(1_000);
    yard.visit(visitor(1, "upstream"));
    yard.holds = false;
    expect(await yard.hub.ended).toBe("replaced");
    yard.hub[Symbol.dispose]();
    await Bun.sleep(0);
    expect(yard.closed).toEqual(["the other side closed the link"]);
  });
});
