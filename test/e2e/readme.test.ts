import { afterAll, describe, expect, setDefaultTimeout, test } from "bun:test";
import { linkSync, readFileSync, symlinkSync } from "node:fs";
import { join } from "node:path";

import { blocksOf, type DocBlock } from "../docs/blocks.ts";
import { ensureBuilt, productBinary, root } from "./harness/binary.ts";
import { posixTest, testMsMax } from "./harness/platform.ts";
import { testEnvironment } from "./harness/server.ts";
import { expectServes } from "./harness/serves.ts";
import { TempFolder } from "./harness/temp-folder.ts";

setDefaultTimeout(testMsMax);
ensureBuilt(productBinary);

/** With it the installer builds, in a clone, and `npx` gets its package: what `bun run verify` does. */
const isWhole = process.env["README_WHOLE"] === "1";

const home = new TempFolder();
/** Its page says enough for nobody to look for more of it in a browser. */
const text = "This page is an example, which documents may name as they like. ".repeat(10);
const site = Bun.serve({
  port: 0,
  hostname: "127.0.0.1",
  fetch: () =>
    new Response(`<!doctype html><title>Example</title><h1>Example</h1><p>${text}`, {
      headers: { "content-type": "text/html" },
    }),
});
afterAll(async () => {
  await site.stop(true);
  home[Symbol.dispose]();
});

const memory = join(root, "node_modules/@modelcontextprotocol/server-memory/dist/index.js");

/** All that is not run as it stands. */
const replacements: readonly (readonly [written: string, run: string])[] = [
  ["/home/you", home.path],
  ["https://example.com", site.url.origin],
  ...(isWhole
    ? []
    : ([
        [
          "npx -y @modelcontextprotocol/server-memory",
          `env MEMORY_FILE_PATH=${home.at("memory.jsonl")} ${process.execPath} ${memory}`,
        ],
      ] as const)),
];

function replaced(text: string): string {
  const here = replacements.reduce((run, [written, by]) => run.replaceAll(written, by), text);
  // Nobody is there to answer.
  return here.replace(/scorpiox-code install$/, "scorpiox-code install --yes");
}

/** The checkout that the reader stands in: a clone, or scripts that do what the test's own build has done. */
function checkout(): string {
  const folder = home.at("checkout");
  if (isWhole) {
    const { exitCode } = Bun.spawnSync(["git", "clone", "--quiet", root, folder]);
    expect(exitCode).toBe(0);
  } else {
    home.write("checkout/scripts/install.sh", "test -x ~/.scorpiox/scorpiox-code\n");
    const program = join(home.folder(".scorpiox"), "scorpiox-code");
    try {
      linkSync(productBinary, program);
    } catch {
      symlinkSync(productBinary, program);
    }
  }
  // The tests are what runs here.
  home.write("checkout/scripts/test.sh", "true\n");
  return folder;
}

interface Entry {
  readonly command: string;
  readonly args: readonly string[];
}

interface ClientFile {
  readonly mcpServers?: Readonly<Record<string, Entry>>;
  readonly servers?: Readonly<Record<string, Entry>>;
}

/** A client's file: it is put where the page says, and every server in it serves. */
async function useJson({ body, before }: DocBlock): Promise<void> {
  const text = replaced(body);
  const { mcpServers, servers } = JSON.parse(text) as ClientFile;
  const entries = Object.values(mcpServers ?? servers ?? {});
  expect(entries.length).toBeGreaterThan(0);
  for (const [, path = ""] of before.matchAll(/`~\/([^`]+\.json)`/g)) home.write(path, text);
  for (const { command, args } of entries) await expectServes(home, [command, ...args]);
}

/** Of a line, what is seen of it; the rest must end with 0. */
const outputs: readonly (readonly [line: RegExp, output: RegExp])[] = [
  [/uname/, /Linux|Darwin/],
  [/echo done/, /^done$/m],
  [/scorpiox-code tools/, /^ *BackgroundBash /m],
  [/ReadDocs/, /This page is an example/],
  [/mcp test memory/, /^\S memory .*: ready/],
  [/search_nodes/, /"green"/],
  [/mcp list/, /docs +http .*memory +stdio/s],
  [/mcp import/, /^# skipped: scorpiox-code /m],
  [/config list/, /^TOOL_WEBSEARCH=false +# user: /m],
];

describe("[readme.runs] README.md in an empty home", () => {
  const dir = checkout();
  // A client is here.
  home.folder(".cursor");
  const exported: string[] = [];

  async function runLine(line: string): Promise<void> {
    if (line.startsWith("export ")) return void exported.push(replaced(line));
    const child = Bun.spawn(["sh", "-c", [...exported, replaced(line)].join("\n")], {
      cwd: dir,
      env: { ...testEnvironment(home.path), SCORPIOX_READDOCS_ALLOW_HOSTS: "127.0.0.1" },
      stdio: ["ignore", "pipe", "pipe"],
    });
    const [stdout, stderr] = await Promise.all([child.stdout.text(), child.stderr.text()]);
    expect({ line, exitCode: await child.exited, stderr }).toEqual({
      line,
      exitCode: 0,
      stderr: expect.not.stringMatching(/error: |warning: /),
    });
    const [, wanted] = outputs.find(([about]) => about.test(line)) ?? [];
    if (wanted !== undefined) expect(stdout).toMatch(wanted);
    if (line.endsWith("scorpiox-code install")) {
      const text = readFileSync(home.at(".cursor/mcp.json"), "utf8");
      const { mcpServers = {} } = JSON.parse(text) as ClientFile;
      for (const { command, args } of Object.values(mcpServers))
        await expectServes(home, [command, ...args]);
    }
  }

  const blocks = blocksOf("README.md");
  posixTest("has blocks of shell and JSON only", () => {
    expect(blocks.filter(({ language }) => language !== "sh" && language !== "json")).toEqual([]);
    expect(blocks.length).toBeGreaterThan(5);
  });

  posixTest.each(blocks.map((block) => [`${block.heading}, line ${block.line}`, block] as const))(
    "%s",
    async (_where, block) => {
      if (block.language === "json") return useJson(block);
      for (const line of block.body.replaceAll("\\\n", " ").split("\n")) {
        if (line.trim() !== "") await runLine(line);
      }
    },
    isWhole ? 600_000 : testMsMax,
  );
});

test("every replacement is of something on the page", () => {
  const text = readFileSync(join(root, "README.md"), "utf8");
  expect(replacements.filter(([written]) => !text.includes(written))).toEqual([]);
});
