import { describe, expect, test } from "bun:test";
import fc from "fast-check";

import { parseServerList } from "../../../src/upstream/config/server-keys.ts";
import { shareOf } from "../../fixtures/long-run.ts";

const run = (name: string, command: string, ...args: readonly string[]): object => ({
  kind: "stdio",
  name,
  command,
  args,
});
const at = (name: string, url: string): object => ({ kind: "http", name, url });
const bare = (name: string): object => ({
  kind: "fault",
  name,
  text: "has no command; write name:command:arg1,arg2",
});
const empty = (name: string): object => ({ kind: "fault", name, text: "has an empty command" });

const cases: readonly (readonly [text: string, ...servers: readonly object[]])[] = [
  // Fields and borders.
  [""],
  [" "],
  [";"],
  [" ; ;; "],
  ["a:b", run("a", "b")],
  ["a:b:", run("a", "b")],
  ["a:b:c", run("a", "b", "c")],
  ["a:b:c,d", run("a", "b", "c", "d")],
  ["a:b:c,,d", run("a", "b", "c", "", "d")],
  ["a:b:,", run("a", "b", "", "")],
  [" a : b : c , d ", run("a", "b", "c", "d")],
  ["a:b;c:d", run("a", "b"), run("c", "d")],
  [";a:b;;c:d;", run("a", "b"), run("c", "d")],
  ["a:b:c:d", run("a", "b", "c:d")],
  ["a:b:c:d,e:f", run("a", "b", "c:d", "e:f")],
  ["a:two words:-x y", run("a", "two words", "-x y")],
  ["a:b:--k=v,-q", run("a", "b", "--k=v", "-q")],
  // What is not whole; the neighbours load.
  ["a", bare("a")],
  ["a;b:c", bare("a"), run("b", "c")],
  ["a:", empty("a")],
  ["a: :x", empty("a")],
  [":b", run("", "b")],
  [":", empty("")],
  // Literals.
  [String.raw`a:b\:c`, run("a", "b:c")],
  [String.raw`a:b\;c`, run("a", "b;c")],
  [String.raw`a:b:c\,d`, run("a", "b", "c,d")],
  [String.raw`a:b:c\\,d`, run("a", "b", "c\\", "d")],
  [String.raw`a:bb:\\\,`, run("a", "bb", "\\,")],
  [String.raw`a:b:c\d`, run("a", "b", String.raw`c\d`)],
  ["a:b:c\\", run("a", "b", "c\\")],
  [String.raw`a\:b:c`, run("a:b", "c")],
  [String.raw`a\;b`, bare("a;b")],
  // Drives.
  [String.raw`a:C:\x.exe`, run("a", String.raw`C:\x.exe`)],
  ["a:C:/x.exe:y", run("a", "C:/x.exe", "y")],
  [
    String.raw`a:C:\x.exe:D:\y,E:\z`,
    run("a", String.raw`C:\x.exe`, String.raw`D:\y`, String.raw`E:\z`),
  ],
  [String.raw`a: c:\x`, run("a", String.raw`c:\x`)],
  [String.raw`a:C:\\x`, run("a", String.raw`C:\x`)],
  ["a:C:x", run("a", "C", "x")],
  ["a:CC:/x", run("a", "CC", "/x")],
  ["x:/usr/bin/y:z", run("x", "/usr/bin/y", "z")],
  ["a:./x:y", run("a", "./x", "y")],
  // URLs take the rest of the entry.
  ["a:http://h", at("a", "http://h")],
  ["a:https://h:8080/p?q=1,2", at("a", "https://h:8080/p?q=1,2")],
  ["a: HTTPS://h/x ", at("a", "HTTPS://h/x")],
  ["a:https://h;b:c", at("a", "https://h"), run("b", "c")],
  [String.raw`a:https://h/x\;y`, at("a", "https://h/x;y")],
  ["a:ftp://h", run("a", "ftp", "//h")],
  ["a:https:h", run("a", "https", "h")],
  ["é:日本", run("é", "日本")],
];

describe("[GW-02] parseServerList()", () => {
  test("has enough rows", () => {
    expect(cases.length).toBeGreaterThanOrEqual(40);
  });

  test.each(cases.map(([text, ...servers]) => [text, servers] as const))("%j", (text, servers) => {
    const found: readonly object[] = parseServerList(text);
    expect(found).toEqual(servers);
  });

  test("random texts: no throw, and every server has a command or a URL", () => {
    const text = fc.string({
      unit: fc.constantFrom(...Array.from("ab:;,\\/ C.ht p1é")),
      maxLength: 60,
    });
    fc.assert(
      fc.property(fc.oneof(text, fc.string({ unit: "binary", maxLength: 60 })), (written) => {
        for (const server of parseServerList(written)) {
          if (server.kind === "stdio") expect(server.command).not.toBe("");
          if (server.kind === "http") expect(server.url).toMatch(/^https?:\/\//i);
        }
      }),
      { numRuns: shareOf(10_000) },
    );
  });

  test("whatever is written with backslashes is read back", () => {
    const written = (text: string): string => text.replaceAll(/[;:,\\]/g, "\\$&");
    const word = fc.string({
      unit: fc.constantFrom(...Array.from("ab:;,\\/C.")),
      minLength: 1,
      maxLength: 8,
    });
    fc.assert(
      fc.property(word, word, fc.array(word, { minLength: 1 }), (name, command, args) => {
        // A single letter before a slash is a drive.
        fc.pre(!/^https?:\/\/|^\w$/i.test(command));
        const text = `${written(name)}:${written(command)}:${args.map(written).join()}`;
        expect(parseServerList(text)).toMatchObject([run(name, command, ...args)]);
      }),
    );
  });
});
