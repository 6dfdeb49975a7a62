/**
 * How each client starts scorpiox-code: the place of its entry, its shape, and the next step of the user. The files
 * themselves are those of `upstream/import/client-files.ts`.
 */

/** A map of settings as a file holds it. */
export type Entry = Readonly<Record<string, unknown>>;

/** Where a client keeps its MCP servers: below these keys, by name or as a list of entries with a `name`. */
export interface EntryHome {
  readonly kind: "map" | "list";
  readonly path: readonly string[];
}

/** How the client comes to see a changed file. */
type NextStep = "restart" | "reload" | "nothing";

export interface InstallTarget {
  /** The client's id in `importClients`. */
  readonly id: string;
  /** The value of `--client`: the client's id in `config/clients.json`. */
  readonly limitsId: string;
  readonly home: EntryHome;
  /** The client searches through many tools by itself: it is shown all of them (`--defer off`). */
  readonly defersItself?: true;
  /** The entry that starts `words`: the program's absolute path, then its arguments. */
  entry(this: void, words: readonly string[], name: string): Entry;
  readonly next: NextStep;
  /** Says how, where a word is not enough. */
  readonly nextText?: string;
  /** Its file of the user is rewritten while it runs: its own command changes it, where that is installed. */
  readonly command?: OwnCommand;
  /** Members that switch an entry off without removing it. Absent: a server that is moved away is removed. */
  readonly off?: Entry;
  /** The key of its file below which it has servers of single projects, by folder. */
  readonly projectsKey?: string;
  /** Its programs: one that is on PATH tells that the client is installed, though it has never been started. */
  readonly programs?: readonly string[];
  /** The folder that tells that it is installed, where that is not the folder of its file. */
  readonly signs?: readonly string[];
}

/** A client's own command for its file of the user. */
export interface OwnCommand {
  readonly program: string;
  add(this: void, name: string, entry: Entry): readonly string[];
  remove(this: void, name: string): readonly string[];
}

const servers: EntryHome = { kind: "map", path: ["mcpServers"] };

const split = ([command = "", ...args]: readonly string[]): Entry => ({ command, args });
const typed = (words: readonly string[]): Entry => ({ type: "stdio", ...split(words) });

const codeHome: EntryHome = { kind: "map", path: ["servers"] };
const code = (id: string, program: string): InstallTarget => ({
  id,
  programs: [program],
  limitsId: "vscode",
  home: codeHome,
  defersItself: true,
  entry: typed,
  next: "nothing",
  nextText: "Trust the server when the editor asks, or start it with MCP: List Servers.",
});

export const installTargets: readonly InstallTarget[] = [
  {
    id: "claude-desktop",
    limitsId: "claude-desktop",
    home: servers,
    entry: split,
    next: "restart",
    nextText: "Quit Claude Desktop fully (not only its window) and start it again.",
  },
  {
    id: "claude-code",
    programs: ["claude"],
    limitsId: "claude-code",
    home: servers,
    defersItself: true,
    entry: typed,
    next: "restart",
    nextText: "Sessions that are open see it after a restart, or after /mcp.",
    command: {
      program: "claude",
      add: (name, entry) => ["mcp", "add-json", "--scope", "user", name, JSON.stringify(entry)],
      remove: (name) => ["mcp", "remove", "--scope", "user", name],
    },
    projectsKey: "projects",
    signs: ["~/.claude"],
  },
  {
    id: "cursor",
    programs: ["cursor"],
    limitsId: "cursor",
    home: servers,
    defersItself: true,
    entry: split,
    next: "nothing",
  },
  code("vscode", "code"),
  code("vscode-insiders", "code-insiders"),
  code("vscodium", "codium"),
  {
    id: "windsurf",
    programs: ["windsurf"],
    limitsId: "windsurf",
    home: servers,
    entry: split,
    next: "reload",
    off: { disabled: true },
    nextText: "Press the refresh button of its list of MCP servers.",
  },
  {
    id: "zed",
    programs: ["zed", "zeditor"],
    limitsId: "zed",
    off: { enabled: false },
    home: { kind: "map", path: ["context_servers"] },
    entry: (words) => ({ source: "custom", enabled: true, ...split(words), env: {} }),
    next: "nothing",
  },
  {
    id: "codex",
    programs: ["codex"],
    limitsId: "codex",
    off: { enabled: false },
    home: { kind: "map", path: ["mcp_servers"] },
    entry: split,
    next: "restart",
    nextText: "The next codex session has it.",
  },
  {
    id: "gemini",
    programs: ["gemini"],
    limitsId: "gemini-cli",
    home: servers,
    entry: split,
    next: "restart",
  },
  {
    id: "qwen",
    programs: ["qwen"],
    limitsId: "qwen-code",
    home: servers,
    entry: split,
    next: "restart",
  },
  {
    id: "opencode",
    programs: ["opencode"],
    limitsId: "opencode",
    off: { enabled: false },
    home: { kind: "map", path: ["mcp"] },
    entry: (words) => ({ type: "local", command: [...words], enabled: true }),
    next: "restart",
  },
  {
    id: "cline",
    limitsId: "cline",
    off: { disabled: true },
    home: servers,
    entry: (words) => ({ ...split(words), disabled: false }),
    next: "nothing",
  },
  {
    id: "roo",
    limitsId: "roo-code",
    home: servers,
    off: { disabled: true },
    entry: split,
    next: "nothing",
  },
  {
    id: "continue",
    limitsId: "continue",
    home: { kind: "list", path: ["mcpServers"] },
    entry: (words, name) => ({ name, ...split(words) }),
    next: "nothing",
  },
  {
    id: "goose",
    programs: ["goose"],
    limitsId: "goose",
    off: { enabled: false },
    home: { kind: "map", path: ["extensions"] },
    entry: ([cmd = "", ...args], name) => ({
      enabled: true,
      type: "stdio",
      name,
      cmd,
      args,
      envs: {},
      timeout: 300,
    }),
    next: "restart",
    nextText: "The next goose session has it.",
  },
  { id: "lmstudio", limitsId: "lm-studio", home: servers, entry: split, next: "nothing" },
  {
    id: "kiro",
    programs: ["kiro", "kiro-cli"],
    limitsId: "kiro",
    home: servers,
    off: { disabled: true },
    entry: split,
    next: "nothing",
  },
  {
    id: "crush",
    programs: ["crush"],
    limitsId: "crush",
    off: { disabled: true },
    home: { kind: "map", path: ["mcp"] },
    entry: typed,
    next: "restart",
  },
];

/** The key of our entry in every file; names of tools are built from it, so that it is short. */
export const entryName = "scorpiox-code";

/** The words with which a client starts scorpiox-code. */
export function launchWords(
  { limitsId, defersItself }: InstallTarget,
  program: readonly string[],
): readonly string[] {
  return [...program, "--client", limitsId, ...(defersItself === true ? ["--defer", "off"] : [])];
}
