import { describe, expect, test } from "bun:test";

import { instrument } from "../../../scripts/structure/instrument.ts";
import { InstrumentedCopy } from "../../../scripts/structure/instrumented-copy.ts";
import { isWindows } from "../../e2e/harness/platform.ts";
import { TempFolder } from "../../e2e/harness/temp-folder.ts";

const head =
  '\nimport { enter as $enter, kept as $kept, named as $named } from "/r.ts";$named(7, import.meta.path);\n';

describe("instrument()", () => {
  test.each([
    ["a declaration", "function f(a) { g(a); }", "function f(a) {$enter(7, arguments); g(a); }"],
    ["an overload", "function f(a: 1): 1;", "function f(a: 1): 1;"],
    ["an expression", "x = function () {};", "x = function () {$enter(7, arguments);};"],
    [
      "one that gives something, and nothing",
      "function f() { if (a) return; return g(); }",
      "function f() {$enter(7, arguments); if (a) return; return $kept(g()); }",
    ],
    ["an arrow", "x = (a) => { g(a); };", "x = (a) => {$enter(7, [a]); g(a); };"],
    ["an arrow without a body", "x = a => a + 1;", "x = a => ($enter(7, [a]), $kept(a + 1));"],
    ["one that gives an object", "x = () => ({});", "x = () => ($enter(7, []), $kept(({})));"],
    [
      "arrows in arrows",
      "x = a => b => c;",
      "x = a => ($enter(7, [a]), $kept(b => ($enter(7, [b]), $kept(c))));",
    ],
    [
      "parameters of all forms",
      "x = ({ a, b: [c, , ...d], ...e }, f = 1, ...g) => 1;",
      "x = ({ a, b: [c, , ...d], ...e }, f = 1, ...g) => ($enter(7, [a, c, d, e, f, g]), $kept(1));",
    ],
    [
      "members of a class",
      "class A { constructor(private a: B) { super(); } get b() { return 1; } abstract c(): void; }",
      "class A { constructor(private a: B) {$enter(7, arguments); super(); } get b() {$enter(7, arguments); return $kept(1); } abstract c(): void; }",
    ],
  ])("enters %s", (_, text, entering) => {
    expect(instrument("a.ts", text, 7, "/r.ts")).toBe(head + entering);
  });

  test("keeps the first line of a program", () => {
    expect(instrument("a.ts", "#!/bin/bun\nf();\n", 7, "/r.ts")).toBe(`#!/bin/bun${head}\nf();\n`);
  });

  test("refuses what does not parse", () => {
    expect(() => instrument("a.ts", "const = 1;", 7, "/r.ts")).toThrow("a.ts: ");
  });
});

// Bun maps no files there.
describe.skipIf(isWindows)("InstrumentedCopy", () => {
  interface Program {
    run(given: unknown): Promise<unknown>;
  }

  const program = `
    import { take } from "./taker.ts";
    export const run = async (given: unknown): Promise<unknown> => take(given);
  `;
  const taker = `
    import { unused } from "./unused.ts";
    export function take(given: unknown): unknown { return given === unused ? 1 : 2; }
  `;
  const worker = `import { run } from "./main.ts"; postMessage(await run(""));`;
  const unused = `export const unused = Symbol(); export const never = () => 1;`;

  async function copyOf(folder: TempFolder): Promise<{ copy: InstrumentedCopy; main: Program }> {
    folder.write("src/main.ts", program);
    folder.write("src/taker.ts", taker);
    folder.write("src/unused.ts", unused);
    folder.write("src/worker.ts", worker);
    const copy = new InstrumentedCopy(folder.path);
    return { copy, main: (await import(copy.main)) as Program };
  }

  const both = new Set(["main.ts", "taker.ts"]);
  const none = new Set<string>();

  test.each([
    ["nothing", undefined, none, none],
    ["another text", "mar", none, none],
    ["a text", "a marker", both, both],
    ["bytes", Buffer.from("a marker"), both, both],
    ["a member", { a: "marker" }, both, both],
    ["a member of a member", { a: ["marker"] }, both, none],
    ["three members deep", { a: [{ b: "marker" }] }, both, none],
    ["four members deep", { a: [{ b: ["marker"] }] }, none, none],
    [
      "what a getter would give",
      Object.defineProperty({}, "a", { get: () => "marker" }),
      none,
      none,
    ],
  ])("record() tells the files that were given %s", async (_, given, handed, chunk) => {
    using folder = new TempFolder();
    const { copy, main } = await copyOf(folder);
    await main.run("marker");
    const seen = await copy.record("marker", async () => {
      expect(await main.run(given)).toBe(2);
    });
    await main.run("marker");
    const handsOn = handed === both ? new Set(["main.ts"]) : none;
    expect(seen).toEqual({ entered: both, handed, handsOn, chunk });
  });

  test("record() looks for nothing without a marker, and forgets what was before", async () => {
    using folder = new TempFolder();
    const { copy, main } = await copyOf(folder);
    await copy.record("marker", async () => void (await main.run("marker")));
    const seen = await copy.record("", async () => void (await main.run("marker")));
    expect(seen).toEqual({ entered: both, handed: none, handsOn: none, chunk: none });
    expect(await copy.record("", () => Promise.resolve())).toEqual({
      entered: none,
      handed: none,
      handsOn: none,
      chunk: none,
    });
  });

  test.each([
    ["at the end of a function", "return take(given);"],
    ["by way of the engine", "return [given].map(take);"],
    ["after another turn", "await 1; const taken = take(given); return taken;"],
  ])("record() tells who handed it on %s", async (_, body) => {
    using folder = new TempFolder();
    folder.write("src/main.ts", 'import { run } from "./giver.ts"; export { run };');
    const giver = `import { take } from "./taker.ts"; export async function run(given) { ${body} }`;
    folder.write("src/giver.ts", giver);
    folder.write(
      "src/taker.ts",
      "export const take = (given) => own(given); const own = (a) => a;",
    );
    const copy = new InstrumentedCopy(folder.path);
    const main = (await import(copy.main)) as Program;
    const seen = await copy.record("marker", async () => void (await main.run("marker")));
    expect([...seen.handsOn]).toEqual(["giver.ts"]);
  });

  test("record() sees Workers", async () => {
    using folder = new TempFolder();
    const { copy } = await copyOf(folder);
    const seen = await copy.record("", async () => {
      const worker = new Worker(folder.at("src/worker.ts"));
      await new Promise((resolve) => worker.addEventListener("message", resolve));
      worker.terminate();
    });
    expect(seen.entered).toEqual(both);
  });
});
