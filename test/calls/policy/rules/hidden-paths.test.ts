import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { mkdirSync, symlinkSync } from "node:fs";

import { policyLookupsMax } from "../../../../src/base/limits.ts";
import { TempFolder } from "../../../e2e/harness/temp-folder.ts";
import { action } from "./judging.ts";

const deny = {
  rules: [{ tool: "Bash", match: { program: "cat", args: ["*/secret/*"] }, action: "deny" }],
};
const words = (count: number): string => Array.from({ length: count }, (_, n) => `w${n}`).join(" ");

describe("a rule about paths says what it cannot look at (U-policy: symlinked paths)", () => {
  let folder: TempFolder;
  beforeAll(() => {
    folder = new TempFolder();
    mkdirSync(folder.at("secret/inner"), { recursive: true });
    symlinkSync("secret/inner", folder.at("link"));
  });
  afterAll(() => folder[Symbol.dispose]());

  test.each([
    ["cat secret/key", "deny 1"],
    ["cat other/key", "allow"],
    ["cd a; cd b; cd secret; cat key", "deny 1"],
    ["cd a; cd b; cd c; cd secret; cat key", "deny 1"],
    ["cd a; cd b; cd c; cd d; cd secret; cat key", "ask 1"],
    ["OLDPWD=secret; cd -; cat key", "ask 1"],
    ["cd secret; cd ..; cd -; cat key", "deny 1"],
    ["cd /; cd -; cat key", "ask 1"],
    ["CDPATH=secret; cd inner; cat key", "ask 1"],
    ["CDPATH=secret cd inner; cat key", "ask 1"],
    ["export CDPATH=secret; pushd inner; cat key", "ask 1"],
    ["read -r OLDPWD <<< secret; cd a; cat key", "ask 1"],
    ["cd -P link/..; cat key", "ask 1"],
    ["env -C secret cat key", "ask 1"],
    ["env -iC secret cat key", "ask 1"],
    ["env --chdir=secret cat key", "ask 1"],
    ["env -u X --chdir secret cat key", "ask 1"],
    ["env A=1 git -C secret log", "allow"],
    ["sudo -D secret cat key", "ask 1"],
    ["sudo -n --chdir=secret cat key", "ask 1"],
    ["sudo -i cat key", "ask 1"],
    ["chroot secret cat key", "ask 1"],
    [String.raw`find secret -name key -execdir cat key \;`, "ask 1"],
    [String.raw`find secret -name key -okdir cat key \;`, "ask 1"],
    [String.raw`find secret -name key -exec cat other \;`, "allow"],
    ["cat link/../key", "deny 1"],
    ["cat link/../../key", "allow"],
  ])("%s: %s", async (command, expected) => {
    const parts = { folder: () => Promise.resolve(folder.path) };
    expect(await action(deny, command, parts)).toBe(expected);
  });

  test.each([
    [policyLookupsMax / 2, "cat key", "allow"],
    [policyLookupsMax / 2, "cat secret/key", "deny 1"],
    [300, "cat secret/key", "ask 1"],
    [300, "cat key", "ask 1"],
  ])("behind %d words: %s: %s", async (count, command, expected) => {
    const parts = { folder: () => Promise.resolve(folder.path) };
    expect(await action(deny, `true ${words(count)}; ${command}`, parts)).toBe(expected);
  });

  test("more arguments of another tool than are looked up are asked about", async () => {
    const file = {
      rules: [{ tool: "Read", match: { arguments: { paths: "*/secret/*" } }, action: "deny" }],
    };
    const read = (count: number): Promise<string> =>
      action(file, { tool: "Read", args: { paths: words(count).split(" ") } });
    expect([await read(policyLookupsMax), await read(policyLookupsMax + 1)]).toEqual([
      "allow",
      "ask 1",
    ]);
  });

  test("rules about programs alone do not mind where a command goes", async () => {
    const file = { rules: [{ tool: "Bash", match: "forbid", action: "deny" }] };
    const far = "cd a; cd b; cd c; cd d; cd e; ";
    expect([
      await action(file, `${far}ls`),
      await action(file, "env -C x ls; cd -; ls"),
      await action(file, `${far}./tool`),
    ]).toEqual(["allow", "allow", "ask 1"]);
  });
});
