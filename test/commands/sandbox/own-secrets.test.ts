import { expect, test } from "bun:test";
import { symlinkSync } from "node:fs";

import { findOwnSecrets } from "../../../src/commands/sandbox/sandbox-folders.ts";
import { TempFolder } from "../../e2e/harness/temp-folder.ts";

test("findOwnSecrets() finds what there is, and what links name", async () => {
  using folder = new TempFolder();
  for (const name of ["secrets/a", "run/b", "http-token", "results/c", "elsewhere/key"]) {
    folder.write(name, "x");
  }
  symlinkSync("elsewhere/key", folder.at("state.key"));
  symlinkSync("nowhere", folder.at("browser"));
  const { folders, files } = await findOwnSecrets(folder.path);
  expect([[...folders].sort(), [...files].sort()]).toEqual([
    [folder.at("run"), folder.at("secrets")],
    [folder.at("elsewhere/key"), folder.at("http-token")],
  ]);
});

test("findOwnSecrets() of a folder that is not there, and of what is none", async () => {
  using folder = new TempFolder();
  expect(await findOwnSecrets(folder.at("none"))).toEqual({ folders: [], files: [] });
  expect(findOwnSecrets(folder.write("file", ""))).rejects.toThrow("ENOTDIR");
});
