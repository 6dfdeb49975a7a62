import { existsSync } from "node:fs";
import { join, resolve } from "node:path";

import { realPathOf } from "../../base/paths.ts";
import type { FileOrigin } from "./read-server-file.ts";
import type { UpstreamConfigParts } from "./upstream-start.ts";

/**
 * Ranks 1, 2, 4, 5, 7 and 8 of docs/mcp-servers.md#where-servers-come-from.
 * @param replacesProjectFile `MCP_FILE` is set: the project's `.mcp.json` is not looked up
 */
export function fixedSources(
  parts: Pick<UpstreamConfigParts, "dirs" | "workspace">,
  replacesProjectFile: boolean,
): readonly FileOrigin[] {
  const { projectDir, scorpioxDir } = parts.dirs;
  const sources: FileOrigin[] = [
    { rank: 1, trust: "user", scope: "global", file: join(scorpioxDir, "config.toml") },
    { rank: 2, trust: "user", scope: "global", file: join(scorpioxDir, "mcp_servers.json") },
  ];
  if (projectDir !== undefined) sources.push(...projectSources(projectDir, replacesProjectFile));
  const workspace = workspaceSource(parts);
  if (workspace !== undefined) sources.push(workspace);
  // SCORPIOX_HOME may be a folder of the project, and a link of the project may lead there: what is the user's counts once,
  // at its user level.
  const seen = new Set<string>();
  return sources.filter(({ file }) => {
    const real = realPathOf(file);
    return !seen.has(real) && seen.add(real);
  });
}

function projectSources(projectDir: string, replacesProjectFile: boolean): FileOrigin[] {
  const source = (rank: 4 | 5 | 7, ...path: readonly string[]): FileOrigin => ({
    rank,
    trust: "project",
    scope: "project",
    file: join(resolve(projectDir), ...path),
  });
  return [
    ...(replacesProjectFile ? [] : [source(4, ".mcp.json")]),
    source(5, "mcp_servers.json"),
    source(7, ".scorpiox", "config.toml"),
  ];
}

/** The project's file of the workspace, else the user's. A name that is a way to somewhere else is none. */
function workspaceSource(
  parts: Pick<UpstreamConfigParts, "dirs" | "workspace">,
): FileOrigin | undefined {
  const { dirs, workspace } = parts;
  if (workspace === undefined || !isWorkspaceName(workspace)) return undefined;
  const path = join("workspaces", workspace, "mcp_servers.json");
  const own = dirs.projectDir === undefined ? undefined : resolve(dirs.projectDir, path);
  if (own !== undefined && existsSync(own)) {
    return { rank: 8, trust: "project", scope: "workspace", file: own };
  }
  return { rank: 8, trust: "user", scope: "workspace", file: join(dirs.scorpioxDir, path) };
}

function isWorkspaceName(name: string): boolean {
  return /^[^\p{C}/\\:]{1,100}$/u.test(name) && name !== "." && name !== "..";
}
