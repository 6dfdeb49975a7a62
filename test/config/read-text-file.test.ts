import { chmodSync, chownSync } from "node:fs";
import { describe, expect, test } from "bun:test";

import { messageOf } from "../../src/base/errors.ts";
import { faultOfWriters } from "../../src/config/read-text-file.ts";
import { HookApprovals } from "../../src/calls/policy/hooks/hook-approvals.ts";
import { TrustStore } from "../../src/upstream/trust/trust-store.ts";
import { runIn } from "../cli/fake-io.ts";
import { isRoot } from "../e2e/harness/platform.ts";
import { TempTree } from "./temp-tree.ts";

const everybody = "may be written by everybody: chmod o-w";
const another = "belongs to another user and is in a folder that everybody may write to";
const nobody = 65_534;

describe.skipIf(process.platform === "win32")("a file that decides for its user", () => {
  test.each([
    ["0644", 0o644, 0o755, undefined, undefined],
    ["0664, which is for a group that the user is in", 0o664, 0o775, undefined, undefined],
    ["0666", 0o666, 0o700, undefined, everybody],
    ["0602", 0o602, 0o755, undefined, everybody],
    [
      "0644 in a folder of a container, which everybody may write to",
      0o644,
      0o777,
      undefined,
      undefined,
    ],
    ["of another user in the user's folder, as mounts have it", 0o644, 0o755, nobody, undefined],
    ["of another user in a folder for everybody", 0o644, 0o777, nobody, another],
    ["of another user in a sticky folder for everybody", 0o600, 0o1777, nobody, another],
  ])("%s", (_what, mode, folderMode, owner, fault) => {
    using tree = new TempTree({ "home/.scorpiox/a": "" });
    const file = tree.path("home/.scorpiox/a");
    chmodSync(file, mode);
    chmodSync(tree.path("home/.scorpiox"), folderMode);
    // Who looks has another id, when the file cannot be given away.
    const own = process.getuid?.() ?? 0;
    if (owner !== undefined && isRoot) chownSync(file, owner, owner);
    expect(faultOfWriters(file, owner !== undefined && !isRoot ? own + 1 : own)).toBe(fault);
  });

  test("one that is not there has no fault", () => {
    expect(faultOfWriters("/nowhere/a")).toBeUndefined();
  });

  test.each([
    [".scorpiox/config.toml", `[mcp.servers.evil]\ncommand = "evil"\n`, "its servers are ignored"],
    [".scorpiox/mcp_servers.json", `{"evil": {"command": "evil"}}`, "its servers are ignored"],
    [".scorpiox/scorpiox-env.txt", "MCP_SERVER=evil:evil\n", "only stricter values are used"],
    [".claude/scorpiox-env.txt", "MCP_SERVER=evil:evil\n", "only stricter values are used"],
  ])("%s names no servers for everybody", async (name, text, end) => {
    using tree = new TempTree({ [`home/${name}`]: text });
    const names = async (): Promise<unknown> => {
      const { stdout } = await runIn(tree, ["mcp", "list", "--json"]);
      return (JSON.parse(stdout) as { servers: { name: string }[] }).servers.map((one) => one.name);
    };
    expect(await names()).toEqual(["evil"]);
    chmodSync(tree.path(`home/${name}`), 0o666);
    expect(await names()).toEqual([]);
    const { stderr } = await runIn(tree, ["tools"]);
    const { stdout } = await runIn(tree, ["mcp", "list", "--json"]);
    expect(`${stderr}${stdout}`).toContain(`home/${name}: this file ${everybody}; ${end}.`);
  });

  test("keys of a file for everybody make things stricter, and nothing else", () => {
    const text = "TOOL_BASH=false\nSANDBOX=read-only\nPOLICY_CAUTIONS=off\nHOOKS_ENABLED=false\n";
    using tree = new TempTree({ "home/.scorpiox/scorpiox-env.txt": text });
    const file = tree.path("home/.scorpiox/scorpiox-env.txt");
    const load = (): Record<string, string> => {
      const keys = ["TOOL_BASH", "SANDBOX", "POLICY_CAUTIONS", "HOOKS_ENABLED"];
      const found = tree
        .load()
        .entries()
        .filter(({ key }) => keys.includes(key));
      return Object.fromEntries(found.map(({ key, value }) => [key, value]));
    };
    const strict = { TOOL_BASH: "false", SANDBOX: "read-only" };
    expect(load()).toEqual({ ...strict, POLICY_CAUTIONS: "false", HOOKS_ENABLED: "false" });
    chmodSync(file, 0o666);
    expect(load()).toEqual({ ...strict, POLICY_CAUTIONS: "true", HOOKS_ENABLED: "true" });
  });

  test("what the command line names was meant", async () => {
    using tree = new TempTree({ "mine.json": `{"mine": {"command": "mine"}}` });
    chmodSync(tree.path("mine.json"), 0o666);
    const words = ["mcp", "list", "--json", "--config", tree.path("mine.json")];
    const { stdout } = await runIn(tree, words);
    expect((JSON.parse(stdout) as { servers: unknown[] }).servers).toHaveLength(1);
  });

  test("approvals that everybody may write are none, and nobody writes to them", async () => {
    using tree = new TempTree();
    const store = new TrustStore(tree.path("home/.scorpiox"));
    await store.approveLaunch("a", tree.path("project"));
    const verdict = (): Promise<unknown> => store.launchVerdict("a", tree.path("project"));
    expect(await verdict()).toBe("approved");
    chmodSync(store.path, 0o606);
    expect([await verdict(), await store.problem()]).toEqual([
      undefined,
      `${store.path} ${everybody}. No approval of MCP servers or their tools is in effect.`,
    ]);
    const writing = store.approveLaunch("b", tree.path("project")).catch(messageOf);
    expect(await writing).toContain("Nothing was written.");
  });

  test("approvals of hooks that everybody may write are none", async () => {
    using tree = new TempTree();
    const dir = tree.path("home/.scorpiox");
    const approvals = new HookApprovals(dir, tree.path("project"));
    await approvals.write(new Map([["x/y", "0"]]));
    expect([...(await approvals.read()).keys()]).toEqual(["x/y"]);
    const [name = ""] = new Bun.Glob("*").scanSync(`${dir}/approved-hooks`);
    chmodSync(`${dir}/approved-hooks/${name}`, 0o622);
    expect((await approvals.read()).size).toBe(0);
  });
});
