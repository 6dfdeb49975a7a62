import { describe, expect, test } from "bun:test";
import { chmodSync, readFileSync } from "node:fs";

import { durationMs } from "../../src/cli/commands/token.ts";
import { tokenDigest, type TokenRecord } from "../../src/state/tokens/token-store.ts";
import { TempTree } from "../config/temp-tree.ts";
import { type CommandRun, runIn } from "./fake-io.ts";

const file = "home/.scorpiox/http-tokens.json";
const anyToken = /^scx_[\w-]{43}\n$/;

/** Runs commands of one home. */
class Home implements Disposable {
  readonly tree: TempTree;

  constructor(files: Readonly<Record<string, string>> = {}) {
    this.tree = new TempTree(files);
  }

  run(words: string): Promise<CommandRun> {
    return runIn(this.tree, words.split(" "));
  }

  async json(words: string): Promise<Readonly<Record<string, unknown>>> {
    return JSON.parse((await this.run(`${words} --json`)).stdout) as Record<string, unknown>;
  }

  async list(words = ""): Promise<readonly Readonly<Record<string, unknown>>[]> {
    const { stdout } = await this.run(`token list --json${words}`);
    return JSON.parse(stdout) as Record<string, unknown>[];
  }

  get records(): readonly TokenRecord[] {
    const text = readFileSync(this.tree.path(file), "utf8");
    return (JSON.parse(text) as { tokens: TokenRecord[] }).tokens;
  }

  [Symbol.dispose](): void {
    this.tree[Symbol.dispose]();
  }
}

describe("TM4: token", () => {
  test("add prints the token alone on stdout, and keeps its digest alone", async () => {
    using home = new Home();
    const { exitCode, stdout, stderr } = await home.run(
      "token add ada --expires 30d --scope a --scope b,c",
    );
    expect([exitCode, stdout]).toEqual([0, expect.stringMatching(anyToken)]);
    expect(stderr).toMatch(/The token of ada, valid until \d{4}-.*Z\. It is shown this once/);
    expect(stderr).toContain("need a restart to accept it");
    expect((await home.run("token add ben")).stderr).not.toContain("restart");
    const text = readFileSync(home.tree.path(file), "utf8");
    expect(text).not.toContain(stdout.trim().slice(4));
    const [record] = home.records;
    const { createdAtMs = 0 } = record ?? {};
    expect(record).toEqual({
      digest: tokenDigest(stdout.trim()),
      label: "ada",
      scopes: ["a", "b", "c"],
      createdAtMs,
      expiresAtMs: createdAtMs + 30 * 86_400_000,
    });
  });

  test("add --json has the token with its rights", async () => {
    using home = new Home();
    const added = await home.json("token add ada --servers none");
    expect(added).toEqual({
      label: "ada",
      token: expect.stringMatching(/^scx_/),
      scopes: null,
      servers: [],
      expires: null,
    });
  });

  test.each<[string, number, string]>([
    ["token add a/b", 2, '"a/b" is not a label'],
    ["token add ada --expires soon", 2, "--expires soon is not a time"],
    ["token add ada --expires 0", 2, "--expires 0 is not a time"],
    ['token add ada --scope a"b', 2, "is not a scope"],
    ["token add ada --servers ,", 2, "--servers names no server"],
    ["token add", 2, "an argument is missing"],
    ["token rotate ada", 3, "There is no valid token of ada"],
    ["token rotate ada --grace soon", 2, "--grace soon is not a time"],
    ["token revoke ada", 3, "There is no valid token of ada"],
  ])("%s exits with %d", async (words, code, message) => {
    using home = new Home();
    const { exitCode, stdout, stderr } = await home.run(words);
    expect([exitCode, stdout]).toEqual([code, ""]);
    expect(stderr).toContain(message);
  });

  test("add warns of a server that is not configured, and refuses a label with a valid token", async () => {
    using home = new Home();
    expect((await home.run("token add ada --servers x,y")).stderr).toContain(
      "No MCP server named x, y is configured here.",
    );
    const again = await home.run("token add ada");
    expect([again.exitCode, again.stdout]).toEqual([2, ""]);
    expect(again.stderr).toContain("token rotate ada");
  });

  test("list has made and plain tokens, and those that ended with --all", async () => {
    using home = new Home({
      "home/.scorpiox/http.toml": 'token_file = "plain.txt"',
      "home/.scorpiox/plain.txt": "laptop 0123456789abcdef0123 tools:read\n",
    });
    chmodSync(home.tree.path("home/.scorpiox/plain.txt"), 0o600);
    await home.run("token add ada --servers github");
    await home.run("token add ben");
    await home.run("token revoke ben");
    const made = { kind: "made", created: expect.any(String), expires: null, lastUse: null };
    const ada = { ...made, label: "ada", status: "valid", scopes: null, servers: ["github"] };
    const ben = { ...made, label: "ben", status: "revoked", scopes: null, servers: null };
    const laptop = {
      ...made,
      label: "laptop",
      kind: "plain",
      status: "valid",
      scopes: ["tools:read"],
      servers: null,
      created: null,
      file: "home/.scorpiox/plain.txt",
    };
    expect(await home.list()).toEqual([ada, laptop]);
    expect(await home.list(" --all")).toEqual([ada, ben, laptop]);
    const { stdout } = await home.run("token list");
    expect(stdout).toMatch(/ada +valid +all +github +never +never\n/);
    expect(stdout).toMatch(/laptop +plain, in home\S+ +tools:read +all +never +unknown\n/);
    expect(stdout).not.toContain("0123456789abcdef");
  });

  test("list names a file of plain tokens that cannot be used", async () => {
    using home = new Home({ "home/t.txt": "laptop 0123456789abcdef0123\n" });
    const { exitCode, stderr } = await home.run("token list --token-file missing.txt");
    expect([exitCode, stderr.includes("missing.txt cannot be read")]).toEqual([0, true]);
  });

  test("revoke says how many, and names a plain token of the same label", async () => {
    using home = new Home({ "project/t.txt": "ada 0123456789abcdef0123\n" });
    chmodSync(home.tree.path("project/t.txt"), 0o600);
    await home.run("token add ada");
    await home.run("token rotate ada");
    const { exitCode, stderr } = await home.run("token revoke ada --token-file t.txt");
    expect([exitCode, stderr]).toEqual([
      0,
      "scorpiox-code: warning: ada has a plain token too, which stays valid: take its line out of project/t.txt.\n" +
        "scorpiox-code: 2 tokens of ada revoked\n",
    ]);
  });

  test("rotate keeps rights and lifetime, and ends the old token after its grace", async () => {
    using home = new Home();
    await home.run("token add ada --scope a --expires 30d");
    const { exitCode, stdout } = await home.run("token rotate ada --grace 1h");
    expect([exitCode, stdout]).toEqual([0, expect.stringMatching(anyToken)]);
    const [old, made] = home.records;
    const { createdAtMs = 0 } = made ?? {};
    expect([old, made]).toMatchObject([
      { replacedAtMs: createdAtMs, expiresAtMs: createdAtMs + 3_600_000 },
      {
        digest: tokenDigest(stdout.trim()),
        scopes: ["a"],
        expiresAtMs: createdAtMs + 30 * 86_400_000,
      },
    ]);
    expect((await home.list()).map(({ status }) => status)).toEqual(["replaced", "valid"]);
    await home.run("token rotate ada --grace 0");
    expect((await home.list()).map(({ status }) => status)).toEqual(["valid"]);
  });
});

test.each<[string, number | undefined]>([
  ["0", 0],
  ["90s", 90_000],
  ["30m", 1_800_000],
  ["24h", 86_400_000],
  ["30d", 2_592_000_000],
  ["8w", 4_838_400_000],
  ["3660d", 316_224_000_000],
  ["3661d", undefined],
  ["1y", undefined],
  ["1.5h", undefined],
  ["-1h", undefined],
  ["h", undefined],
  ["", undefined],
])("durationMs(%j) is %p", (text, ms) => {
  expect(durationMs(text)).toBe(ms);
});
