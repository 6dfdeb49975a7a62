import { describe, expect, test } from "bun:test";
import {
  mkdirSync,
  readdirSync,
  readFileSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";

import { messageOf } from "../../../src/base/errors.ts";
import { trustFileBytesMax } from "../../../src/base/upstream-limits.ts";
import { emptyPins } from "../../../src/upstream/trust/trust-file.ts";
import { TrustStore } from "../../../src/upstream/trust/trust-store.ts";
import { TempTree } from "../../config/temp-tree.ts";
import { posixTest } from "../../e2e/harness/platform.ts";

const home = "home/.scorpiox";
const file = `${home}/trust.json`;
const nobody = "No approval of MCP servers or their tools is in effect.";

function opened(tree: TempTree): TrustStore {
  return new TrustStore(tree.path(home));
}

const newPins = (names: readonly string[]): Parameters<TrustStore["addPins"]>[1] => ({
  tools: new Map(names.map((name) => [name, `hash of ${name}`])),
  prompts: new Map(),
  definitions: new Map(names.map((name) => [`hash of ${name}`, { name }])),
});

describe("[GW-22] TrustStore", () => {
  test("an approval is for one launch in one project, however one got to its folder", async () => {
    using tree = new TempTree({ "project/a/x": "", "project/b/x": "" });
    symlinkSync(tree.path("project/a"), tree.path("project/link"));
    const store = opened(tree);
    await store.approveLaunch("id", tree.path("project/link"));
    const other = opened(tree);
    expect(await other.launchVerdict("id", tree.path("project/a"))).toBe("approved");
    expect(await other.launchVerdict("id", tree.path("project/b"))).toBeUndefined();
    expect(await other.launchVerdict("di", tree.path("project/a"))).toBeUndefined();
    await other.denyLaunch("id", tree.path("project/a"));
    expect(await store.launchVerdict("id", tree.path("project/a"))).toBe("denied");
    expect(await store.revokeLaunch("id", tree.path("project/a"))).toBe(true);
    expect(await store.revokeLaunch("id", tree.path("project/a"))).toBe(false);
    expect(await other.launchVerdict("id", tree.path("project/a"))).toBeUndefined();
  });

  test("pins are added to what is there, with what they are hashes of", async () => {
    using tree = new TempTree();
    const store = opened(tree);
    expect(await store.pinsOf("id")).toBeUndefined();
    await store.addPins("id", { ...newPins(["a", "__proto__"]), instructions: "text" });
    await store.addPins("id", newPins(["b"]));
    const other = opened(tree);
    expect(await other.pinsOf("id")).toEqual({
      ...emptyPins,
      instructions: "text",
      tools: newPins(["a", "__proto__", "b"]).tools,
    });
    expect(await other.definitionsOf("id")).toEqual(newPins(["a", "__proto__", "b"]).definitions);
    await other.updatePins("id", () => undefined);
    expect(await store.pinsOf("id")).toBeUndefined();
  });

  test("of two first contacts at the same time the first counts", async () => {
    using tree = new TempTree();
    await opened(tree).addPins("id", { ...newPins(["a"]), isFirst: true });
    const turned = {
      tools: new Map([
        ["a", "of another a"],
        ["b", "of b"],
      ]),
      isFirst: true,
    };
    await opened(tree).addPins("id", { ...newPins([]), ...turned });
    expect((await opened(tree).pinsOf("id"))?.tools).toEqual(newPins(["a"]).tools);
  });

  test("what is too much for the file is not written, and takes nothing else along", async () => {
    using tree = new TempTree();
    const store = opened(tree);
    await store.addPins("id", newPins(["a"]));
    const names = Array.from(
      { length: 20 },
      (_, index) => `${index}${"x".repeat(trustFileBytesMax / 16)}`,
    );
    const message = await store.addPins("much", newPins(names)).then(() => "", messageOf);
    expect(message).toContain(`larger than ${trustFileBytesMax} bytes; nothing was written`);
    expect((await opened(tree).pinsOf("id"))?.tools.size).toBe(1);
    // Else what the server shows next would be its first contact once more.
    await store.addPins("much", newPins(["b"])).catch(() => {});
    expect((await store.pinsOf("much"))?.tools).toEqual(newPins([...names, "b"]).tools);
    expect(await opened(tree).pinsOf("much")).toBeUndefined();
  });

  posixTest("only its user reads it", async () => {
    using tree = new TempTree();
    await opened(tree).addPins("id", newPins(["a"]));
    const modes = [home, file, `${home}/trust`, `${home}/trust/id.json`].map((path) => {
      return (statSync(tree.path(path)).mode & 0o777).toString(8);
    });
    expect(modes).toEqual(["700", "600", "700", "600"]);
  });

  test.each([
    ["cut short", '{"version":1,"launches":{"id":'],
    ["empty", ""],
    ["of another shape", '{"version":1,"launches":{"id":{"/":"yes"}},"pins":{}}'],
    ["a list", "[]"],
  ])("a file that is %s approves nothing, and is kept under another name", async (_what, text) => {
    using tree = new TempTree({ [file]: text });
    const store = opened(tree);
    expect(await store.launchVerdict("id", "/")).toBeUndefined();
    expect(tree.relative((await store.problem()) ?? "")).toBe(
      `${file} is damaged; the next approval keeps it under another name. ${nobody}`,
    );
    await store.approveLaunch("id", "/");
    expect(await store.launchVerdict("id", "/")).toBe("approved");
    const [kept] = readdirSync(tree.path(home)).filter((name) => name.includes("damaged"));
    expect(readFileSync(join(tree.path(home), kept ?? ""), "utf8")).toBe(text);
  });

  test("a file of a later version approves nothing and is left alone", async () => {
    const text = '{"version":2,"other":true}';
    using tree = new TempTree({ [file]: text });
    const refusal = await opened(tree)
      .approveLaunch("id", "/")
      .then(() => "", messageOf);
    expect(tree.relative(refusal)).toBe(
      `${file} was written by a later version of this program. ${nobody} Nothing was written.`,
    );
    expect(readFileSync(tree.path(file), "utf8")).toBe(text);
  });

  test("a folder in its place is told, and approves nothing", async () => {
    using tree = new TempTree();
    mkdirSync(tree.path(file), { recursive: true });
    const store = opened(tree);
    expect(tree.relative((await store.problem()) ?? "")).toBe(
      `${file} is not a regular file. ${nobody}`,
    );
    expect(await store.approveLaunch("id", "/").then(() => "", messageOf)).toContain("Nothing was");
  });

  test("what another process has approved is noticed", async () => {
    using tree = new TempTree();
    const store = opened(tree);
    expect(await store.launchVerdict("id", "/")).toBeUndefined();
    const record = { version: 1, launches: { id: { "/": "approved" } }, pins: {} };
    mkdirSync(tree.path(home), { recursive: true });
    writeFileSync(tree.path(file), JSON.stringify(record));
    expect(await store.launchVerdict("id", "/")).toBe("approved");
  });

  test("of 500 pinned launches the oldest is forgotten for another one", async () => {
    const pins = { tools: {}, prompts: {}, denied: [] };
    const many = Array.from({ length: 500 }, (_, index) => [`id${index}`, pins]);
    const record = { version: 1, launches: {}, pins: Object.fromEntries(many) };
    using tree = new TempTree({ [file]: JSON.stringify(record) });
    const store = opened(tree);
    await store.updatePins("id1", () => ({ ...emptyPins, denied: new Set(["a"]) }));
    await store.addPins("new", newPins([]));
    const known = await Promise.all(["id0", "id1", "id499", "new"].map((id) => store.pinsOf(id)));
    expect(known.map((one) => one !== undefined)).toEqual([false, true, true, true]);
  });
});

/** Adds pins until it is told to stop or is killed. */
const writer = join(import.meta.dir, "../../fixtures/upstream/pin-writer.ts");

describe("[GW-22] several processes", () => {
  test("lose nothing of each other, and a kill at any moment leaves a whole file", async () => {
    using tree = new TempTree();
    const count = 20;
    const start = (name: string): Bun.Subprocess<"ignore", "pipe", "inherit"> => {
      const command = [process.execPath, writer, tree.path(home), name, String(count)];
      return Bun.spawn(command, { stdio: ["ignore", "pipe", "inherit"] });
    };
    const killed = Array.from({ length: 3 }, (_, index) => start(`killed${index}`));
    const writers = [start("a"), start("b")];
    for (const one of killed) {
      // It has written something, and is in the middle of more.
      await one.stdout.getReader().read();
      one.kill("SIGKILL");
    }
    expect(await Promise.all(writers.map((one) => one.exited))).toEqual([0, 0]);
    const store = opened(tree);
    expect(await store.problem()).toBeUndefined();
    const tools = [...((await store.pinsOf("id"))?.tools.keys() ?? [])];
    const expected = ["a", "b"].flatMap((name) =>
      Array.from({ length: count }, (_, index) => `${name}${index}`),
    );
    expect(tools.filter((name) => !name.startsWith("killed")).sort()).toEqual(expected.sort());
    // The lock of who was killed is free.
    await store.approveLaunch("id", "/");
  });
});
