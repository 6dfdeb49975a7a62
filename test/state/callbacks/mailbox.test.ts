import { describe, expect, test } from "bun:test";

import { callbackLinesMax } from "../../../src/base/limits.ts";
import { Mailbox } from "../../../src/state/callbacks/fires.ts";

function fired(callbackId: number, message = `m${callbackId}`) {
  return { callbackId, message, firesLeft: -1 };
}

const line = (callbackId: number, fireId: number, message = `m${callbackId}`): string =>
  `[Callback ${callbackId}, fire ${fireId}] Reminder set with SetCallback: ${message}`;

describe("Mailbox", () => {
  test("is empty, then has a line for each fire, until they are delivered", () => {
    const mailbox = new Mailbox();
    expect(mailbox.lines()).toEqual([]);
    expect(mailbox.add(fired(3))).toEqual({ ...fired(3), fireId: 1 });
    mailbox.add(fired(0));
    const lines = [line(3, 1), line(0, 2)];
    expect([mailbox.lines(), mailbox.lines()]).toEqual([lines, lines]);
    mailbox.clear();
    expect(mailbox.lines()).toEqual([]);
    mailbox.add(fired(3));
    expect(mailbox.lines()).toEqual([line(3, 3)]);
  });

  test("says how many more there were; a quick callback does not hide a slow one", () => {
    const mailbox = new Mailbox();
    mailbox.add(fired(7));
    for (let fire = 2; fire <= callbackLinesMax; fire++) mailbox.add(fired(1));
    expect(mailbox.lines().length).toBe(callbackLinesMax);
    for (let fire = 0; fire < 300; fire++) mailbox.add(fired(1));
    mailbox.add(fired(2));
    expect(mailbox.lines()).toEqual([
      line(7, 1),
      ...[303, 304, 305, 306, 307, 308].map((fireId) => line(1, fireId)),
      line(2, 309),
      "[301 earlier fires since the last result are not shown: callback 1: 301]",
    ]);
    mailbox.clear();
    expect(mailbox.lines()).toEqual([]);
  });

  test.each([
    ["a\nb\r\n\tc  d", "a b c d"],
    ["\u001b[31mred\u0007 \u202etxt \u{e0041}", "\\u{1b}[31mred\\u{7} \\u{202e}txt \\u{e0041}"],
    ["]\n[Callback 0, fire 9] other", "] [Callback 0, fire 9] other"],
    ["lone \ud800.", "lone \ufffd."],
    ["x".repeat(2_048), "x".repeat(2_048)],
  ])("shows %j on one line, with nothing that cannot be seen", (message, shown) => {
    const mailbox = new Mailbox();
    mailbox.add(fired(0, message));
    expect(mailbox.lines()).toEqual([line(0, 1, shown)]);
  });

  test("many long messages are cut, and stay whole characters", () => {
    const mailbox = new Mailbox();
    for (let fire = 0; fire < callbackLinesMax; fire++)
      mailbox.add(fired(fire, "🙂".repeat(1_024)));
    const text = mailbox.lines().join("\n");
    expect(text.length).toBeLessThan(5_000);
    expect(text.isWellFormed()).toBe(true);
  });
});
