import { describe, expect, test } from "bun:test";

import { ClientHandshake, newNonce } from "../../../src/hub/link/admission.ts";
import { Doorway } from "../../../src/hub/link/doorway.ts";
import { frameOf, FrameReader, linkFrameBytesMax } from "../../../src/hub/link/frames.ts";
import type { HubPurpose, LinkSocket, SocketLink } from "../../../src/hub/link/hub-link.ts";
import { type JudgedPeer, PeerJudge } from "../../../src/hub/link/judge-peer.ts";
import { until } from "../../commands/process/until.ts";

const key = newNonce();
const generation = 1;

/** Finds the processes that a test says have connected. */
class SaidPeers extends PeerJudge {
  pid = 0;
  isThere = true;

  override async judge(): Promise<JudgedPeer> {
    const { pid } = this;
    const isThere = (): boolean => this.isThere;
    return {
      pid,
      refusal: undefined,
      isThere,
      [Symbol.dispose]: () => {},
    };
  }
}

/** A client at a socket that is none: it knows the key. */
class Client implements LinkSocket {
  outcome = "none";
  link: SocketLink | undefined;
  readonly #frames = new FrameReader(linkFrameBytesMax);
  readonly #shake: ClientHandshake;

  constructor(clientPid: number, purpose: HubPurpose) {
    const expected = { key, generation, hubPid: process.pid, clientPid };
    this.#shake = new ClientHandshake(expected, { purpose, clientKey: "client-key" });
  }

  write(bytes: Uint8Array): number {
    this.#frames.push(bytes, (text) => {
      const step = this.#shake.take(text);
      if ("answer" in step) this.#answer(JSON.stringify(step.answer));
      else this.outcome = "refusal" in step ? step.refusal : "admitted";
      return true;
    });
    return bytes.length;
  }

  end(): void {
    this.link?.ended();
  }

  terminate(): void {}

  #answer(text: string): void {
    queueMicrotask(() => this.link?.push(frameOf(text) ?? new Uint8Array()));
  }
}

/** A doorway, and what becomes of a process that comes to it. */
function doorway() {
  const judge = new SaidPeers();
  const closed: string[] = [];
  const door = new Doorway({
    key,
    generation,
    judge,
    accept: () => ({ onText: () => {}, onClosed: (reason) => closed.push(reason) }),
    warn: () => {},
  });
  const come = async (pid: number, purpose: HubPurpose = "watch"): Promise<Client> => {
    judge.pid = pid;
    const client = new Client(pid, purpose);
    client.link = door.open(client);
    await until(() => client.outcome !== "none");
    return client;
  };
  return { door, judge, come, closed };
}

describe("Doorway", () => {
  test("the 65th process is refused; when one has left, the next is admitted", async () => {
    const { come } = doorway();
    const clients: Client[] = [];
    for (let pid = 1; pid <= 64; pid++) clients.push(await come(pid));
    expect(clients.filter(({ outcome }) => outcome === "admitted")).toHaveLength(64);
    expect((await come(65)).outcome).toBe("64 processes use this hub already");
    // One that is there already may come for another purpose.
    expect((await come(64)).outcome).toBe("admitted");
    clients[0]?.link?.ended();
    expect((await come(65)).outcome).toBe("admitted");
  });

  test("one process has eight connections at most", async () => {
    const { come } = doorway();
    for (let count = 0; count < 8; count++) expect((await come(1)).outcome).toBe("admitted");
    expect((await come(1)).outcome).toBe("it has 8 connections already");
    expect((await come(2)).outcome).toBe("admitted");
  });

  test("a process that ends before it is admitted is refused", async () => {
    const { come, judge } = doorway();
    judge.isThere = false;
    expect((await come(1)).outcome).toBe("the process that connected has ended");
  });

  test("closeAll() closes the links of all clients", async () => {
    const { come, door, closed } = doorway();
    await come(1);
    await come(2);
    door.closeAll();
    await until(() => closed.length === 2);
    expect(closed).toEqual(["closed by this side", "closed by this side"]);
  });
});
