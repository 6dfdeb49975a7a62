import { describe, expect, test } from "bun:test";
import { existsSync, linkSync, readdirSync, readFileSync } from "node:fs";

import { interruptedChanges } from "../../src/cli/doctor/interrupted.ts";
import { ChangeLog } from "../../src/install/change-log.ts";
import { runIn } from "../cli/fake-io.ts";
import { TempTree } from "../config/temp-tree.ts";
import { killedAt, withQuickFiles } from "./killed.ts";

const file = "home/.cursor/mcp.json";
const own = "home/.scorpiox/config.toml";
const text = `${JSON.stringify(
  {
    mcpServers: {
      git: { command: "git-mcp", env: { GITHUB_TOKEN: "theirs" } },
      memory: { command: "npx", args: ["-y", "memory"] },
    },
  },
  undefined,
  2,
)}\n`;

/** Where the servers are: in the client's file, here, and whether something is under way. */
interface Seen {
  readonly client: string;
  readonly here: readonly string[];
  readonly secrets: string;
  readonly underWay: number;
}

async function seen(tree: TempTree): Promise<Seen> {
  const here = existsSync(tree.path(own)) ? readFileSync(tree.path(own), "utf8") : "";
  return {
    client: readFileSync(tree.path(file), "utf8"),
    here: [...here.matchAll(/\[mcp\.servers\.(\w+)\]/g)].map(([, name = ""]) => name),
    secrets: (await runIn(tree, ["mcp", "secrets", "list"])).stdout,
    underWay: new ChangeLog(tree.path("home/.scorpiox"))
      .records()
      .filter(({ underWay }) => underWay !== undefined).length,
  };
}

const before: Seen = { client: text, here: [], secrets: "", underWay: 0 };

/** What `install --move` leaves when nothing kills it. */
async function moved(tree: TempTree): Promise<Seen> {
  await runIn(tree, ["install", "cursor", "--move", "--yes"]);
  return seen(tree);
}

/** A file that is replaced as a whole, and one with two names, which is written through. */
const kinds = [["replaced", false] as const, ["written through", true] as const];

function treeOf(isLinked: boolean): TempTree {
  const tree = new TempTree({ [file]: text });
  if (isLinked) linkSync(tree.path(file), tree.path("home/other-name.json"));
  return tree;
}

/** Whether the client's file, or ours, has the servers: a file that is written through may be torn until the next command. */
function isSomewhere({ client, here }: Seen): boolean {
  return client.includes("git-mcp") || here.includes("git");
}

async function installKilled(isLinked: boolean): Promise<void> {
  using whole = treeOf(isLinked);
  const after = await moved(whole);
  const ends = new Set<string>();
  let torn = 0;
  for (let at = 1; ; at++) {
    using tree = treeOf(isLinked);
    if (!(await killedAt(at, () => moved(tree)))) break;
    const left = await seen(tree);
    if (left.client !== text && left.client !== after.client) torn++;
    expect({ at, isSomewhere: isSomewhere(left) }).toEqual({ at, isSomewhere: true });
    const { stderr } = await runIn(tree, ["uninstall", "cursor", "--dry-run"]);
    const isTold = stderr.includes("was interrupted");
    const { findings } = interruptedChanges(tree.path("home/.scorpiox"), undefined);
    expect({ at, isTold, findings: findings.length }).toEqual({
      at,
      isTold: left.underWay > 0,
      findings: left.underWay,
    });
    await runIn(tree, ["undo", "kiro", "--yes"]);
    const now = await seen(tree);
    const end = now.client === text ? "before" : "after";
    ends.add(end);
    expect({ at, ...now }).toEqual({ at, ...(end === "before" ? before : after) });
    const { exitCode } = await runIn(tree, ["undo", "cursor", "--yes"]);
    const wanted = { at, ...before, exitCode: end === "before" ? 3 : 0 };
    expect({ at, ...(await seen(tree)), exitCode }).toEqual(wanted);
    // Moved again, nothing is in the way.
    expect({ at, ...(await moved(tree)) }).toEqual({ at, ...after });
  }
  expect([...ends].sort()).toEqual(["after", "before"]);
  expect(torn > 0).toBe(isLinked);
}

async function undoKilled(isLinked: boolean): Promise<void> {
  const ends = new Set<string>();
  for (let at = 1; ; at++) {
    using tree = treeOf(isLinked);
    const after = await moved(tree);
    if (!(await killedAt(at, () => runIn(tree, ["undo", "--yes"])))) break;
    expect({ at, isSomewhere: isSomewhere(await seen(tree)) }).toEqual({ at, isSomewhere: true });
    await runIn(tree, ["undo", "kiro", "--yes"]);
    const now = await seen(tree);
    const end = now.client === text ? "before" : "after";
    ends.add(end);
    expect({ at, ...now }).toEqual({ at, ...(end === "before" ? before : after) });
    if (end === "after") await runIn(tree, ["undo", "cursor", "--yes"]);
    expect({ at, ...(await seen(tree)) }).toEqual({ at, ...before });
    // Copies may hold tokens: none of them is left.
    await runIn(tree, ["install", "cursor", "--yes"]);
    await runIn(tree, ["undo", "--yes"]);
    const folders = ["home/.scorpiox/installs", "home/.cursor"];
    const left = folders.flatMap((folder) => readdirSync(tree.path(folder))).sort();
    expect({ at, left }).toEqual({ at, left: ["changes.json", "changes.lock", "mcp.json"] });
  }
  expect([...ends].sort()).toEqual(["after", "before"]);
}

describe("[IN8] a kill at any step is ended by the next command", () => {
  test.each(kinds)("of install --move, the file is %s", (_, isLinked) =>
    withQuickFiles(() => installKilled(isLinked)),
  );

  test.each(kinds)("of undo, the file is %s", (_, isLinked) =>
    withQuickFiles(() => undoKilled(isLinked)),
  );
});
