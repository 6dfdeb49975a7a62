import { describe, expect, test } from "bun:test";

import { PlayedNpx } from "../fixtures/runners/played-npx.ts";
import { productBinary } from "./harness/binary.ts";
import { runProduct } from "./harness/run-product.ts";
import { TempFolder } from "./harness/temp-folder.ts";
import { Tmux } from "./harness/tmux.ts";

const secret = "s3cr3t-and-long-0123456789";
const config =
  `[mcp.servers.docs]\ncommand = "docs"\nargs = ["--token", "${secret}"]\n` +
  `[mcp.servers.slow]\ncommand = "sh"\nargs = ["-c", "sleep 1; exit 1"]\nrestart = false\n`;

function homeWithServers(): TempFolder {
  const home = new TempFolder();
  home.write(".scorpiox/config.toml", config);
  home.folder("project/.git");
  return home;
}

test("[commands.old-words] each does what the present word does", async () => {
  const lines = [
    "mcp rm docs --scope global",
    "config set STREAMING off --level user",
    "config get STREAMING --level user",
    "config unset STREAMING --level user",
    "mcp secrets rm none",
    "skills show none",
  ];
  using home = homeWithServers();
  const codes: number[] = [];
  for (const line of lines) codes.push((await runProduct(home, line.split(" "))).exitCode);
  expect(codes).toEqual([0, 0, 0, 0, 3, 3]);
});

const escape = "\u001b[";

describe("[commands.colours]", () => {
  test.each<[env: Record<string, string>, words: string, isColoured: boolean]>([
    [{}, "mcp list", false],
    [{ FORCE_COLOR: "1" }, "mcp list", true],
    [{ FORCE_COLOR: "1", NO_COLOR: "1" }, "mcp list", false],
    [{ FORCE_COLOR: "1" }, "mcp list --json", false],
  ])("in a pipe, %j: %s", async (env, words, isColoured) => {
    using home = homeWithServers();
    const { stdout, stderr } = await runProduct(home, words.split(" "), { env });
    expect(`${stdout}${stderr}`.includes(escape)).toBe(isColoured);
  });

  test("a terminal gets them, and marks of its locale", async () => {
    using home = homeWithServers();
    using terminal = new Tmux(home);
    const list = `clear; LANG=C.UTF-8 ${productBinary} mcp list; LANG=C ${productBinary} mcp list`;
    const screen = await terminal.command(list, "+ docs");
    expect(screen).toContain("✓ docs");
    expect(terminal.colours).toContain(`${escape}32m`);
  });
});

describe("[commands.progress]", () => {
  test("a terminal shows what is waited for, and nothing of it at the end", async () => {
    using home = homeWithServers();
    using terminal = new Tmux(home);
    await terminal.command(`clear; ${productBinary} mcp test; echo code: $?`, "Starting");
    const screen = await terminal.shows("code: 12");
    expect(screen).not.toContain("Starting");
    expect(screen).toContain("slow: failed");
  });

  test("a terminal shows which package is fetched, for a trial and for a comparison", async () => {
    using npx = new PlayedNpx({ fetchMs: 3_000 });
    using home = new TempFolder();
    const entry = (spec: string): object => ({
      command: npx.command,
      args: ["-y", spec],
      env: npx.env,
    });
    const mcpServers = { one: entry("pack-a"), two: entry("pack-b") };
    home.write(".scorpiox/mcp_servers.json", JSON.stringify({ mcpServers }));
    using terminal = new Tmux(home);
    await terminal.command(
      `clear; ${productBinary} mcp test one; echo code: $?`,
      "one: npx fetches pack-a",
    );
    expect(await terminal.shows("code: 0")).not.toContain("npx fetches");
    await terminal.command(
      `clear; ${productBinary} mcp diff two; echo code: $?`,
      "two: npx fetches pack-b",
    );
    expect(await terminal.shows("code: 0")).not.toContain("npx fetches");
  });

  test.each(["mcp test", "mcp test --json"])("a pipe gets no line for %s", async (words) => {
    using home = homeWithServers();
    const { exitCode, stderr } = await runProduct(home, words.split(" "));
    expect([exitCode, stderr]).toEqual([12, ""]);
  });
});

test("[commands.verbose] what is read and started is on stderr, without secrets", async () => {
  using home = homeWithServers();
  const plain = await runProduct(home, ["mcp", "list", "--json"]);
  const verbose = await runProduct(home, ["mcp", "list", "--json", "-v"]);
  expect(verbose.stdout).toBe(plain.stdout);
  expect(verbose.stderr).toContain(`reads ${home.at(".scorpiox/config.toml")}`);
  const tried = await runProduct(home, ["mcp", "test", "docs", "--verbose"]);
  expect(tried.stderr).toContain("docs starts docs --token ***");
  expect(tried.stderr).toMatch(/took \d/);
  expect(`${verbose.stderr}${tried.stderr}${tried.stdout}`).not.toContain(secret);
});
