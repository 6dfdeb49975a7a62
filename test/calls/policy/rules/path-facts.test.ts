import { expect, test } from "bun:test";
import { chmodSync, renameSync, symlinkSync } from "node:fs";

import { noFacts, readPathFacts } from "../../../../src/calls/policy/rules/path-facts.ts";
import { TempFolder } from "../../../e2e/harness/temp-folder.ts";

/** The paths of the program `name`, looked for as PATH has it. */
async function pathsIn(searchPath: readonly string[], name: string): Promise<readonly string[]> {
  const facts = await readPathFacts({ folders: [], searchPath, words: [], programs: [name] });
  return facts.programOf(name).paths;
}

test("readPathFacts: each change of PATH is seen by the next look", async () => {
  using folder = new TempFolder();
  const second = folder.write("second/tool", "#!/bin/sh\n");
  const searchPath = ["relative", folder.at("first"), folder.at("second"), "/dev/null"];
  const look = (): Promise<readonly string[]> => pathsIn(searchPath, "tool");
  chmodSync(second, 0o600);
  // The first folder does not exist, and the second file is no program yet.
  expect(await look()).toEqual([]);
  chmodSync(second, 0o700);
  expect(await look()).toEqual([second]);
  folder.write("first/other", "");
  expect(await look()).toEqual([second]);
  symlinkSync(second, folder.at("first/tool"));
  expect(await look()).toEqual([folder.at("first/tool"), second]);
  renameSync(folder.at("first"), folder.at("third"));
  symlinkSync(folder.at("second"), folder.at("first"));
  expect(await look()).toEqual([folder.at("first/tool"), second]);
});

test("readPathFacts: a folder and a link without a target are no programs", async () => {
  using folder = new TempFolder();
  folder.write("bin/tool/file", "");
  symlinkSync(folder.at("nothing"), folder.at("bin/link"));
  const found = await Promise.all(
    ["tool", "link"].map((name) => pathsIn([folder.at("bin")], name)),
  );
  expect(found).toEqual([[], []]);
});

test.if(process.platform === "linux")(
  "readPathFacts: does not wait for a disk that is only on the way to a local one",
  async () => {
    using folder = new TempFolder();
    const searchPath = [`/proc/self/root${folder.path}`];
    await pathsIn(searchPath, "nothing");
    let isFound = false;
    const looking = pathsIn(searchPath, "nothing").then(() => (isFound = true));
    // Without a turn of the loop only looks that hold the main thread come to an end.
    for (let turn = 0; turn < 100; turn++) await Promise.resolve();
    expect(isFound).toBe(false);
    await looking;
  },
);

test.if(process.platform === "linux")(
  "readPathFacts: finds a program whose real path is longer than the system takes",
  async () => {
    using folder = new TempFolder();
    const near = "n".repeat(200);
    const far = "f".repeat(200);
    const halves = [near, far].map((name) => `${name}/`.repeat(12));
    Bun.spawnSync(
      [
        "sh",
        "-c",
        'mkdir -p "$1" && ln -s "$1" a && cd a && mkdir -p "$2" && ln -s "$2" b && cd b && printf x > tool && chmod +x tool',
        "sh",
        ...halves,
      ],
      { cwd: folder.path },
    );
    const path = folder.at("a/b/tool");
    expect(await pathsIn([folder.at("a/b")], "tool")).toContain(path);
  },
);

test.each([
  ["/bin/rm", ["rm"]],
  ["C:\\Git\\RM.exe", ["rm"]],
  ["tool", ["tool"]],
])("the names of %s, of which nothing was looked up", (name, names) => {
  expect(noFacts.programOf(name)).toEqual({ paths: [], names });
});
