import { expect, test } from "bun:test";

import { assertNotAborted, Cancellation, signalOf } from "../../src/base/cancellation.ts";

test("Cancellation calls each listener once, late ones at once, and none that was taken back", () => {
  const cancellation = new Cancellation();
  const calls: string[] = [];
  const takenBack = (): void => void calls.push("taken back");
  const twice = (): void => void calls.push("twice");
  cancellation.onCancel(() => calls.push("first"));
  cancellation.onCancel(twice);
  cancellation.onCancel(twice);
  cancellation.onCancel(takenBack);
  cancellation.offCancel(takenBack);
  expect(() => assertNotAborted(cancellation)).not.toThrow();
  cancellation.cancel();
  cancellation.cancel();
  cancellation.onCancel(() => calls.push("late"));
  expect([calls, cancellation.isCancelled]).toEqual([["first", "twice", "late"], true]);
  expect(() => assertNotAborted(cancellation)).toThrow("The call was cancelled.");
});

test("Cancellation.following() is cancelled with its signal, before and after", () => {
  const controller = new AbortController();
  const follower = Cancellation.following(controller.signal);
  expect(follower.isCancelled).toBe(false);
  controller.abort();
  expect([follower.isCancelled, Cancellation.following(controller.signal).isCancelled]).toEqual([
    true,
    true,
  ]);
});

test("a Cancellation is an Abortable, whose signal is aborted with it", () => {
  const cancellation = new Cancellation();
  const heard: string[] = [];
  const forgotten = (): void => void heard.push("forgotten");
  const before = signalOf(cancellation);
  cancellation.addEventListener("abort", () => void heard.push("abort"));
  cancellation.addEventListener("abort", forgotten);
  cancellation.removeEventListener("abort", forgotten);
  expect([cancellation.aborted, before.aborted]).toEqual([false, false]);
  cancellation.cancel();
  expect([cancellation.aborted, before.aborted, signalOf(cancellation).aborted]).toEqual([
    true,
    true,
    true,
  ]);
  expect(heard).toEqual(["abort"]);
  expect(signalOf(before)).toBe(before);
});
