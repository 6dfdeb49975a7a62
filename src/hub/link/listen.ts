import { chmodSync, rmSync } from "node:fs";
import { dirname } from "node:path";

import { messageOf, systemCodeOf } from "../../base/errors.ts";
import { product } from "../../base/product.ts";
import { lookAtProcesses } from "../../commands/process/process-origin.ts";
import { ensureRunFolder } from "../../interact/attach/run-folder.ts";
import { Doorway, type DoorwayParts } from "./doorway.ts";
import { ensureHubFolder, HubFault, type HubPlace, noHubOnWindows, trimLog } from "./hub-place.ts";
import type { HubLink, HubLinkHandlers, HubVisitor, SocketLink } from "./hub-link.ts";
import { HubLock } from "./hub-lock.ts";
import { PeerJudge, signOfCommand, withoutServers } from "./judge-peer.ts";
import { sweepPlaces } from "./find-hubs.ts";
import { makeKey } from "./admission.ts";

/**
 * Takes in a client that has been admitted. Undefined: the hub ends and takes in nobody; the client waits for the next one.
 * The link sends nothing before this has returned.
 */
export type Accept = (visitor: HubVisitor, link: HubLink) => HubLinkHandlers | undefined;

/** Knowledge of the system, and the place of warnings. */
export interface ListenOptions {
  readonly judge?: PeerJudge;
  /** Lines for the hub's log: refused connections. */
  readonly warn?: (line: string) => void;
}

/** The hub of a place, as its clients see it: it holds the lock and listens. */
export class HubListener implements Disposable {
  readonly #place: HubPlace;
  readonly #lock: HubLock;
  readonly #doorway: Doorway;
  readonly #listening: Listening;
  readonly #care: ReturnType<typeof setInterval>;
  #isListening = true;

  /** Use `listenForClients`. */
  constructor(place: HubPlace, lock: HubLock, doorway: Doorway, listening: Listening) {
    this.#place = place;
    this.#lock = lock;
    this.#doorway = doorway;
    this.#listening = listening;
    this.#care = setInterval(() => this.#lookAfter(), careMs);
    this.#care.unref();
  }

  get generation(): number {
    return this.#lock.record.generation;
  }

  get socket(): string {
    return this.#listening.path;
  }

  /** False for a hub that was given up while it was stopped or asleep: it ends all that it owns, and itself. */
  holdsLock(): boolean {
    return this.#lock.holds();
  }

  /** Takes in nobody any more, and stays the hub of its place: who comes now waits for its end. Links stay open. */
  stop(): void {
    if (!this.#isListening) return;
    this.#isListening = false;
    this.#listening.server.stop(false);
    rmSync(this.#listening.path, { force: true });
    // Another hub may have taken over: the other files are its.
    if (!this.#lock.holds()) return;
    rmSync(this.#place.keyFile, { force: true });
    this.#lock.tell(undefined);
  }

  /** A file that cannot be looked after now can be the next time. */
  #lookAfter(): void {
    try {
      trimLog(this.#place);
      this.#lock.touch();
    } catch {
      // The disk may be full.
    }
  }

  /** Closes all links and lets the next hub begin: the last step of a hub, after all that it owned has ended. */
  [Symbol.dispose](): void {
    this.stop();
    clearInterval(this.#care);
    this.#doorway.closeAll();
    this.#listening.server.stop(true);
    this.#lock[Symbol.dispose]();
  }
}

/** A process that looks whether the lock is held has it for a moment. */
const lockTries = { count: 4, everyMs: 10 } as const;

async function takeLock(place: HubPlace): Promise<HubLock | undefined> {
  for (let count = 1; ; count++) {
    const lock = HubLock.take(place, product.version);
    if (lock !== undefined || count >= lockTries.count) return lock;
    await Bun.sleep(lockTries.everyMs);
  }
}

/** How often a hub looks after its files. */
const careMs = 10 * 60 * 1000;

/**
 * Makes this process the hub of a place. Undefined when another process is.
 * @throws HubFault when it cannot be: no folder, no lock, no socket
 */
export async function listenForClients(
  place: HubPlace,
  accept: Accept,
  { judge = new PeerJudge(), warn = () => {} }: ListenOptions = {},
): Promise<HubListener | undefined> {
  if (process.platform === "win32") throw new HubFault(noHubOnWindows);
  const sign = signOfCommand(process.pid, withoutServers(await lookAtProcesses()));
  // No client would believe it.
  if (sign !== undefined) throw new HubFault(`this process cannot be the hub: ${sign}`);
  await ensureHubFolder(place);
  const lock = await takeLock(place);
  if (lock === undefined) return undefined;
  try {
    const { generation } = lock.record;
    const parts: DoorwayParts = { key: makeKey(place), generation, judge, accept, warn };
    const doorway = new Doorway(parts);
    const listening = await listenAtPlace(place, generation, doorway);
    const listener = new HubListener(place, lock, doorway, listening);
    try {
      lock.tell(listening.path);
    } catch (error) {
      listening.server.stop(true);
      throw error;
    }
    sweepPlaces(place);
    return listener;
  } catch (error) {
    lock[Symbol.dispose]();
    throw error instanceof HubFault ? error : new HubFault(messageOf(error), { cause: error });
  }
}

/** A socket that is listened at. */
interface Listening {
  readonly server: Bun.UnixSocketListener<SocketLink | undefined>;
  readonly path: string;
}

/** Listens at the first of a place's sockets where that is possible. The caller holds the lock of the place. */
async function listenAtPlace(
  place: HubPlace,
  generation: number,
  doorway: Doorway,
): Promise<Listening> {
  const failures: string[] = [];
  // Left by the hub before, if that was killed.
  for (const path of place.sockets(generation - 1)) rmSync(path, { force: true });
  for (const path of place.sockets(generation)) {
    try {
      await ensureRunFolder(dirname(path));
      rmSync(path, { force: true });
      const server = listenAt(path, doorway);
      chmodSync(path, 0o600);
      return { server, path };
    } catch (error) {
      failures.push(`${path}: ${systemCodeOf(error) ?? messageOf(error)}`);
    }
  }
  const reason = failures.length === 0 ? "all paths are too long" : failures.join("; ");
  throw new HubFault(`no socket to listen at (${reason})`);
}

function listenAt(path: string, doorway: Doorway): Listening["server"] {
  const ended = ({ data }: Bun.Socket<SocketLink | undefined>): void => data?.ended();
  return Bun.listen<SocketLink | undefined>({
    unix: path,
    data: undefined,
    socket: {
      open(socket) {
        socket.data = doorway.open(socket);
      },
      data: ({ data }, chunk) => data?.push(chunk),
      drain: ({ data }) => data?.drain(),
      close: ended,
      error: ({ data }, error) => data?.ended(messageOf(error)),
    },
  });
}
