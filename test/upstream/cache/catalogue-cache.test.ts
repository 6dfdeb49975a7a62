import { afterAll, describe, expect, test } from "bun:test";
import {
  existsSync,
  mkdtempSync,
  readdirSync,
  rmSync,
  statSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { CatalogueCache } from "../../../src/upstream/cache/catalogue-cache.ts";
import type { ServerCatalogue } from "../../../src/upstream/connect/connection.ts";

const home = mkdtempSync(join(tmpdir(), "scorpiox-cache-"));
afterAll(() => rmSync(home, { recursive: true }));
const folder = join(home, "cache", "mcp");

const catalogue: ServerCatalogue = {
  era: "modern",
  protocolVersion: "2026-07-28",
  serverInfo: { name: "s", version: "1" },
  capabilities: { tools: {} },
  instructions: "x",
  tools: [{ name: "a", inputSchema: { type: "object" }, extra: [1] }],
  prompts: [{ name: "p" }],
  resources: [{ uri: "a:b", name: "r" }],
  templates: [{ uriTemplate: "a:{b}", name: "t" }],
  ttlMs: 5,
  isPrivate: false,
  problems: ["x"],
};

describe("CatalogueCache", () => {
  test("gives to the next process what this one wrote, in a private file", async () => {
    await new CatalogueCache(home).write("ab12", catalogue);
    expect(await new CatalogueCache(home).read("ab12")).toEqual({ catalogue, isOld: false });
    const path = join(folder, "ab12.json");
    expect([statSync(path).mode & 0o777, statSync(folder).mode & 0o777]).toEqual([0o600, 0o700]);
    expect(readdirSync(folder)).toEqual(["ab12.json"]);
  });

  test("does not write what is the same, but it is fresh then", async () => {
    const cache = new CatalogueCache(home);
    await cache.write("same", catalogue);
    const path = join(folder, "same.json");
    const { ino } = statSync(path);
    utimesSync(path, 1, 1);
    expect((await cache.read("same"))?.isOld).toBe(true);
    await cache.write("same", { ...catalogue });
    expect(statSync(path).ino).toBe(ino);
    expect((await cache.read("same"))?.isOld).toBe(false);
  });

  test("removes what a process left that was killed while it wrote", async () => {
    await new CatalogueCache(home).write("ab12", catalogue);
    const [left, fresh] = [".a.json.1.tmp", ".b.json.2.tmp"].map((name) => join(folder, name));
    for (const path of [left, fresh]) writeFileSync(path ?? "", "{");
    utimesSync(left ?? "", 1, 1);
    await new CatalogueCache(home).write("cd34", catalogue);
    expect([left, fresh].map((path) => existsSync(path ?? ""))).toEqual([false, true]);
    rmSync(fresh ?? "");
  });

  test("writes what is the same when another process has removed it", async () => {
    const cache = new CatalogueCache(home);
    await cache.write("gone", catalogue);
    await new CatalogueCache(home).forget("gone");
    await cache.write("gone", catalogue);
    expect(existsSync(join(folder, "gone.json"))).toBe(true);
  });

  test.each([
    ["is cut short", '{"version":1,"catalogue":{"era"'],
    ["is empty", ""],
    ["is of another version", JSON.stringify({ version: 2, catalogue })],
    ["is no object", "[]"],
    ["has no tools", JSON.stringify({ version: 1, catalogue: { ...catalogue, tools: undefined } })],
    [
      "has a tool without a schema",
      JSON.stringify({ version: 1, catalogue: { ...catalogue, tools: [{ name: "a" }] } }),
    ],
    [
      "has an unknown era",
      JSON.stringify({ version: 1, catalogue: { ...catalogue, era: "late" } }),
    ],
  ])("a file that %s is as none", async (_what, text) => {
    const cache = new CatalogueCache(home);
    await cache.write("bad", catalogue);
    writeFileSync(join(folder, "bad.json"), text);
    expect(await cache.read("bad")).toBeUndefined();
    expect(await cache.read("none")).toBeUndefined();
  });

  test("forgets, and writes nothing outside of its folder", async () => {
    const cache = new CatalogueCache(home);
    await cache.write("../../evil", catalogue);
    expect(existsSync(join(folder, "______evil.json"))).toBe(true);
    await cache.forget("../../evil");
    expect(existsSync(join(folder, "______evil.json"))).toBe(false);
  });

  test("a folder that cannot be written costs nothing", async () => {
    const cache = new CatalogueCache("/proc/none");
    await cache.write("a", catalogue);
    expect(await cache.read("a")).toBeUndefined();
  });
});

describe("the manners of a server", () => {
  const usual = { asks: false, isSeparate: false };
  const asking = { asks: true, isSeparate: false };

  test("are known to the next process, in a private file beside the catalogue", async () => {
    const cache = new CatalogueCache(home);
    expect(await cache.manners("polite")).toEqual(usual);
    await cache.noteManners("polite", asking);
    expect(await cache.manners("polite")).toEqual(asking);
    const next = new CatalogueCache(home);
    expect(await next.manners("polite")).toEqual(asking);
    expect(statSync(join(folder, "polite.manners")).mode & 0o777).toBe(0o600);
    await next.write("polite", catalogue);
    expect(await new CatalogueCache(home).manners("polite")).toEqual(asking);
  });

  test("are added to, not taken back, until the catalogue is forgotten", async () => {
    const cache = new CatalogueCache(home);
    await cache.noteManners("rude", { asks: true, isSeparate: true });
    await new CatalogueCache(home).noteManners("rude", asking);
    expect(await new CatalogueCache(home).manners("rude")).toEqual({
      asks: true,
      isSeparate: true,
    });
    await cache.forget("rude");
    expect(await cache.manners("rude")).toEqual(usual);
    expect(existsSync(join(folder, "rude.manners"))).toBe(false);
  });

  test("that cannot be read or written are as none, and known as long as the process lives", async () => {
    writeFileSync(join(folder, "odd.manners"), "[1");
    expect(await new CatalogueCache(home).manners("odd")).toEqual(usual);
    const cache = new CatalogueCache("/proc/none");
    await cache.noteManners("a", asking);
    expect(await cache.manners("a")).toEqual(asking);
  });
});
