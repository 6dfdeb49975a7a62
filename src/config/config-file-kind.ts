import { byteOrderMark } from "./env-file.ts";
import { readTextFile } from "./read-text-file.ts";

/**
 * True when a file that `--config` names holds MCP servers: TOML by its name, JSON by its name or its first character. Any
 * other file holds lines of KEY=VALUE, none of which can begin like JSON.
 */
export function isServerFile(file: string): boolean {
  if (/\.(?:toml|jsonc?)$/i.test(file)) return true;
  const content = readTextFile(file);
  if (content.kind !== "text") return false;
  const text = content.text.startsWith(byteOrderMark) ? content.text.slice(1) : content.text;
  return /^\s*(?:[[{]|\/[/*])/.test(text);
}

/** A file of servers is TOML by its name, and otherwise JSON. */
export function isTomlFile(file: string): boolean {
  return file.toLowerCase().endsWith(".toml");
}
