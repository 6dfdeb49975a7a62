import { describe, expect, test } from "bun:test";
import { mkdirSync, renameSync, rmSync } from "node:fs";

import { watchUpstreamConfig } from "../../../src/upstream/config/watch-upstream-config.ts";
import type { UpstreamConfigChange } from "../../../src/upstream/config/watch-upstream-config.ts";
import { ServerTree } from "./server-tree.ts";

const servers = (...names: readonly string[]): string =>
  JSON.stringify({
    mcpServers: Object.fromEntries(names.map((name) => [name, { command: name }])),
  });

/** What a watch has told, and a wait for the next of it. */
class Told implements Disposable {
  readonly #changes: UpstreamConfigChange[] = [];
  readonly #end: () => void;
  #wake = Promise.withResolvers<void>();

  constructor(tree: ServerTree, known = tree.servers()) {
    this.#end = watchUpstreamConfig(
      tree.parts(),
      (change) => {
        this.#changes.push(change);
        this.#wake.resolve();
        this.#wake = Promise.withResolvers();
      },
      known,
    );
  }

  /** Resolves when what was told last is so; the test's own limit is the bound. */
  async until(isSo: (change: UpstreamConfigChange) => boolean): Promise<UpstreamConfigChange> {
    for (;;) {
      const last = this.#changes.at(-1);
      if (last !== undefined && isSo(last)) return last;
      await this.#wake.promise;
    }
  }

  async untilNames(...names: readonly string[]): Promise<UpstreamConfigChange> {
    return this.until(({ config }) => [...config.servers.keys()].join() === names.join());
  }

  [Symbol.dispose](): void {
    this.#end();
  }
}

describe("[GW-11] watchUpstreamConfig()", () => {
  test("tells of files that come, change, break, are mended and go", async () => {
    using tree = new ServerTree();
    using told = new Told(tree);
    tree.put("project/.mcp.json", servers("a"));
    await told.untilNames("a");
    tree.put("next", servers("a", "b"));
    renameSync(tree.path("next"), tree.path("project/.mcp.json"));
    await told.untilNames("a", "b");
    // Half a file: what it said before still counts.
    tree.put("project/.mcp.json", servers("a", "b", "c").slice(0, -10));
    const broken = await told.until(({ config }) => config.problems.length > 0);
    expect([...broken.config.servers.keys()]).toEqual(["a", "b"]);
    expect(tree.relative(broken.config.problems[0] ?? "")).toMatch(
      /^project\/\.mcp\.json:1: .*; using its last good version\.$/,
    );
    tree.put("project/.mcp.json", servers("c"));
    await told.untilNames("c");
    rmSync(tree.path("project/.mcp.json"));
    await told.untilNames();
  });

  test("sees folders and named files that come later, and approvals", async () => {
    using tree = new ServerTree();
    using told = new Told(tree);
    mkdirSync(tree.path("home/.scorpiox"));
    tree.put("home/.scorpiox/scorpiox-env.txt", "MCP_CONFIG=more.json\nMCP_SERVER=k:x\n");
    await told.untilNames("k");
    tree.put("home/.scorpiox/more.json", servers("m"));
    await told.untilNames("m", "k");
    tree.put("home/.scorpiox/trust.json", "{}");
    expect((await told.until((change) => change.hasTrustChanged)).config.servers.size).toBe(2);
    tree.put("home/.scorpiox/scorpiox-env.txt", "MCP=0\n");
    await told.until(({ config }) => !config.isOn);
  });

  test("[GW-23] sees the administrator's rules come, change and go", async () => {
    using tree = new ServerTree();
    using told = new Told(tree);
    const untilRules = (...globs: readonly string[]): Promise<UpstreamConfigChange> =>
      told.until(({ config }) => config.rules.map(({ glob }) => glob).join() === globs.join());
    tree.put("machine/config.toml", `mcp.deny = ["a"]\n`);
    await untilRules("a");
    tree.put("machine/config.toml", `mcp.deny = ["b", "c"]\n`);
    await untilRules("b", "c");
    tree.put("machine/config.toml", `mcp.enabled = false\n`);
    await told.until(({ config }) => !config.isOn);
    rmSync(tree.path("machine/config.toml"));
    await told.until(({ config }) => config.isOn);
  });

  test("tells of what has changed since it was read", async () => {
    using tree = new ServerTree();
    const known = tree.servers();
    tree.put("project/.mcp.json", servers("a"));
    using told = new Told(tree, known);
    await told.untilNames("a");
  });
});
