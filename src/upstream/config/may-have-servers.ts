import { join } from "node:path";

import { product } from "../../base/product.ts";
import { isServerFile, isTomlFile } from "../../config/config-file-kind.ts";
import { envFileName } from "../../config/places.ts";
import { readTextFile } from "../../config/read-text-file.ts";
import { fixedSources } from "./fixed-sources.ts";
import type { ServersStart } from "./upstream-start.ts";

/**
 * True when some source may name a server: what is asked before anything of this is loaded. It may be true for nothing
 * (an entry that is broken), never false for something. A handful of looks at files, some 50 µs.
 * @param settingsDir the project in which the settings were read, where the client has moved to another one
 */
export function mayHaveServers(
  start: ServersStart,
  settingsDir: string | undefined = start.dirs.projectDir,
): boolean {
  const { mcp } = start.config.settings;
  const { configFiles, isNested, isStrict } = start.upstream;
  if (!mcp.isOn || isNested || (isStrict && configFiles.length === 0)) return false;
  if (mcp.namesServers || configFiles.some(isServerFile)) return true;
  const { projectDir } = start.dirs;
  if (projectDir !== undefined && projectDir !== settingsDir && hasKeys(projectDir)) return true;
  const parts = { dirs: start.dirs, workspace: start.workspaceName };
  return fixedSources(parts, false).some(({ file }) => mayNameServers(file));
}

/** Keys name servers too. */
function hasKeys(projectDir: string): boolean {
  return [".claude", ".scorpiox"].some(
    (folder) => readTextFile(join(projectDir, folder, envFileName)).kind !== "absent",
  );
}

/** Clients write files without any server. One that cannot be read is looked at by those who can say why. */
function mayNameServers(file: string): boolean {
  const content = readTextFile(file);
  if (content.kind === "absent") return false;
  if (content.kind === "unusable") return true;
  if (isTomlFile(file)) return /\bmcp\b/.test(content.text);
  return countOf(content.text, addresses) > countOf(content.text, ownCommand);
}

const addresses = /command|url/gi;
/** A project's `.mcp.json` often has one entry, by which a client starts this program: such entries are skipped. */
const ownCommand = new RegExp(
  `"command"\\s*:\\s*"(?:[^"]*[/\\\\])?${product.name}(?:\\.exe)?"`,
  "g",
);

function countOf(text: string, expression: RegExp): number {
  return text.match(expression)?.length ?? 0;
}
