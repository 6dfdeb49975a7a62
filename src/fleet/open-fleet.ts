import { secretLookMs } from "../base/limits.ts";
import { messageOf } from "../base/errors.ts";
import { Channels } from "./engine/channels.ts";
import { FleetKeys, parseFleetName, parseSharedUrl } from "./engine/shared-url.ts";
import { SharedEngine } from "./engine/shared-engine.ts";
import { StreamTail } from "./engine/stream-tail.ts";
import { FleetSecret } from "./engine/fleet-secret.ts";
import { Holders } from "./replicas/holders.ts";
import { Messages } from "./replicas/messages.ts";
import { Replica, type ReplicaClock } from "./replicas/replica.ts";

export interface FleetOptions {
  /** `SHARED_URL` as it is written. */
  readonly sharedUrl: string;
  readonly fleetName?: string | undefined;
  /** `FLEET_KEY`, read again now and then. */
  readonly readSecret: () => string | undefined;
  readonly warn: (message: string) => void;
  /** Tests bring their own. */
  readonly now?: ReplicaClock;
}

/** This process as a replica of a fleet, and its ways to the others. */
export interface Fleet extends AsyncDisposable {
  readonly engine: SharedEngine;
  readonly secret: FleetSecret;
  readonly replica: Replica;
  readonly messages: Messages;
  readonly holders: Holders;
  readonly channels: Channels;
  readonly tail: StreamTail;
}

/**
 * Connects to the engine and takes a lease.
 * @throws AppError "config" for settings that cannot be used, SharedEngineError when the engine cannot
 */
export async function openFleet(options: FleetOptions): Promise<Fleet> {
  const { sharedUrl, fleetName = "default", readSecret, warn, now } = options;
  const keys = new FleetKeys(parseFleetName(fleetName));
  const secret = new FleetSecret(readSecret);
  const engine = new SharedEngine(parseSharedUrl(sharedUrl), keys);
  try {
    await engine.start();
    const replica = await Replica.start({ engine, warn, ...(now === undefined ? {} : { now }) });
    return new OpenFleet(engine, secret, replica, warn);
  } catch (error) {
    engine[Symbol.dispose]();
    throw error;
  }
}

class OpenFleet implements Fleet {
  readonly messages: Messages;
  readonly holders: Holders;
  readonly channels: Channels;
  readonly tail: StreamTail;
  readonly #looking: ReturnType<typeof setInterval>;

  constructor(
    readonly engine: SharedEngine,
    readonly secret: FleetSecret,
    readonly replica: Replica,
    warn: (message: string) => void,
  ) {
    this.tail = new StreamTail(engine, warn);
    this.channels = new Channels(engine);
    this.holders = new Holders(engine, replica);
    this.messages = new Messages({ engine, replica, tail: this.tail, seal: secret, warn });
    this.#looking = setInterval(() => {
      try {
        secret.renew();
      } catch (error) {
        warn(`${messageOf(error)} The one from before is used.`);
      }
    }, secretLookMs).unref();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    clearInterval(this.#looking);
    this.messages[Symbol.dispose]();
    await this.replica[Symbol.asyncDispose]();
    this.tail[Symbol.dispose]();
    this.channels[Symbol.dispose]();
    this.engine[Symbol.dispose]();
  }
}
