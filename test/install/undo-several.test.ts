import { describe, expect, test } from "bun:test";
import { existsSync, readFileSync, writeFileSync } from "node:fs";

import { type CommandRun, runIn } from "../cli/fake-io.ts";
import { TempTree } from "../config/temp-tree.ts";

const files = {
  cursor: "home/.cursor/mcp.json",
  kiro: "home/.kiro/settings/mcp.json",
  zed: "home/.config/zed/settings.json",
} as const;
type Id = keyof typeof files;
const ids = Object.keys(files) as readonly Id[];
const text = '{ "theme": "dark" }\n';

/** Three clients that were connected one after the other. */
async function connected(): Promise<TempTree> {
  const tree = new TempTree(Object.fromEntries(Object.values(files).map((file) => [file, text])));
  for (const id of ids) await runIn(tree, ["install", id, "--yes"]);
  return tree;
}

/** Those that still have the entry. */
function left(tree: TempTree): readonly Id[] {
  return ids.filter((id) => readFileSync(tree.path(files[id]), "utf8") !== text);
}

describe("undo of several clients", () => {
  test.each<[words: readonly string[], left: readonly Id[]]>([
    [[], ["cursor", "kiro"]],
    [["kiro"], ["cursor", "zed"]],
    [["zed", "cursor"], ["kiro"]],
    [["cursor", "zed", "cursor"], ["kiro"]],
    [["--all"], []],
  ])("undo %j", async (words, expected) => {
    using tree = await connected();
    expect(await runIn(tree, ["undo", ...words, "--yes"])).toMatchObject({ exitCode: 0 });
    expect(left(tree)).toEqual(expected);
  });

  test("--all takes the last change of each, the newest first", async () => {
    using tree = await connected();
    await runIn(tree, ["uninstall", "cursor", "--yes"]);
    const { stdout } = await runIn(tree, ["undo", "--all", "--yes"]);
    expect(stdout.match(/^# .*/gm)).toEqual(["# Cursor", "# Zed", "# Kiro"]);
    expect(left(tree)).toEqual(["cursor"]);
  });

  test("all are shown, and one question is asked for all of them", async () => {
    using tree = await connected();
    const ask = (answer: string): Promise<CommandRun> =>
      runIn(tree, ["undo", "--all"], { terminals: ["stdin"], stdin: [`${answer}\n`] });
    const refused = await ask("no");
    expect(refused).toMatchObject({ exitCode: 1 });
    expect(refused.stdout.match(/^# .*/gm)).toHaveLength(3);
    expect(refused.stderr).toContain("Make these 3 changes?");
    expect(left(tree)).toEqual(ids);
    expect(await ask("yes")).toMatchObject({ exitCode: 0 });
    expect(left(tree)).toEqual([]);
  });

  test("without a terminal nothing is changed", async () => {
    using tree = await connected();
    const { exitCode, stderr } = await runIn(tree, ["undo", "cursor", "zed"]);
    expect([exitCode, left(tree)]).toEqual([2, ids]);
    expect(stderr).toContain("To confirm without a terminal, add --yes.");
  });

  test("--dry-run --json shows each and changes none", async () => {
    using tree = await connected();
    const { stdout } = await runIn(tree, ["undo", "--all", "--dry-run", "--json"]);
    expect(JSON.parse(stdout)).toMatchObject({
      dryRun: true,
      clients: ["zed", "kiro", "cursor"].map((client) => ({ client, action: "remove" })),
    });
    expect(left(tree)).toEqual(ids);
  });

  test("a file that cannot be read is a fault of its client alone", async () => {
    using tree = await connected();
    writeFileSync(tree.path(files.kiro), "{ broken");
    const { exitCode, stderr } = await runIn(tree, ["undo", "--all", "--yes"]);
    expect([exitCode, left(tree)]).toEqual([1, ["kiro"]]);
    expect(stderr).toMatch(/Kiro: .*cannot be read/);
    writeFileSync(tree.path(files.kiro), text);
    expect(await runIn(tree, ["undo", "--all", "--yes"])).toMatchObject({ exitCode: 0 });
    expect((await runIn(tree, ["undo", "--list"])).stdout).toBe("");
  });

  test("a file that is already as it was is left alone, and the others are not", async () => {
    using tree = await connected();
    writeFileSync(tree.path(files.kiro), text);
    const { exitCode, stderr } = await runIn(tree, ["undo", "--all", "--yes"]);
    expect([exitCode, left(tree)]).toEqual([0, []]);
    expect(stderr).toContain(`${files.kiro} is already as it was before the change.`);
  });

  test("servers that two clients have moved here are given back to both", async () => {
    const own = '{"mcpServers":{"git":{"command":"git-mcp"}}}\n';
    using tree = new TempTree({ [files.cursor]: own, [files.kiro]: own });
    for (const id of ["cursor", "kiro"]) await runIn(tree, ["install", id, "--move", "--yes"]);
    expect(await runIn(tree, ["undo", "--all", "--yes"])).toMatchObject({ exitCode: 0 });
    for (const id of ["cursor", "kiro"] as const)
      expect(readFileSync(tree.path(files[id]), "utf8")).toBe(own);
    const config = tree.path("home/.scorpiox/config.toml");
    expect(existsSync(config) ? readFileSync(config, "utf8") : "").not.toContain("git");
  });

  test("two changes of one file are taken back one after the other", async () => {
    const file = "project/.vscode/mcp.json";
    using tree = new TempTree({ [file]: "{}\n", "project/.git/x": "" });
    const ofProject = ["--scope", "project", "--yes"];
    await runIn(tree, ["install", "vscode", ...ofProject]);
    await runIn(tree, ["uninstall", "vscodium", ...ofProject]);
    const first = await runIn(tree, ["undo", "--all", "--yes"]);
    expect(first.exitCode).toBe(1);
    expect(first.stderr).toContain(
      `VS Code: the later change of ${file} comes first. Run undo vscode afterwards.`,
    );
    expect(await runIn(tree, ["undo", "--all", "--yes"])).toMatchObject({ exitCode: 0 });
    expect(readFileSync(tree.path(file), "utf8")).toBe("{}\n");
  });

  test.each<[words: readonly string[], exitCode: number, text: string]>([
    [["--all", "cursor"], 2, "--all"],
    [["cursor", "kiro"], 3, "There is no change of cursor to undo."],
    [["--all"], 3, "There is no change to undo."],
    [["nobody"], 3, "nobody"],
  ])("undo %j without a change", async (words, exitCode, said) => {
    using tree = new TempTree();
    const run = await runIn(tree, ["undo", ...words, "--yes"]);
    expect(run.exitCode).toBe(exitCode);
    expect(run.stderr).toContain(said);
  });
});
