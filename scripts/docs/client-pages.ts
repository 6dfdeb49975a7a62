import { clientManners } from "../../src/cli/doctor/client-manners.ts";
import { setEntry } from "../../src/install/edit/entry-text.ts";
import { type EditableClient, editableClients } from "../../src/install/find-client.ts";
import { entryName, launchWords } from "../../src/install/install-targets.ts";
import limits from "../../src/config/clients.json";
import { code, pageTable } from "./markdown.ts";
import type { GeneratedPage } from "./pages.ts";

/** Facts of one client that a reader wants to know before they stumble over them. */
const remarks: Readonly<Record<string, readonly string[]>> = {
  "claude-desktop": [
    "It starts each server twice, for its chat and its code surfaces: both share what is on disk.",
    "It ends a call after about a minute, whatever is configured: a longer command goes on in the background.",
    "Its logs are in `~/Library/Logs/Claude`, `%APPDATA%\\Claude\\logs` or `~/.config/Claude/logs`.",
    "The build from the Microsoft Store reads a file of its own, which `install` finds.",
  ],
  "claude-code": [
    "Where the command `claude` is installed, `install` uses it (`claude mcp add-json`), since Claude Code rewrites its file while it runs.",
    "It does not read MCP servers from `~/.claude/settings.json`; `doctor` tells when the entry is there.",
    "It moves a call of the main conversation to the background after two minutes.",
  ],
  cursor: ["It reloads the file by itself."],
  vscode: [
    "The file of a workspace is `.vscode/mcp.json`: `install vscode --scope project`.",
    "It takes 128 tools in a request.",
  ],
  windsurf: ["It takes 100 tools of all servers together."],
  codex: [
    "It ends a call after 60 s and a start after 10 s unless its file says otherwise.",
    "The file of a project is only read in trusted projects.",
  ],
  gemini: ["It cuts names of tools above 63 characters in the middle."],
  opencode: ["`opencode.jsonc` shadows `opencode.json`: `install` edits the one that is read."],
  roo: ["It has files of projects only: `install roo --scope project`."],
};

/** All clients: where they are configured, and what comes next. */
export function clientTable(): string {
  const rows = editableClients.map((client) => [
    `[${client.title}](${client.id}.md)`,
    code(`install ${client.id}`),
    code(shownFile(client, "linux") ?? ""),
    code(client.home.path.join(".")),
    nextOf(client),
  ]);
  return pageTable(["client", "command", "file on Linux", "key", "afterwards"], rows);
}

/** A page for each client, made of one block. */
export function clientPages(): readonly GeneratedPage[] {
  return editableClients.map((client) => ({
    file: `docs/clients/${client.id}.md`,
    blocks: new Map([["client", pageOf(client)]]),
  }));
}

function pageOf(client: EditableClient): string {
  const { id, title } = client;
  const scopes = client.client.files.linux.some((file) => file.startsWith("<project>"));
  const isUsers = client.client.files.linux.some((file) => !file.startsWith("<project>"));
  const commands = [
    `scorpiox-code install ${id}${isUsers ? "" : " --scope project"}   # shows the change, asks, writes`,
    "scorpiox-code undo   # gives back every byte",
    ...(clientManners.some((manner) => manner.id === id)
      ? [
          `scorpiox-code doctor --as ${id}   # starts as ${title} does, and shows what it is offered`,
        ]
      : []),
  ];
  const parts = [
    `# ${title}`,
    ["```sh", ...commands, "```"].join("\n"),
    `Afterwards: ${nextOf(client)}`,
    scopes && isUsers
      ? `For one project alone: \`scorpiox-code install ${id} --scope project\`.`
      : "",
    filesTable(client),
    `By hand, add this below \`${client.home.path.join(".")}\`; the path must be absolute:`,
    snippetOf(client),
    limitsOf(client),
    (remarks[id] ?? []).map((remark) => `- ${remark}`).join("\n"),
    "[All clients](README.md)",
  ];
  return parts.filter((part) => part !== "").join("\n\n");
}

function nextOf({ next, nextText, title }: EditableClient): string {
  if (nextText !== undefined) return nextText;
  if (next === "restart") return `Restart ${title}.`;
  return next === "reload" ? `Reload ${title}.` : "Nothing: it notices the change by itself.";
}

type System = keyof EditableClient["client"]["files"];

function shownFile({ client }: EditableClient, system: System): string | undefined {
  const files = client.files[system].filter(
    (file) => !file.startsWith("%CLAUDE") && !file.startsWith("%CODEX"),
  );
  return files.find((file) => !file.startsWith("<project>")) ?? files[0];
}

function filesTable(client: EditableClient): string {
  const rows = (["linux", "darwin", "win32"] as const).map((system) => [
    { linux: "Linux", darwin: "macOS", win32: "Windows" }[system],
    client.client.files[system].map(code).join("<br>"),
  ]);
  return pageTable(["system", "files, the last one that exists is edited"], rows);
}

function snippetOf(client: EditableClient): string {
  const file = shownFile(client, "linux") ?? "";
  const language = file.endsWith(".toml") ? "toml" : /\.ya?ml$/.test(file) ? "yaml" : "json";
  const words = launchWords(client, ["/home/you/.scorpiox/scorpiox-code"]);
  const text = setEntry(file, "", client.home, entryName, client.entry(words, entryName));
  return `<!-- prettier-ignore -->\n\`\`\`${language}\n${text.trimEnd()}\n\`\`\``;
}

function limitsOf({ limitsId }: EditableClient): string {
  const row = limits.find(({ id }) => id === limitsId);
  const { answerMs = 55_000, resultCharsMax = 30_000 } = { ...row } as {
    answerMs?: number;
    resultCharsMax?: number;
  };
  return `With \`--client ${limitsId}\` a call is answered within ${answerMs / 1000} s (a longer command goes on in the background), and a result has at most ${resultCharsMax.toLocaleString("en")} characters.`;
}
