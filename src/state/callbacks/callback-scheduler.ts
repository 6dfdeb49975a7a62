import { uptime } from "node:os";

import type { Timer } from "../../base/cancellation.ts";
import { AppError } from "../../base/errors.ts";
import {
  callbackFiresPerTurnMax,
  callbackSlotsMax,
  sleepNoticeMs,
  timerStepMsMax,
  uptimeStepMs,
} from "../../base/limits.ts";

export interface SchedulerParts {
  /** Milliseconds that have passed, sleep included. */
  readonly now: () => number;
  readonly startTimer: (delayMs: number, fire: () => void) => Timer;
  /** True while a tool call of the client is running. */
  readonly isBusy: (clientId: string) => boolean;
  /** A callback has fired; `firesLeft` 0 = that was its last. May set and cancel callbacks. */
  readonly onFire: (clientId: string, callback: SetCallback) => void;
}

/**
 * Fires the callbacks of all clients: only while no tool call of the client is running; one that came due during a call
 * fires a full delay after it. One timer serves all of them; without callbacks no timer runs.
 */
export class CallbackScheduler implements Disposable {
  readonly #parts: SchedulerParts;
  readonly #clients = new Map<string, CallbackSlots>();
  /** The clients that have callbacks. */
  readonly clients: { has(clientId: string): boolean } = this.#clients;
  #timer: Timer | undefined;
  /** When the timer is to find something due. */
  #armedForMs = Infinity;

  constructor(parts: SchedulerParts) {
    this.#parts = parts;
  }

  /** @throws AppError `limit` */
  set(clientId: string, spec: CallbackSpec): SetCallback {
    const slots = this.#clients.get(clientId) ?? new CallbackSlots();
    const callback = slots.set(spec, this.#parts.now());
    this.#clients.set(clientId, slots);
    this.#arm(callback.deadlineMs);
    return callback;
  }

  /** The callbacks of a client, by slot; a deadline is milliseconds from now, 0 when it is due and waits for the end of a call. */
  list(clientId: string): readonly (SetCallback & { readonly nextFireMs: number })[] {
    const slots = this.#clients.get(clientId);
    if (slots === undefined) return [];
    const now = this.#parts.now();
    return slots
      .list()
      .map((slot) => ({ ...slot, nextFireMs: Math.max(0, Math.ceil(slot.deadlineMs - now)) }));
  }

  /** Takes over the slots that another process had; `nextFireMs` is from now on. Nothing for a client that has some. */
  restore(clientId: string, callbacks: readonly SavedCallback[]): void {
    if (this.#clients.has(clientId) || callbacks.length === 0) return;
    const now = this.#parts.now();
    const slots = new CallbackSlots();
    for (const callback of callbacks) {
      slots.restore({ ...callback, deadlineMs: now + callback.nextFireMs });
    }
    this.#clients.set(clientId, slots);
    this.#arm(slots.earliestMs);
  }

  /** Cancels one callback; `null` = all, even if there are none. @returns the cancelled ones @throws AppError `not_found` */
  cancel(clientId: string, callbackId: number | null): readonly SetCallback[] {
    const slots = this.#clients.get(clientId) ?? new CallbackSlots();
    const ids = callbackId === null ? slots.list().map((slot) => slot.callbackId) : [callbackId];
    const cancelled = ids.map((id) => slots.cancel(id));
    this.#forgetIfEmpty(clientId, slots);
    return cancelled;
  }

  /** No tool call of the client is running any more. */
  callsEnded(clientId: string): void {
    const slots = this.#clients.get(clientId);
    if (slots === undefined) return;
    slots.rebase(this.#parts.now());
    this.#arm(slots.earliestMs);
  }

  /** The client is gone, and its callbacks with it. */
  endClient(clientId: string): void {
    const slots = this.#clients.get(clientId);
    if (slots !== undefined) this.cancel(clientId, null);
  }

  [Symbol.dispose](): void {
    for (const clientId of this.#clients.keys()) this.endClient(clientId);
  }

  #forgetIfEmpty(clientId: string, slots: CallbackSlots): void {
    if (slots.earliestMs !== Infinity) return;
    this.#clients.delete(clientId);
    if (this.#clients.size > 0) return;
    this.#timer?.stop();
    this.#timer = undefined;
    this.#armedForMs = Infinity;
  }

  /** In steps: a timer pauses while the machine sleeps, so a step bounds how late it is afterwards. */
  #arm(deadlineMs: number): void {
    if (deadlineMs >= this.#armedForMs) return;
    this.#timer?.stop();
    this.#armedForMs = deadlineMs;
    const leftMs = Math.max(0, deadlineMs - this.#parts.now());
    this.#timer = this.#parts.startTimer(Math.min(leftMs, timerStepMsMax), () => this.#look());
  }

  #look(): void {
    this.#timer = undefined;
    this.#armedForMs = Infinity;
    const now = this.#parts.now();
    let room = callbackFiresPerTurnMax;
    for (const [clientId, slots] of this.#clients) {
      if (slots.earliestMs > now) continue;
      room -= this.#fireDue(clientId, slots, now, room);
      // The rest in the next turn.
      if (room === 0) return this.#arm(now);
    }
    for (const [clientId, slots] of this.#clients) {
      if (!this.#parts.isBusy(clientId)) this.#arm(slots.earliestMs);
    }
  }

  /** Returns how many fired. Each is looked up again: a listener may have cancelled it. */
  #fireDue(clientId: string, slots: CallbackSlots, now: number, room: number): number {
    let fired = 0;
    while (fired < room && !this.#parts.isBusy(clientId)) {
      const callback = slots.takeDue(now);
      if (callback === undefined) break;
      fired += 1;
      // To the end of the line: when there are more fires than time, none is postponed forever.
      this.#clients.delete(clientId);
      this.#clients.set(clientId, slots);
      this.#forgetIfEmpty(clientId, slots);
      this.#parts.onFire(clientId, callback);
    }
    return fired;
  }
}

/** The parameters of a new callback. */
interface CallbackSpec {
  readonly message: string;
  readonly delaySeconds: number;
  /** -1 = forever. */
  readonly repeatCount: number;
}

/** A callback in its slot. Times are those of the scheduler's clock, in milliseconds. */
export interface SetCallback {
  readonly callbackId: number;
  readonly message: string;
  readonly delaySeconds: number;
  /** -1 = forever; 0 once the last fire is out. */
  readonly firesLeft: number;
  readonly deadlineMs: number;
}

/** A callback as it is kept for another process. */
export type SavedCallback = Omit<SetCallback, "deadlineMs"> & { readonly nextFireMs: number };

/** The eight slots of one client. Has no clock: callers pass the time. */
class CallbackSlots {
  readonly #slots: (SetCallback | undefined)[] = Array.from({ length: callbackSlotsMax });
  #earliestMs = Infinity;

  /** The callbacks, by slot. */
  list(): readonly SetCallback[] {
    return this.#slots.filter((slot) => slot !== undefined);
  }

  /** The time of the next fire; Infinity without one. Remembered, because it is needed for all clients. */
  get earliestMs(): number {
    return this.#earliestMs;
  }

  /** @throws AppError `limit` when all slots are full */
  set({ message, delaySeconds, repeatCount }: CallbackSpec, nowMs: number): SetCallback {
    const callbackId = this.#slots.indexOf(undefined);
    if (callbackId === -1) {
      throw new AppError("limit", `Error: all callback slots full (max ${callbackSlotsMax})`);
    }
    const deadlineMs = nowMs + delaySeconds * 1_000;
    const callback = { callbackId, message, delaySeconds, firesLeft: repeatCount, deadlineMs };
    this.#put(callbackId, callback);
    return callback;
  }

  restore(callback: SetCallback): void {
    if (callback.callbackId in this.#slots) this.#put(callback.callbackId, callback);
  }

  /** @throws AppError `not_found` when the slot is empty */
  cancel(callbackId: number): SetCallback {
    const callback = this.#slots[callbackId];
    if (callback === undefined) throw new AppError("not_found", this.#emptySlotText(callbackId));
    this.#put(callbackId, undefined);
    return callback;
  }

  /** Undefined when none is due. A full delay follows every fire, however late it was: no bursts after a sleep. */
  takeDue(nowMs: number): SetCallback | undefined {
    const due = this.#earliest();
    if (due === undefined || due.deadlineMs > nowMs) return undefined;
    const firesLeft = due.firesLeft === -1 ? -1 : due.firesLeft - 1;
    const fired = { ...due, firesLeft, deadlineMs: nowMs + due.delaySeconds * 1_000 };
    this.#put(due.callbackId, firesLeft === 0 ? undefined : fired);
    return fired;
  }

  /** Every callback that is due waits for a full delay again. */
  rebase(nowMs: number): void {
    for (const [callbackId, slot] of this.#slots.entries()) {
      if (slot === undefined || slot.deadlineMs > nowMs) continue;
      this.#put(callbackId, { ...slot, deadlineMs: nowMs + slot.delaySeconds * 1_000 });
    }
  }

  #put(callbackId: number, callback: SetCallback | undefined): void {
    this.#slots[callbackId] = callback;
    this.#earliestMs = this.#earliest()?.deadlineMs ?? Infinity;
  }

  #earliest(): SetCallback | undefined {
    let earliest: SetCallback | undefined;
    for (const slot of this.#slots) {
      if (slot === undefined) continue;
      if (earliest === undefined || slot.deadlineMs < earliest.deadlineMs) earliest = slot;
    }
    return earliest;
  }

  #emptySlotText(callbackId: number): string {
    const used = this.list().map((slot) => slot.callbackId);
    const rest = used.length === 0 ? "None is set." : `In use: ${used.join(", ")}.`;
    return `No callback has the id ${callbackId}. ${rest}`;
  }
}

/** Where the time comes from; tests bring their own. */
export interface TimeSources {
  /** Never goes back; pauses while the machine sleeps (Linux, macOS). */
  readonly monotonicMs: () => number;
  /** Since the machine was started, its sleep included, in whole seconds. */
  readonly uptimeMs: () => number;
}

/**
 * Time that has passed, sleep of the machine included. The time of day is not looked at: setting the clock, forward or
 * back, changes nothing. After sleeps it may lag by up to three seconds, and is never ahead.
 */
export class ElapsedClock {
  readonly #sources: TimeSources;
  readonly #startedApartMs: number;
  #sleptMs = 0;

  constructor(sources: TimeSources = machineTime) {
    this.#sources = sources;
    this.#startedApartMs = sources.uptimeMs() - sources.monotonicMs();
  }

  /** Milliseconds since some fixed moment. */
  readonly now = (): number => {
    const { monotonicMs, uptimeMs } = this.#sources;
    const awakeMs = monotonicMs();
    const apartMs = uptimeMs() - awakeMs - this.#startedApartMs - this.#sleptMs;
    if (apartMs > sleepNoticeMs) this.#sleptMs += apartMs - uptimeStepMs;
    return awakeMs + this.#sleptMs;
  };
}

const machineTime: TimeSources = {
  monotonicMs: () => performance.now(),
  uptimeMs: () => {
    try {
      return uptime() * 1_000;
    } catch {
      // Some sandboxes hide it. Then sleep is not included, and nothing else is lost.
      return performance.now();
    }
  },
};
