import { messageOf } from "../../base/errors.ts";
import { sharedInFlightMax, sharedReplyMsMax, sharedStartMsMax } from "../../base/limits.ts";
import { checkEngine, checkPermissions, isUnfit } from "./check-engine.ts";
import {
  EngineConnection,
  type EngineFaultReason,
  SharedEngineError,
} from "./engine-connection.ts";
import type { FleetKeys, SharedUrl } from "./shared-url.ts";

/** A reply of the engine, in the third version of its protocol. */
export type Reply =
  string | number | boolean | null | readonly Reply[] | { readonly [key: string]: Reply };

type Listener = () => void;

/**
 * Valkey or Redis, which all replicas of a fleet share. Each request has one second; what fails says so with the name of the
 * engine, and why (`SharedEngineError`). Nothing is sent twice: who asks knows whether that would be harmless.
 */
export class SharedEngine implements Disposable {
  readonly url: SharedUrl;
  readonly keys: FleetKeys;
  readonly #connection: EngineConnection;
  readonly #onReady = new Set<Listener>();
  readonly #onLost = new Set<Listener>();
  readonly #scripts = new Set<string>();
  #inFlight = 0;
  /** Why the engine that answers cannot be used. */
  #unfit: string | undefined;

  constructor(url: SharedUrl, keys: FleetKeys) {
    this.url = url;
    this.keys = keys;
    this.#connection = new EngineConnection({
      url,
      check: (client) => this.#check(client),
      onReady: () => notify(this.#onReady),
      onLost: () => notify(this.#onLost),
    });
  }

  /**
   * Waits until the engine answers, for the start of a replica.
   * @throws SharedEngineError "away", or "refused" for one that cannot be used as it is
   */
  async start(msMax: number = sharedStartMsMax): Promise<void> {
    const until = performance.now() + msMax;
    while (!this.isWell && this.#unfit === undefined && performance.now() < until)
      await Bun.sleep(10);
    try {
      const client = await this.#connection.ready(0);
      await checkPermissions(client, this.keys.of("probe"));
    } catch (error) {
      const unfit = this.#unfit ?? (isUnfit(error) ? error.message : undefined);
      if (unfit === undefined) throw error;
      throw this.#fault("refused", `cannot be used: ${unfit}`);
    }
  }

  /** The kind and address of the engine, for messages. */
  get label(): string {
    return this.url.label;
  }

  /** False while there is no connection: what needs the engine fails at once or within a second. */
  get isWell(): boolean {
    return this.#connection.client !== undefined;
  }

  /** Calls `listener` after each new connection, the first one too. Returns how to stop that. */
  onReady(listener: Listener): () => void {
    this.#onReady.add(listener);
    return () => this.#onReady.delete(listener);
  }

  /** Calls `listener` whenever the connection is lost. */
  onLost(listener: Listener): () => void {
    this.#onLost.add(listener);
    return () => this.#onLost.delete(listener);
  }

  /** Requests go out in the order of the calls, as long as there is a connection. @throws SharedEngineError */
  async request(command: string, ...args: readonly string[]): Promise<Reply> {
    const client = this.#connection.client ?? (await this.#connection.ready(sharedReplyMsMax));
    if (this.#inFlight >= sharedInFlightMax) {
      throw this.#fault("busy", "has too many requests under way: try again");
    }
    this.#inFlight += 1;
    try {
      return await this.#within(client, client.send(command, [...args]));
    } catch (error) {
      throw this.#faultOf(error, client);
    } finally {
      this.#inFlight -= 1;
    }
  }

  /** Has the engine know this script, now and after each new connection. Requests made after this find it. */
  prepare(script: string): void {
    if (this.#scripts.has(script)) return;
    this.#scripts.add(script);
    this.request("SCRIPT", "LOAD", script).catch(() => this.#scripts.delete(script));
  }

  /** Another connection to the same engine, for what blocks or listens. */
  connect(hooks: {
    readonly onReady: (client: Bun.RedisClient) => void;
    readonly onLost?: () => void;
  }): EngineConnection {
    return new EngineConnection({ url: this.url, check: checkEngine, ...hooks });
  }

  [Symbol.dispose](): void {
    this.#connection[Symbol.dispose]();
  }

  async #check(client: Bun.RedisClient): Promise<void> {
    try {
      await checkEngine(client);
      for (const script of this.#scripts) await client.send("SCRIPT", ["LOAD", script]);
      this.#unfit = undefined;
    } catch (error) {
      // A user without the right to look is as unfit as a wrong setting.
      const isDenied = messageOf(error).startsWith("NOPERM");
      this.#unfit = isUnfit(error) || isDenied ? messageOf(error) : undefined;
      throw error;
    }
  }

  /** Replies come in order: behind one that is late all others are. */
  #within(client: Bun.RedisClient, reply: Promise<Reply>): Promise<Reply> {
    return new Promise((resolve, reject) => {
      const timer = setTimeout(() => {
        reject(this.#fault("late", `did not answer within ${sharedReplyMsMax} ms`));
        if (this.#connection.client === client) this.#connection.drop("it does not answer");
      }, sharedReplyMsMax);
      const settle = (): void => clearTimeout(timer);
      reply.then(
        (value) => {
          settle();
          resolve(value);
        },
        (error: unknown) => {
          settle();
          reject(error);
        },
      );
    });
  }

  #faultOf(error: unknown, client: Bun.RedisClient): SharedEngineError {
    if (error instanceof SharedEngineError) return error;
    const text = messageOf(error);
    const [code = ""] = text.split(" ", 1);
    if (code === "OOM") return this.#fault("full", "has no memory left (maxmemory)");
    if (isDemoted.has(code)) {
      if (this.#connection.client === client)
        this.#connection.drop("it is not the primary any more");
      return this.#fault("away", `cannot be used now: ${text}`);
    }
    const isBroken = !/^[A-Z]+ /.test(text);
    return isBroken
      ? this.#fault("late", "closed the connection")
      : this.#fault("refused", `answered: ${text}`);
  }

  #fault(reason: EngineFaultReason, what: string): SharedEngineError {
    return new SharedEngineError(reason, `${this.label} ${what}.`);
  }
}

/** The first words of errors that a reconnection, or a later try, may cure. */
const isDemoted: ReadonlySet<string> = new Set(["READONLY", "LOADING", "MASTERDOWN", "MISCONF"]);

function notify(listeners: ReadonlySet<Listener>): void {
  for (const listener of listeners) listener();
}

/** A script that the engine runs as one step, called by its digest. Made once, when its file is loaded. */
export class Script {
  readonly #text: string;
  readonly #digest: string;

  /** @param text Lua; takes all its keys from KEYS */
  constructor(text: string) {
    this.#text = text;
    this.#digest = new Bun.CryptoHasher("sha1").update(text).digest("hex");
  }

  /** @throws SharedEngineError */
  run(
    engine: SharedEngine,
    keys: readonly string[],
    args: readonly (string | number)[],
  ): Promise<Reply> {
    // It goes out right before, over the same connection: requests keep their order.
    engine.prepare(this.#text);
    const rest = [String(keys.length), ...keys, ...args.map(String)];
    return engine.request("EVALSHA", this.#digest, ...rest);
  }
}
