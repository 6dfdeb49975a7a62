import { Cancellation, startTimer, type Timer } from "../../base/cancellation.ts";
import { AppError, failureOf, type Failure } from "../../base/errors.ts";
import { Flood } from "../../base/flood.ts";
import {
  auditRefusalWindowMs,
  inboxMessagesMax,
  inboxMs,
  replicaMessageCharsMax,
  replicaRequestsMax,
} from "../../base/limits.ts";
import { isObject, jsonOrNothing } from "../../base/values.ts";
import type { FleetSeal } from "../engine/fleet-secret.ts";
import { Script, type SharedEngine } from "../engine/shared-engine.ts";
import type { StreamTail, TailEntry } from "../engine/stream-tail.ts";
import { liveFunction, type Replica } from "./replica.ts";

/** KEYS: replicas, clock, the inbox. ARGV: whose it is, entries at most, ms that it is kept, the message. */
const sendScript = new Script(`${liveFunction}
if not live(ARGV[1]) then return 'gone' end
if redis.call('XLEN', KEYS[3]) >= tonumber(ARGV[2]) then return 'full' end
redis.call('XADD', KEYS[3], '*', 'm', ARGV[4])
redis.call('PEXPIRE', KEYS[3], ARGV[3])
return 'sent'
`);

/** Replicas whose last message is remembered: more than a fleet has, with those that are gone. */
const rememberedReplicasMax = 1_000;
/** Messages of others than replicas that are warned of one by one in a window: with access to the engine there can be any number. */
const forgedWarningsMax = 3;
const forgedText =
  "a message in the shared engine was not written by a replica of this fleet, or FLEET_KEY differs: it is ignored";
/** From reading a message to removing it from the engine. */
const trimMs = 20;

/** How a message came. */
export interface Received {
  /** The id of the replica that sent it. */
  readonly from: string;
  /** Milliseconds until nobody waits for the answer; infinite for a notification. */
  readonly msLeft: number;
  /** Cancelled when the sender wants the answer no more, or its time is over. */
  readonly cancellation: Cancellation;
}

/** Answers requests of a kind; the answer is JSON. An error that it throws reaches the sender as a failure. */
export type MessageHandler = (body: unknown, received: Received) => Promise<unknown>;

export interface SendOptions {
  /** The answer is there by then, or the request fails; one that is read later is not run. */
  readonly msMax: number;
  readonly cancellation?: Cancellation;
}

interface Waiting {
  readonly to: string;
  readonly timer: Timer;
  readonly resolve: (body: unknown) => void;
  readonly reject: (error: unknown) => void;
}

/** A message as it is written. `at` and `until` are in the time of the engine. */
interface Letter {
  readonly from: string;
  readonly kind: string;
  readonly body?: unknown;
  /** Counts the messages of this replica: a number that was read is not read again. */
  readonly number: number;
  /** For a request, which is answered under its number. */
  readonly until?: number;
  /** The number of the request that this answers. */
  readonly answers?: number;
  readonly failure?: Failure;
}

export interface MessagesParts {
  readonly engine: SharedEngine;
  readonly replica: Replica;
  readonly tail: StreamTail;
  /** Access to the engine alone must not let anybody have a replica do something. */
  readonly seal: FleetSeal;
  readonly warn: (message: string) => void;
}

/**
 * Messages between the replicas of a fleet: each has one stream in the engine that others write and it alone reads. A message
 * is handled at most once; a request that has waited for too long is not run; one for a replica that is gone fails at
 * once. The messages from one replica to another arrive in the order in which they were sent.
 */
export class Messages implements Disposable {
  readonly #parts: MessagesParts;
  readonly #handlers = new Map<string, MessageHandler>();
  readonly #waiting = new Map<number, Waiting>();
  /** Requests of others that run here, by their replica and number. */
  readonly #running = new Map<string, Cancellation>();
  readonly #stops: (() => void)[] = [];
  readonly #forged: Flood;
  /** The number of the last message of each replica, the one that was silent for longest first. */
  readonly #seen = new Map<string, number>();
  #lastNumber = 0;
  /** The last entry that was read and is not trimmed yet. */
  #readTo: string | undefined;
  #inbox = "";

  constructor(parts: MessagesParts) {
    this.#parts = parts;
    const { replica, warn } = parts;
    this.#forged = new Flood({
      max: forgedWarningsMax,
      windowMs: auditRefusalWindowMs,
      onMore: (count) => warn(`${forgedText} (${count} times more)`),
    });
    this.#open();
    this.#stops.push(
      replica.onNewPlace(() => this.#open()),
      replica.onGone((id) => this.#loseReplica(id)),
      replica.onFence(() => this.#cancelRunning()),
    );
    this.handle("cancel", async (body, { from }) => {
      this.#running.get(`${from} ${String(body)}`)?.cancel();
    });
  }

  /** Handles messages of this kind from now on. Returns how to stop. */
  handle(kind: string, handler: MessageHandler): () => void {
    this.#handlers.set(kind, handler);
    return () => void this.#handlers.delete(kind);
  }

  /**
   * The answer of replica `to`, as JSON gives it back.
   * @throws SharedEngineError; AppError "system" when the replica is gone, "limit" when it has too much to do, "cancelled"
   *   when the answer did not come in time or nobody wants it any more, or the failure of the handler
   */
  request(to: string, kind: string, body: unknown, options: SendOptions): Promise<unknown> {
    const { replica } = this.#parts;
    const { msMax, cancellation } = options;
    const number = this.#nextNumber();
    const until = replica.engineNow() + msMax;
    return new Promise((resolve, reject) => {
      const late = `The replica ${to} did not answer within ${msMax} ms.`;
      const timer = startTimer(msMax, () => this.#giveUp(number, late));
      this.#waiting.set(number, { to, timer, resolve, reject });
      cancellation?.onCancel(() => this.#giveUp(number, "The call was cancelled."));
      this.#send(to, { from: replica.id, kind, body, number, until }).catch((error: unknown) => {
        this.#take(number)?.reject(error);
      });
    });
  }

  /** Resolves when the message is in the stream of `to`. @throws as `request`, but for what its handler does */
  async notify(to: string, kind: string, body: unknown): Promise<void> {
    await this.#send(to, { from: this.#parts.replica.id, kind, body, number: this.#nextNumber() });
  }

  [Symbol.dispose](): void {
    for (const stop of this.#stops.splice(0)) stop();
    this.#forged[Symbol.dispose]();
    this.#cancelRunning();
    for (const number of this.#waiting.keys()) {
      this.#take(number)?.reject(new AppError("cancelled", "The server is shutting down."));
    }
    this.#parts.tail.forget(this.#inbox);
  }

  /** A new id has a new inbox: what was sent to the old one is not read any more. */
  #open(): void {
    const { tail, replica } = this.#parts;
    if (this.#inbox !== "") tail.forget(this.#inbox);
    this.#inbox = this.#inboxOf(replica.id);
    tail.follow(this.#inbox, "0", (entry) => this.#receive(entry));
  }

  #nextNumber(): number {
    this.#lastNumber += 1;
    return this.#lastNumber;
  }

  #inboxOf(id: string): string {
    return this.#parts.engine.keys.of("inbox", id);
  }

  async #send(to: string, letter: Letter): Promise<void> {
    const { engine, replica, seal } = this.#parts;
    const text = JSON.stringify(letter);
    if (text.length > replicaMessageCharsMax) {
      const what = `has ${text.length} characters, of ${replicaMessageCharsMax} at most`;
      throw new AppError("limit", `A message to another replica ${what}.`);
    }
    const inbox = this.#inboxOf(to);
    // Signed for this one stream, of this fleet and this replica.
    const signed = seal.sign(text, inbox);
    const keys = [...replica.liveKeys, inbox];
    const outcome = await sendScript.run(engine, keys, [to, inboxMessagesMax, inboxMs, signed]);
    if (outcome === "gone") throw new ReplicaGoneError(to);
    if (outcome === "full") throw new AppError("limit", `The replica ${to} has too much to do.`);
  }

  #receive({ id, fields }: TailEntry): void {
    this.#trimLater(id);
    const text = this.#parts.seal.verified(fields.get("m") ?? "", this.#inbox);
    const letter = readLetter(text);
    if (letter === undefined) {
      if (this.#forged.take()) this.#parts.warn(forgedText);
      return;
    }
    if (!this.#isNext(letter)) return;
    if (letter.answers !== undefined) return this.#settle(letter, letter.answers);
    void this.#run(letter);
  }

  /** False for a message that was read before: numbers of one replica only grow. */
  #isNext({ from, number }: Letter): boolean {
    const isNext = number > (this.#seen.get(from) ?? 0);
    if (!isNext) return false;
    this.#seen.delete(from);
    this.#seen.set(from, number);
    const [oldest] = this.#seen.keys();
    if (this.#seen.size > rememberedReplicasMax && oldest !== undefined) this.#seen.delete(oldest);
    return true;
  }

  /** Read messages are removed soon, all that came meanwhile in one step. */
  #trimLater(id: string): void {
    const isDue = this.#readTo !== undefined;
    this.#readTo = id;
    if (isDue) return;
    const timer = setTimeout(() => {
      const after = idAfter(this.#readTo ?? id);
      this.#readTo = undefined;
      this.#parts.engine.request("XTRIM", this.#inbox, "MINID", after).catch(() => {});
    }, trimMs);
    timer.unref();
  }

  #settle({ body, failure }: Letter, number: number): void {
    const waiting = this.#take(number);
    if (failure === undefined) waiting?.resolve(body);
    else waiting?.reject(new AppError(failure.code, failure.message));
  }

  async #run(letter: Letter): Promise<void> {
    const { replica } = this.#parts;
    const { from, kind, body, number, until = Number.POSITIVE_INFINITY } = letter;
    const msLeft = until - replica.engineNow();
    if (msLeft <= 0 || replica.isFenced) return;
    const isRequest = letter.until !== undefined;
    const cancellation = new Cancellation();
    const key = `${from} ${number}`;
    const timer = isRequest ? startTimer(msLeft, () => cancellation.cancel()) : undefined;
    if (isRequest) this.#running.set(key, cancellation);
    let answer: Pick<Letter, "body" | "failure">;
    try {
      answer = { body: await this.#handle(kind, body, { from, msLeft, cancellation }) };
    } catch (error) {
      answer = { failure: failureOf(error) };
    }
    timer?.stop();
    this.#running.delete(key);
    if (!isRequest || cancellation.isCancelled) return;
    await this.#answer(from, number, answer);
  }

  async #handle(kind: string, body: unknown, received: Received): Promise<unknown> {
    const handler = this.#handlers.get(kind);
    // Two versions of the program run side by side during an update.
    if (handler === undefined)
      throw new AppError("unsupported", `This replica does not know messages of kind ${kind}.`);
    if (this.#running.size > replicaRequestsMax)
      throw new AppError("limit", "This replica runs too many requests of others.");
    return handler(body, received);
  }

  async #answer(
    to: string,
    answers: number,
    answer: Pick<Letter, "body" | "failure">,
  ): Promise<void> {
    const from = this.#parts.replica.id;
    try {
      const number = this.#nextNumber();
      await this.#send(to, { from, kind: "answer", number, answers, ...answer });
    } catch (error) {
      // An answer that is too long can be reported; without an engine nothing can be.
      if (!(error instanceof AppError) || error.code !== "limit" || answer.failure !== undefined)
        return;
      await this.#answer(to, answers, { failure: failureOf(error) });
    }
  }

  #giveUp(number: number, message: string): void {
    const waiting = this.#take(number);
    if (waiting === undefined) return;
    waiting.reject(new AppError("cancelled", message));
    this.notify(waiting.to, "cancel", number).catch(() => {});
  }

  #loseReplica(id: string): void {
    for (const [number, { to }] of this.#waiting) {
      if (to === id) this.#take(number)?.reject(new ReplicaGoneError(id));
    }
    for (const [key, cancellation] of this.#running) {
      if (key.startsWith(`${id} `)) cancellation.cancel();
    }
  }

  #cancelRunning(): void {
    for (const cancellation of this.#running.values()) cancellation.cancel();
  }

  #take(number: number): Waiting | undefined {
    const waiting = this.#waiting.get(number);
    this.#waiting.delete(number);
    waiting?.timer.stop();
    return waiting;
  }
}

/** The smallest id above that of an entry. */
function idAfter(id: string): string {
  const [ms = "0", sequence = "0"] = id.split("-");
  return `${ms}-${BigInt(sequence) + 1n}`;
}

/** The lease of the replica to which a message went has ended. */
export class ReplicaGoneError extends AppError {
  constructor(id: string) {
    super("system", `The replica ${id} is gone.`);
  }
}

/** Undefined for text that no replica writes: others who may write to the engine can put anything there. */
function readLetter(text: string | undefined): Letter | undefined {
  if (text === undefined || text.length > replicaMessageCharsMax) return undefined;
  const value = jsonOrNothing(text);
  if (!isObject(value) || typeof value.from !== "string" || typeof value.kind !== "string")
    return undefined;
  if (!Number.isSafeInteger(value.number)) return undefined;
  if (value.answers !== undefined && !Number.isSafeInteger(value.answers)) return undefined;
  if (value.until !== undefined && typeof value.until !== "number") return undefined;
  const { failure } = value;
  if (failure !== undefined && !(isObject(failure) && typeof failure.message === "string"))
    return undefined;
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- its members were looked at above; `body` stays unknown
  return value as unknown as Letter;
}
