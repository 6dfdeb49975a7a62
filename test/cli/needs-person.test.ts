import { describe, expect, test } from "bun:test";

import { commandListings } from "../../src/cli/run/registry.ts";
import { judged } from "../calls/policy/rules/judging.ts";
import { run } from "./fake-io.ts";

/** The commands that decide what scorpiox-code may do, or answer for the user. */
const forPersons = [
  "attach",
  "bg kill",
  "bg read",
  "config remove",
  "config set",
  "hooks approve",
  "hooks revoke",
  "hub stop",
  "install",
  "mcp add",
  "mcp add-json",
  "mcp approve",
  "mcp import",
  "mcp lock",
  "mcp login",
  "mcp logout",
  "mcp remove",
  "mcp secrets",
  "profile off",
  "profile use",
  "token add",
  "token revoke",
  "token rotate",
  "undo",
  "uninstall",
  "update",
];
describe("commands that a person has to run", () => {
  test("are these", async () => {
    const loaded = await Promise.all(
      commandListings.map(async (listing) => ({ name: listing.name, ...(await listing.load()) })),
    );
    const names = loaded.filter(({ needsPerson }) => needsPerson).map(({ name }) => name);
    expect(names.toSorted()).toEqual([...forPersons]);
  });

  test.each(["config set POLICY_CAUTIONS=false", "mcp approve --all --yes", "hooks approve --yes"])(
    "%s: refused to what a server has started",
    async (words) => {
      const name = words.split(" ").slice(0, 2).join(" ");
      const ended = await run(words.split(" "), { startedByServer: "a sign" });
      expect([ended.exitCode, ended.stdout, ended.stderr]).toEqual([
        1,
        "",
        `scorpiox-code: error: ${name} was not run: it decides what scorpiox-code may do, and a server of scorpiox-code started this (a sign). A person has to run it in a terminal of their own.\n`,
      ]);
    },
  );

  test("a model that runs one of them is asked about it, and about none of the others", async () => {
    const asked: string[] = [];
    for (const { name, alias } of commandListings) {
      for (const words of [name, alias ?? name]) {
        const verdict = await judged({}, `scorpiox-code ${words} x`, { warnsOfDanger: true });
        if (verdict.action === "ask") asked.push(name);
      }
    }
    // Each by its other name as well.
    expect(asked.toSorted()).toEqual(forPersons.flatMap((name) => [name, name]));
  });

  test("their help is for everybody, and says so", async () => {
    const { exitCode, stdout } = await run(["help", "mcp approve"], { startedByServer: "a sign" });
    expect([exitCode, stdout.includes("A process that a server started may not run this")]).toEqual(
      [0, true],
    );
  });
});
