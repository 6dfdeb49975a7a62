/** Commands as people and models write them, which the reader of commands must not give up on. */
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";

import { root } from "../../../test/e2e/harness/binary.ts";

/** Commands of one kind or one place. */
export interface UsualTexts {
  readonly name: string;
  readonly texts: readonly string[];
}

/** Our own list: 25 kinds of 20, in the order of the file. */
export function ordinaryCommands(): readonly UsualTexts[] {
  const file = readFileSync(join(import.meta.dir, "ordinary-commands.txt"), "utf8");
  return file
    .split(/^=== /m)
    .slice(1)
    .map((section) => {
      const end = section.indexOf("\n");
      const body = section.slice(end + 1).replace(/\n$/, "");
      // Commands of several lines have a line between them.
      const texts = body.split(/^%$/m.test(body) ? /\n%\n/ : "\n");
      return { name: section.slice(0, end), texts };
    });
}

/** What the README and the manual tell people to type, and our own scripts. */
export function repositoryCommands(): readonly UsualTexts[] {
  const pages = ["README.md", "CONTRIBUTING.md", ...filesIn("docs", ".md")];
  return [
    { name: "README and manual", texts: pages.flatMap(commandsOfPage) },
    { name: "scripts/*.sh", texts: filesIn("scripts", ".sh").flatMap(statementsOfScript) },
    { name: "package.json", texts: scriptsOf(join(root, "package.json")) },
  ];
}

/** Of 20 packages that are installed with the checkout, chosen for having many scripts of different people. */
const packages = [
  "@modelcontextprotocol/inspector undici pino hono yaml rolldown ajv chromium-bidi lru-cache jiti",
  "has-symbols eventsource-parser linkedom defuddle entities lie minimatch yargs es-toolkit commander",
].flatMap((names) => names.split(" "));

export function packageCommands(): UsualTexts {
  const texts = packages.flatMap((name) =>
    scriptsOf(join(root, "node_modules", name, "package.json")),
  );
  return { name: `scripts of ${packages.length} npm packages`, texts };
}

function filesIn(folder: string, ending: string): string[] {
  return readdirSync(join(root, folder))
    .filter((name) => name.endsWith(ending))
    .map((name) => `${folder}/${name}`);
}

function scriptsOf(path: string): string[] {
  const parsed = JSON.parse(readFileSync(path, "utf8")) as { scripts?: Record<string, string> };
  return Object.values(parsed.scripts ?? {});
}

function commandsOfPage(path: string): string[] {
  const text = readFileSync(join(root, path), "utf8");
  const blocks = [...text.matchAll(/^```(?:sh|bash|shell)\n([\s\S]*?)^```/gm)];
  return blocks.flatMap(([, body = ""]) => statementsOf(body));
}

function statementsOfScript(path: string): string[] {
  return statementsOf(readFileSync(join(root, path), "utf8"));
}

/** Cut where bash sees a whole command; comments alone are none. */
function statementsOf(text: string): string[] {
  const statements: string[] = [];
  let lines: string[] = [];
  for (const line of text.split("\n")) {
    lines.push(line);
    const statement = lines.join("\n");
    if (line.endsWith("\\") || !isWhole(statement)) continue;
    if (!/^(?:\s*(?:#.*)?\n?)*$/.test(statement)) statements.push(statement.trim());
    lines = [];
  }
  if (lines.join("").trim() !== "") statements.push(lines.join("\n"));
  return statements;
}

function isWhole(text: string): boolean {
  const { exitCode, stderr } = Bun.spawnSync(["bash", "-n", "-c", text], { stderr: "pipe" });
  return exitCode === 0 && !stderr.toString().includes("here-document");
}
