import { describe, expect } from "bun:test";
import { existsSync, statSync } from "node:fs";

import { handshakeMsMax, readKey } from "../../../src/hub/link/admission.ts";
import { FrameReader, frameOf, linkFrameBytesMax } from "../../../src/hub/link/frames.ts";
import { abandonLock, readRecord } from "../../../src/hub/link/hub-lock.ts";
import { type Accept, type HubListener, listenForClients } from "../../../src/hub/link/listen.ts";
import { until } from "../../commands/process/until.ts";
import { posixTest } from "../../e2e/harness/platform.ts";
import { HubYard } from "./hub-yard.ts";

/** Takes everybody in and answers each text with itself. */
const echo: Accept = (_, link) => ({ onText: (text) => link.send(text), onClosed: () => {} });

/** This process as the hub of a yard, and what it has warned of. */
async function listening(yard: HubYard, accept: Accept = echo) {
  const warnings: string[] = [];
  const warn = (line: string): void => void warnings.push(line);
  const hub = await listenForClients(yard.place, accept, { warn });
  if (hub === undefined) throw new Error("another process is the hub");
  return { hub, warnings };
}

/** A connection without manners. */
class RawVisitor {
  readonly texts: string[] = [];
  isClosed = false;
  #socket: Bun.Socket | undefined;

  static async open(hub: HubListener): Promise<RawVisitor> {
    const visitor = new RawVisitor();
    const frames = new FrameReader(linkFrameBytesMax);
    visitor.#socket = await Bun.connect({
      unix: hub.socket,
      socket: {
        data: (_, chunk) => void frames.push(chunk, (text) => visitor.texts.push(text) > 0),
        close: () => void (visitor.isClosed = true),
      },
    });
    return visitor;
  }

  send(bytes: Uint8Array): void {
    this.#socket?.write(bytes);
  }

  close(): void {
    this.#socket?.terminate();
  }

  /** Why it was refused. */
  get refusal(): unknown {
    return JSON.parse(this.texts.at(-1) ?? "{}").refused;
  }
}

describe("listenForClients()", () => {
  posixTest("only this user reaches the socket, the lock and the key", async () => {
    await using yard = new HubYard();
    using hub = (await listening(yard)).hub;
    const { folder, lockFile, keyFile } = yard.place;
    const modes = [folder, lockFile, keyFile, hub.socket].map(
      (path) => statSync(path).mode & 0o777,
    );
    expect(modes).toEqual([0o700, 0o600, 0o600, 0o600]);
  });

  posixTest("a second hub of the place does not come up", async () => {
    await using yard = new HubYard();
    using _hub = (await listening(yard)).hub;
    expect(await listenForClients(yard.place, echo)).toBeUndefined();
  });

  posixTest(
    "a hub that ends takes nobody in, and the next one may begin when it has ended",
    async () => {
      await using yard = new HubYard();
      const { hub } = await listening(yard);
      const { link } = await yard.reach();
      hub.stop();
      expect([existsSync(hub.socket), readKey(yard.place), readRecord(yard.place)?.socket]).toEqual(
        [false, undefined, undefined],
      );
      expect(await yard.tryToReach()).toBeUndefined();
      expect(await listenForClients(yard.place, echo)).toBeUndefined();
      link.close();
      hub[Symbol.dispose]();
      using next = (await listening(yard)).hub;
      expect(next.generation).toBe(hub.generation + 1);
    },
  );

  posixTest(
    "texts that the hub sends while it takes a client in come behind the admission",
    async () => {
      await using yard = new HubYard();
      const accept: Accept = (visitor, link) => {
        link.send(visitor.clientKey);
        return { onText: () => {}, onClosed: () => {} };
      };
      using _hub = (await listening(yard, accept)).hub;
      const { heard } = await yard.reach();
      await until(() => heard.length > 0);
      expect(heard).toEqual(["test-client"]);
    },
  );

  posixTest(
    "a client that the hub does not take in is told nothing, and waits for the next hub",
    async () => {
      await using yard = new HubYard();
      const { hub, warnings } = await listening(yard, () => undefined);
      expect(await yard.tryToReach()).toBeUndefined();
      hub[Symbol.dispose]();
      expect(warnings).toEqual([]);
    },
  );

  posixTest(
    "a hub whose lock was taken from it knows, and leaves the files of the next one alone",
    async () => {
      await using yard = new HubYard();
      const { hub } = await listening(yard);
      expect(hub.holdsLock()).toBe(true);
      const record = readRecord(yard.place);
      if (record !== undefined) abandonLock(yard.place, record);
      expect(hub.holdsLock()).toBe(false);
      using next = (await listening(yard)).hub;
      hub[Symbol.dispose]();
      expect([hub.holdsLock(), next.holdsLock()]).toEqual([false, true]);
      expect((await yard.reach()).generation).toBe(next.generation);
    },
  );
});

describe("a visitor without the key", () => {
  posixTest(
    "that says nothing is turned away after a while",
    async () => {
      await using yard = new HubYard();
      const { hub } = await listening(yard);
      const visitor = await RawVisitor.open(hub);
      const startedAt = performance.now();
      await until(() => visitor.isClosed);
      expect(visitor.refusal).toBe("its handshake took too long");
      expect(performance.now() - startedAt).toBeGreaterThan(handshakeMsMax - 100);
      hub[Symbol.dispose]();
    },
    20_000,
  );

  posixTest.each<[what: string, bytes: Uint8Array, refusal: string | undefined]>([
    ["a giant frame", Buffer.from([0, 0, 0, 0x7f]), undefined],
    ["more than a handshake has", frameOf("x".repeat(5000)) ?? new Uint8Array(), undefined],
    ["bytes that are no text", Buffer.from([1, 0, 0, 0, 0xff]), undefined],
    [
      "an invented proof",
      frameOf(JSON.stringify({ nonce: "a".repeat(64), proof: "b".repeat(64) })) ?? new Uint8Array(),
      "it does not know the key of this hub",
    ],
  ])("that sends %s is turned away", async (_, bytes, refusal) => {
    await using yard = new HubYard();
    using hub = (await listening(yard)).hub;
    const visitor = await RawVisitor.open(hub);
    visitor.send(bytes);
    await until(() => visitor.isClosed);
    expect(visitor.refusal).toBe(refusal);
  });

  posixTest("that sends half a frame and goes is forgotten", async () => {
    await using yard = new HubYard();
    using hub = (await listening(yard)).hub;
    const visitor = await RawVisitor.open(hub);
    visitor.send(Buffer.from([200, 0, 0, 0, 0x7b]));
    visitor.close();
    expect((await yard.reach()).pid).toBe(process.pid);
  });

  posixTest(
    "comes three hundred times at once: clients get in all the same, and the oldest go",
    async () => {
      await using yard = new HubYard();
      using hub = (await listening(yard)).hub;
      const opened = await Promise.all(
        Array.from({ length: 300 }, () => RawVisitor.open(hub).catch(() => undefined)),
      );
      const visitors = opened.filter((visitor) => visitor !== undefined);
      const client = await yard.reach();
      await until(() => visitors.filter(({ isClosed }) => !isClosed).length <= 128);
      expect(client.pid).toBe(process.pid);
      for (const visitor of visitors) visitor.close();
    },
  );
});
