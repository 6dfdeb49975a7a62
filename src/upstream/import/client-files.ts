import { join, resolve } from "node:path";

import type { Environment } from "../../base/values.ts";
import type { ConfigDirs } from "../../config/places.ts";
import type { Dialect } from "./foreign-entry.ts";

/** A client whose servers can be imported, with its configuration files. */
export interface ImportClient {
  /** Its name on the command line. */
  readonly id: string;
  readonly title: string;
  readonly dialect?: Dialect;
  /** `~`, `%APPDATA%`, `%LOCALAPPDATA%` and `<project>` stand for folders; all files that exist are read. */
  readonly files: Readonly<Record<Platform, readonly string[]>>;
}

type Platform = "darwin" | "win32" | "linux";

const everywhere = (...files: readonly string[]): ImportClient["files"] => ({
  darwin: files,
  win32: files,
  linux: files,
});

/** The folder of an Electron program. */
const userFolder = (
  folder: string,
  file: string,
  project: readonly string[],
): ImportClient["files"] => ({
  darwin: [`~/Library/Application Support/${folder}/${file}`, ...project],
  win32: [`%APPDATA%/${folder}/${file}`, ...project],
  linux: [`~/.config/${folder}/${file}`, ...project],
});

const cline = "globalStorage/saoudrizwan.claude-dev/settings/cline_mcp_settings.json";
const millis: Dialect = { timeoutUnitMs: 1 };
const seconds: Dialect = { timeoutUnitMs: 1000 };

export const importClients: readonly ImportClient[] = [
  {
    id: "claude-desktop",
    title: "Claude Desktop",
    files: {
      darwin: ["~/Library/Application Support/Claude/claude_desktop_config.json"],
      win32: [
        "%APPDATA%/Claude/claude_desktop_config.json",
        "%LOCALAPPDATA%/Packages/Claude_pzs8sxrjxfjjc/LocalCache/Roaming/Claude/claude_desktop_config.json",
      ],
      linux: ["~/.config/Claude/claude_desktop_config.json"],
    },
  },
  {
    id: "claude-code",
    title: "Claude Code",
    dialect: millis,
    files: everywhere("%CLAUDE_CONFIG_DIR%/.claude.json", "~/.claude.json", "<project>/.mcp.json"),
  },
  {
    id: "cursor",
    title: "Cursor",
    files: everywhere("~/.cursor/mcp.json", "<project>/.cursor/mcp.json"),
  },
  {
    id: "vscode",
    title: "VS Code",
    files: userFolder("Code/User", "mcp.json", ["<project>/.vscode/mcp.json"]),
  },
  {
    id: "vscode-insiders",
    title: "VS Code Insiders",
    files: userFolder("Code - Insiders/User", "mcp.json", ["<project>/.vscode/mcp.json"]),
  },
  {
    id: "vscodium",
    title: "VSCodium",
    files: userFolder("VSCodium/User", "mcp.json", ["<project>/.vscode/mcp.json"]),
  },
  {
    id: "windsurf",
    title: "Windsurf",
    files: everywhere("~/.codeium/windsurf/mcp_config.json"),
  },
  {
    id: "zed",
    title: "Zed",
    files: {
      ...everywhere("~/.config/zed/settings.json", "<project>/.zed/settings.json"),
      win32: [
        "%APPDATA%/Zed/settings.json",
        "~/.config/zed/settings.json",
        "<project>/.zed/settings.json",
      ],
    },
  },
  {
    id: "codex",
    title: "Codex CLI",
    files: everywhere(
      "%CODEX_HOME%/config.toml",
      "~/.codex/config.toml",
      "<project>/.codex/config.toml",
    ),
  },
  {
    id: "gemini",
    title: "Gemini CLI",
    dialect: { ...millis, variables: "dollar" },
    files: everywhere("~/.gemini/settings.json", "<project>/.gemini/settings.json"),
  },
  {
    id: "qwen",
    title: "Qwen Code",
    dialect: { ...millis, variables: "dollar" },
    files: everywhere("~/.qwen/settings.json", "<project>/.qwen/settings.json"),
  },
  {
    id: "opencode",
    title: "OpenCode",
    dialect: { variables: "braces" },
    files: {
      ...everywhere(
        "~/.config/opencode/opencode.json",
        "~/.config/opencode/opencode.jsonc",
        "<project>/opencode.json",
        "<project>/opencode.jsonc",
      ),
      win32: [
        "~/.config/opencode/opencode.json",
        "~/.config/opencode/opencode.jsonc",
        "%LOCALAPPDATA%/opencode/opencode.json",
        "%LOCALAPPDATA%/opencode/opencode.jsonc",
        "<project>/opencode.json",
        "<project>/opencode.jsonc",
      ],
    },
  },
  { id: "cline", title: "Cline", dialect: seconds, files: userFolder("Code/User", cline, []) },
  {
    id: "roo",
    title: "Roo Code",
    dialect: seconds,
    files: everywhere("<project>/.roo/mcp.json"),
  },
  {
    id: "continue",
    title: "Continue",
    files: everywhere("~/.continue/config.yaml"),
  },
  {
    id: "goose",
    title: "Goose",
    dialect: seconds,
    files: {
      ...everywhere("~/.config/goose/config.yaml"),
      win32: ["%APPDATA%/Block/goose/config/config.yaml"],
    },
  },
  {
    id: "lmstudio",
    title: "LM Studio",
    files: everywhere("~/.cache/lm-studio/mcp.json", "~/.lmstudio/mcp.json"),
  },
  { id: "kiro", title: "Kiro", files: everywhere("~/.kiro/settings/mcp.json") },
  {
    id: "crush",
    title: "Crush",
    dialect: { variables: "dollar" },
    files: {
      ...everywhere("~/.config/crush/crush.json", "<project>/crush.json"),
      win32: ["%LOCALAPPDATA%/crush/crush.json", "<project>/crush.json"],
    },
  },
];

/** The paths of this client's files on this system, lowest precedence first, whether they exist or not. */
export function filesOfClient(
  client: ImportClient,
  dirs: Pick<ConfigDirs, "homeDir" | "projectDir">,
  env: Environment,
  platform: NodeJS.Platform,
): readonly string[] {
  const known = platform === "darwin" || platform === "win32" ? platform : "linux";
  return client.files[known].flatMap((path) => {
    const [, start = "", rest = ""] = /^(~|<project>|%\w+%)\/(.*)$/.exec(path) ?? [];
    const folder = folderOf(start, dirs, env);
    return folder === undefined ? [] : [resolve(join(folder, rest))];
  });
}

function folderOf(
  start: string,
  { homeDir, projectDir }: Pick<ConfigDirs, "homeDir" | "projectDir">,
  env: Environment,
): string | undefined {
  if (start === "~") return homeDir;
  if (start === "<project>") return projectDir;
  const value = env[start.slice(1, -1)];
  if (value !== undefined && value !== "") return value;
  if (start === "%APPDATA%") return join(homeDir, "AppData", "Roaming");
  return start === "%LOCALAPPDATA%" ? join(homeDir, "AppData", "Local") : undefined;
}
