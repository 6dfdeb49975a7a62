import { AppError } from "../../base/errors.ts";
import { callbackSlotsMax } from "../../base/limits.ts";

/** What a callback is set with. */
export interface CallbackSpec {
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

/** The eight slots of one client. Has no clock: callers pass the time. */
export class CallbackSlots {
  readonly #slots: (SetCallback | undefined)[] = Array.from({ length: callbackSlotsMax });
  #earliestMs = Infinity;

  /** By slot. */
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
