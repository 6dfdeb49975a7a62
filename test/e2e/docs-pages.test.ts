import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from "bun:test";
import { copyFileSync, existsSync, linkSync, readFileSync } from "node:fs";
import { join } from "node:path";

import { installTargets } from "../../src/install/install-targets.ts";
import { readEntry } from "../../src/install/edit/entry-text.ts";
import { isLongRun } from "../fixtures/long-run.ts";
import { blocksOf, type DocBlock } from "../docs/blocks.ts";
import { readPage } from "../docs/pages.ts";
import { ensureBuilt, productBinary } from "./harness/binary.ts";
import { posixTest, testMsMax } from "./harness/platform.ts";
import { testEnvironment } from "./harness/server.ts";
import { expectServes } from "./harness/serves.ts";
import { TempFolder } from "./harness/temp-folder.ts";

setDefaultTimeout(testMsMax);
ensureBuilt(productBinary);

/** The pages that a track of docs/README.md links to. */
function pagesOf(track: string): readonly string[] {
  const { text } = readPage("docs/README.md");
  const [, section = ""] = new RegExp(`^## ${track}\n([^]*?)^## `, "m").exec(text) ?? [];
  // The tools have tests of their own.
  const [links = ""] = section.split("\nTools: ");
  return [...links.matchAll(/\]\(([\w/-]+\.md)\)/g)].map(([, file = ""]) => `docs/${file}`);
}

const clientPages = installTargets.map(({ id }) => `docs/clients/${id}.md`);
const tracks = [...pagesOf("Start"), ...pagesOf("Clients")];
const files = [...tracks, ...clientPages];
/** The blocks of clients differ in the client's name: the suite runs those of some. */
const run = [...tracks, ...clientPages.filter((_page, place) => isLongRun || place % 4 === 0)];

/** Lines that are not run here, by what they need. */
const elsewhere: readonly (readonly [needs: string, line: RegExp])[] = [
  ["a release", /^(?:curl |openssl |cosign |gh |sha256sum |scorpiox-code update|tar -xf)/],
  ["the lines before it", /^ {2}--certificate/],
  ["a registry or a package manager", /^(?:npx |brew |scoop |winget |sudo |docker |npm )/],
  ["a build", /^(?:sh scripts\/install\.sh|node_modules\/\.bin\/bun scripts\/build)/],
  ["search engines", /doctor search$/],
  ["Claude Code", /^claude /],
];

/** How a line ends that does not end with 0, and what is seen of others. */
const outcomes: readonly (readonly [line: RegExp, exitCode: number | "any", output: RegExp])[] = [
  [/ attach$/, 2, /terminal/],
  // The home of this test is a folder for temporary files, which is a fault.
  [/doctor(?! search)/, "any", /^\W*(?:ok +)?start +as .*\n[^]*the model sees .*Bash/m],
  [/ install /, 0, /^.* was (?:changed|written|created)/m],
  [/ undo /, 0, /\S/],
  [/echo "\$PATH"/, 0, /\/bin/],
  [/config list/, 0, /^[A-Z_]+=/m],
  [/skills show/, 0, /notes\.md/],
  [/tasks list/, 0, /Write the parser/],
  [/tasks export/, 0, /^$/],
  [/tasks import/, 0, /1 task/],
  [/tools --format/, 0, /^\[/],
  [/call - --format openai/, 0, /"tool_call_id":\s*"c1"/],
  [/call - --format anthropic/, 0, /"tool_use_id":\s*"c1"/],
  [/^git|git status/, 0, /On branch|No commits|exit code/],
];

const home = new TempFolder();
const work = home.folder("work");

beforeAll(() => {
  const program = join(home.folder(".scorpiox"), "scorpiox-code");
  try {
    linkSync(productBinary, program);
  } catch {
    copyFileSync(productBinary, program);
  }
  copyFileSync(program, `${program}.previous`);
  Bun.spawnSync(["git", "init", "--quiet", work]);
  home.write(
    "work/.claude/skills/review-notes/SKILL.md",
    blocksOf("docs/skills.md").find(({ language }) => language === "markdown")?.body ?? "",
  );
  home.write("work/notes.md", "x\n");
  home.write(".scorpiox/config.toml", `[mcp.servers.github]\ncommand = "false"\nenabled = false\n`);
  const tasks = blocksOf("docs/tasks.md").find(({ language }) => language === "json")?.body ?? "";
  home.write("work/first.json", tasks);
  const child = Bun.spawnSync([program, "tasks", "import", "first.json"], {
    cwd: work,
    env: testEnvironment(home.path),
  });
  expect(child.exitCode).toBe(0);
});
afterAll(() => home[Symbol.dispose]());

/** As it stands, but for what nobody is there to answer, and for clients that are not on this machine. */
function replaced(line: string): string {
  return line
    .replaceAll("/home/you", home.path)
    .replace("/the/project", work)
    .replace(/(scorpiox-code install \S+(?: --scope project)?)/, "$1 --yes --create")
    .replace(/(scorpiox-code undo)/, "$1 --yes");
}

/** The lines of a block, those that go on in the next one joined. */
function linesOf({ body }: DocBlock): readonly string[] {
  return body
    .replaceAll("\\\n", " ")
    .replaceAll("|\n", "| ")
    .split("\n")
    .filter((line) => line.trim() !== "" && !line.startsWith("#"));
}

async function runLine(line: string): Promise<void> {
  const child = Bun.spawn(["sh", "-c", replaced(line)], {
    cwd: work,
    env: {
      ...testEnvironment(home.path),
      PATH: `${home.at(".scorpiox")}:${process.env["PATH"] ?? ""}`,
    },
    stdio: ["ignore", "pipe", "pipe"],
  });
  const [stdout, stderr] = await Promise.all([child.stdout.text(), child.stderr.text()]);
  const exitCode = await child.exited;
  const [, wanted = 0, output = /^/] = outcomes.find(([about]) => about.test(line)) ?? [];
  expect({ line, exitCode, text: `${stdout}${stderr}` }).toEqual({
    line,
    exitCode: wanted === "any" ? exitCode : wanted,
    text: expect.stringMatching(output),
  });
}

const serving = new Map<string, Promise<void>>();

/** Entries that differ in the name of their client alone start the program alike: one of them does. */
function serves(client: string, words: readonly string[]): Promise<void> {
  const key = JSON.stringify(words.filter((word) => word !== client));
  const known = serving.get(key) ?? expectServes(home, words);
  serving.set(key, known);
  return known;
}

describe("[pages.run] the pages of the tracks Start and Clients, in an empty home", () => {
  const blocksIn = (pages: readonly string[]) =>
    pages.flatMap((file) =>
      blocksOf(file).map((block) => [`${file}:${block.line}`, block, file] as const),
    );
  const blocks = blocksIn(files);
  const isShell = ([, { language }]: (typeof blocks)[number]): boolean => language === "sh";
  const shell = blocksIn(run).filter(isShell);

  test("there are pages, and blocks on them", () => {
    expect(files.filter((file) => !existsSync(join(import.meta.dir, "../..", file)))).toEqual([]);
    expect(files.length).toBeGreaterThan(30);
    expect(blocks.filter(isShell).length).toBeGreaterThan(30);
  });

  posixTest.each(shell)("%s", async (_place, block) => {
    for (const line of linesOf(block)) {
      if (!elsewhere.some(([, pattern]) => pattern.test(line))) await runLine(line);
    }
  });

  posixTest.each(installTargets.map((target) => [target.id, target] as const))(
    "the entry to add by hand for %s starts the program",
    async (id, { home: place, limitsId }) => {
      const block = blocksOf(`docs/clients/${id}.md`).find(({ language }) => language !== "sh");
      const text = replaced(block?.body ?? "");
      const entry = readEntry(`x.${block?.language ?? ""}`, text, place, "scorpiox-code") ?? {};
      const command = entry["command"] ?? entry["cmd"];
      const words = [command, entry["args"] ?? []].flat().map(String);
      expect(words).toContain(limitsId);
      await serves(limitsId, words);
    },
  );

  test("every reason not to run a line is still needed", () => {
    const lines = shell.flatMap(([, block]) => [...linesOf(block), ...block.body.split("\n")]);
    expect(elsewhere.filter(([, pattern]) => !lines.some((line) => pattern.test(line)))).toEqual(
      [],
    );
  });
});

test("undo has taken every entry back", () => {
  const left = readFileSync(home.at(".claude.json"), { encoding: "utf8", flag: "a+" });
  expect(left).not.toContain("scorpiox-code");
});
