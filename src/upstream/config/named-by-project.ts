import { basename } from "node:path";

import { product } from "../../base/product.ts";
import { isTomlFile } from "../../config/config-file-kind.ts";
import { readTextFile } from "../../config/read-text-file.ts";
import { isObject } from "../../protocol/json-rpc.ts";
import { fixedSources } from "./fixed-sources.ts";
import type { ServersStart } from "./upstream-start.ts";

/**
 * Names of servers in the project's files, at a glance: for what is said before the configuration is loaded. Whether one of
 * them is approved, replaced or switched off is not known; a file that only the real reader understands gives none.
 */
export function namedByProject({ dirs, workspaceName }: ServersStart): readonly string[] {
  const sources = fixedSources({ dirs, workspace: workspaceName }, false);
  const found = sources
    .filter(({ trust }) => trust === "project")
    .flatMap(({ file }) => namesIn(file));
  return [...new Set(found)].filter((name) => /^[A-Za-z0-9][A-Za-z0-9_.-]{0,63}$/.test(name));
}

function namesIn(file: string): readonly string[] {
  const content = readTextFile(file);
  if (content.kind !== "text") return [];
  if (isTomlFile(file)) {
    const heads = content.text.matchAll(/^[ \t]*\[mcp\.servers\.(?:"([^"]+)"|([\w-]+))\]/gm);
    return [...heads].map(([, quoted, bare]) => quoted ?? bare ?? "");
  }
  try {
    return namesOf(Bun.JSONC.parse(content.text));
  } catch {
    return [];
  }
}

function namesOf(value: unknown): readonly string[] {
  if (Array.isArray(value)) {
    return value.flatMap((one) =>
      isObject(one) && typeof one.name === "string" && isAnother(one) ? [one.name] : [],
    );
  }
  if (!isObject(value)) return [];
  const servers = value.mcpServers ?? value.servers;
  if (Array.isArray(servers)) return namesOf(servers);
  if (!isObject(servers)) return [];
  return Object.entries(servers).flatMap(([name, one]) => (isAnother(one) ? [name] : []));
}

/** A project's `.mcp.json` often has an entry by which a client starts this program. */
function isAnother(entry: unknown): boolean {
  if (!isObject(entry) || entry.enabled === false || entry.disabled === true) return false;
  const { command } = entry;
  const name = typeof command === "string" ? basename(command).replace(/\.exe$/, "") : "";
  return name !== product.name;
}
