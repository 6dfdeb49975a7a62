import { afterEach, beforeEach, describe, expect, test } from "bun:test";
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { newResultId } from "../../../src/base/digests.ts";
import {
  readSavedFile,
  readSavedPage,
  SavedOutputs,
} from "../../../src/commands/background/saved-outputs.ts";

let root = "";
beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), "scorpiox-saved-text-"));
});
afterEach(() => rmSync(root, { recursive: true }));

const lines = (count: number): string => Array.from({ length: count }, (_, n) => `${n}\n`).join("");

describe("readSavedFile()", () => {
  test.each([
    ["", 10],
    ["0\n1\n2\n3\n4\n", 10],
    ["ünïcode €", 100],
  ])("gives %j as a whole within %d bytes", async (text, bytesMax) => {
    writeFileSync(join(root, "a"), text);
    expect(await readSavedFile(join(root, "a"), bytesMax)).toEqual({
      kind: "whole",
      text,
      pages: 1,
    });
  });

  test("gives whole lines of the two ends of more, and counts the rest", async () => {
    const text = lines(1000);
    writeFileSync(join(root, "a"), text);
    const read = await readSavedFile(join(root, "a"), 100);
    if (read?.kind !== "cut") throw new Error("it is not cut");
    const { head, tail, omittedBytes } = read;
    expect([text.startsWith(head), text.endsWith(tail)]).toEqual([true, true]);
    expect([head.endsWith("\n"), tail.startsWith("9")]).toEqual([true, true]);
    expect(head.length + tail.length + omittedBytes).toBe(text.length);
    expect(head.length + tail.length).toBeLessThanOrEqual(100);
  });

  test("never cuts a character", async () => {
    writeFileSync(join(root, "a"), "€".repeat(100));
    const read = await readSavedFile(join(root, "a"), 100);
    expect(read).toEqual({
      kind: "cut",
      head: "€".repeat(16),
      tail: "€".repeat(16),
      headBytes: 48,
      omittedBytes: 300 - 96,
      totalBytes: 300,
      pages: 3,
    });
  });

  test("knows neither folders nor links nor pipes nor what is not there", async () => {
    mkdirSync(join(root, "folder"));
    writeFileSync(join(root, "target"), "secret");
    symlinkSync(join(root, "target"), join(root, "link"));
    if (process.platform !== "win32") Bun.spawnSync(["mkfifo", join(root, "pipe")]);
    for (const name of ["folder", "link", "pipe", "missing"]) {
      expect(await readSavedFile(join(root, name))).toBeUndefined();
      expect(await readSavedPage(join(root, name), 1)).toBeUndefined();
    }
  });
});

describe("readSavedPage()", () => {
  test.each([
    ["", 10, [""]],
    ["0123456789", 10, ["0123456789"]],
    ["0123456789a", 10, ["0123456789", "a"]],
    ["€€€€", 4, ["€€", "€", "€"]],
    ["😀😀", 5, ["😀😀", ""]],
    ["ab\n😀c", 4, ["ab\n😀", "c"]],
  ])("divides %j at characters, about %d bytes each", async (text, pageBytes, expected) => {
    writeFileSync(join(root, "a"), text);
    const pages = await Promise.all(
      expected.map((_, index) => readSavedPage(join(root, "a"), index + 1, pageBytes)),
    );
    expect(pages).toEqual(expected);
    for (const page of [0, expected.length + 1]) {
      expect(await readSavedPage(join(root, "a"), page, pageBytes)).toBeUndefined();
    }
  });

  test("all pages together are the file", async () => {
    const text = "aä€😀\n".repeat(500);
    writeFileSync(join(root, "a"), text);
    for (const pageBytes of [7, 64, 1_001]) {
      const { pages = 0 } = (await readSavedFile(join(root, "a"), pageBytes)) ?? {};
      const numbers = Array.from({ length: pages }, (_, index) => index + 1);
      const read = await Promise.all(
        numbers.map((page) => readSavedPage(join(root, "a"), page, pageBytes)),
      );
      expect(read.join("")).toBe(text);
    }
  });
});

describe("SavedOutputs.read()", () => {
  const id = newResultId("ann");

  test("looks into each folder, for a name that it would give", async () => {
    const saved = new SavedOutputs([join(root, "missing"), root], () => {});
    writeFileSync(join(root, `${id}.txt`), "text");
    expect(await saved.read("ann", id)).toEqual({ kind: "whole", text: "text", pages: 1 });
    expect(await saved.read("bob", id)).toBeUndefined();
    expect(await saved.read("ann", newResultId("ann"))).toBeUndefined();
  });

  test.each(["", ".", "..", "../secret", "secret", `${id}/`, `../x/${id}`, `${id}.txt`, `${id}\n`])(
    "%j is no id",
    async (name) => {
      writeFileSync(join(root, "secret.txt"), "secret");
      mkdirSync(join(root, "x"));
      writeFileSync(join(root, "x", `${id}.txt`), "x");
      const saved = new SavedOutputs([join(root, "x")], () => {});
      expect(await saved.read("ann", id)).toEqual({ kind: "whole", text: "x", pages: 1 });
      expect(await saved.read("ann", name)).toBeUndefined();
    },
  );
});
