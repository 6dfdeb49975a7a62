import { describe, expect, test } from "bun:test";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { frameOf, linkFrameBytesMax } from "../../../src/hub/link/frames.ts";
import { type LinkSocket, SocketLink } from "../../../src/hub/link/hub-link.ts";

/** Takes `room` bytes and then nothing, until there is more room. */
class Peer implements LinkSocket {
  room: number;
  bytes: Uint8Array = new Uint8Array();
  readonly events: string[] = [];

  constructor(room = Number.POSITIVE_INFINITY) {
    this.room = room;
  }

  write(bytes: Uint8Array): number {
    const taken = bytes.subarray(0, this.room);
    this.room -= taken.length;
    this.bytes = Buffer.concat([this.bytes, taken]);
    return taken.length;
  }

  end(): void {
    this.events.push("end");
  }

  terminate(): void {
    this.events.push("terminate");
  }
}

function opened(peer: Peer) {
  const heard: string[] = [];
  const link = new SocketLink(peer, {
    onText: (text) => heard.push(text),
    onClosed: (reason) => heard.push(`closed: ${reason}`),
    onDrain: () => heard.push("drained"),
  });
  return { link, heard };
}

const framed = (...texts: readonly string[]): Uint8Array =>
  Buffer.concat(texts.map((text) => frameOf(text) ?? new Uint8Array()));

describe("a link", () => {
  test("texts leave whole and in order, however little room there is at a time", () => {
    const peer = new Peer(3);
    const { link, heard } = opened(peer);
    const texts = ["ab", "", "é", "x".repeat(100)];
    for (const text of texts) link.send(text);
    expect(link.waitingBytes).toBe(framed(...texts).length - 3);
    for (let round = 0; link.waitingBytes > 0; round++) {
      peer.room = 7;
      link.drain();
    }
    expect(Buffer.compare(peer.bytes, framed(...texts))).toBe(0);
    expect(heard).toEqual(["drained"]);
  });

  test("a peer that reads nothing is given up at the bound, and what waits for it is dropped", async () => {
    const peer = new Peer(0);
    const { link, heard } = opened(peer);
    for (let count = 0; count < 3; count++) link.send("x".repeat(linkFrameBytesMax - 1024));
    expect([link.isOpen, link.waitingBytes]).toEqual([false, 0]);
    await Promise.resolve();
    link.ended();
    expect([peer.events, heard]).toEqual([
      ["end"],
      ["closed: the other side has not read what was sent to it"],
    ]);
  });

  test.each([
    [
      "too long",
      Buffer.from([0, 0, 0, 0xff, 1]),
      "announced a message that is longer than a link carries",
    ],
    ["no UTF-8", Buffer.from([1, 0, 0, 0, 0xff]), "sent a message that is not UTF-8"],
  ])("a frame that is %s closes it", async (_, bytes, reason) => {
    const peer = new Peer();
    const { link, heard } = opened(peer);
    link.push(Buffer.concat([framed("a"), bytes]));
    link.push(framed("b"));
    await Promise.resolve();
    link.ended();
    expect([peer.events, heard]).toEqual([["end"], ["a", `closed: the other side ${reason}`]]);
  });

  test("a text above the bound closes it instead of being lost", () => {
    const { link, heard } = opened(new Peer());
    link.send("x".repeat(linkFrameBytesMax + 1));
    link.ended();
    expect(heard).toEqual(["closed: a message was longer than a link carries"]);
  });

  test("close lets the peer take what waits, and nothing is heard of it afterwards", async () => {
    const peer = new Peer(2);
    const { link, heard } = opened(peer);
    link.send("abc");
    link.close();
    link.send("lost");
    link.push(framed("unheard"));
    await Promise.resolve();
    expect(peer.events).toEqual([]);
    peer.room = 100;
    link.drain();
    link.ended();
    link.ended();
    expect([peer.events, heard]).toEqual([["end"], ["closed: closed by this side"]]);
    expect(Buffer.compare(peer.bytes, framed("abc"))).toBe(0);
  });

  test("a peer that never closes is cut off", async () => {
    const peer = new Peer();
    const closed = Promise.withResolvers<string>();
    const link = new SocketLink(peer, { onText: () => {}, onClosed: closed.resolve });
    link.close();
    expect(await closed.promise).toBe("closed by this side");
    expect(peer.events).toEqual(["end", "terminate"]);
  });

  test("texts that come with the admission wait until the new owner knows its link", async () => {
    const { link, heard } = opened(new Peer());
    const owned: string[] = [];
    const drained = Promise.withResolvers<void>();
    link.handOver({
      onText: (text) => owned.push(text),
      onClosed: (reason) => {
        owned.push(reason);
        drained.resolve();
      },
    });
    link.push(framed("a", "b"));
    expect(owned).toEqual([]);
    link.ended("gone");
    await drained.promise;
    expect([owned, heard]).toEqual([["a", "b", "gone"], []]);
  });

  test("over a real socket: a megabyte each way, then the end", async () => {
    const folder = mkdtempSync(join(tmpdir(), "hub-link-"));
    const unix = join(folder, "s");
    const text = "ü".repeat(512 * 1024);
    const [echoed, ended] = [Promise.withResolvers<string>(), Promise.withResolvers<string>()];
    using listener = Bun.listen<SocketLink | undefined>({
      unix,
      data: undefined,
      socket: {
        open(socket) {
          const link: SocketLink = new SocketLink(socket, {
            onText: (received) => link.send(received),
            onClosed: ended.resolve,
          });
          socket.data = link;
        },
        data: ({ data }, chunk) => data?.push(chunk),
        drain: ({ data }) => data?.drain(),
        close: ({ data }) => data?.ended(),
      },
    });
    let link: SocketLink | undefined;
    const socket = await Bun.connect({
      unix,
      socket: {
        data: (_, chunk) => link?.push(chunk),
        drain: () => link?.drain(),
        close: () => link?.ended(),
      },
    });
    link = new SocketLink(socket, { onText: echoed.resolve, onClosed: () => {} });
    link.send(text);
    expect(await echoed.promise).toBe(text);
    link.close();
    expect(await ended.promise).toBe("the other side closed the link");
    listener.stop(true);
    rmSync(folder, { recursive: true });
  });
});
