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

test.each([
  ["/bin/rm", ["rm"]],
  ["C:\\Git\\RM.exe", ["rm"]],
  ["tool", ["tool"]],
])("the names of %s, of which nothing was looked up", (name, names) => {
  expect(noFacts.programOf(name)).toEqual({ paths: [], names });
});
