import { isInside, isNetworkPath, realPathOf } from "../../base/paths.ts";
import { mcpConfigKey, mcpFileKey, mcpServerKey } from "../../config/mcp-keys.ts";
import { isServerFile } from "../../config/places.ts";
import { fixedSources } from "./may-have-servers.ts";
import type { FileOrigin } from "./read-server-file.ts";
import type { EntryOrigin } from "./server-entry.ts";
import { type KeyLevel, type KeyValue, namedFile } from "./server-keys.ts";
import type { UpstreamConfigParts } from "./upstream-start.ts";

/** A source of servers: a file of them, or a value of `MCP_SERVER`. */
export type ServerSource =
  | { readonly kind: "file"; readonly origin: FileOrigin }
  | { readonly kind: "key"; readonly origin: EntryOrigin; readonly value: KeyValue };

/**
 * The nine sources (docs/mcp-servers.md#where-servers-come-from), weakest first; within a rank in the order of the
 * levels. With `--strict-config` only rank 9, even if it is empty (CF3).
 */
export function serverSources(
  parts: UpstreamConfigParts,
  levels: readonly KeyLevel[],
): readonly ServerSource[] {
  const commandLine = commandLineSources(parts);
  const fixed = fixedSources(
    parts,
    levels.some(({ values }) => values.has(mcpFileKey.name)),
  );
  return [
    ...fixed.map(fileSource),
    ...levels.flatMap((level) => levelSources(level, parts)),
    ...commandLine.map(fileSource),
  ]
    .filter(({ origin }) => !parts.isStrict || origin.rank === 9)
    .sort((a, b) => a.origin.rank - b.origin.rank);
}

function fileSource(origin: FileOrigin): ServerSource {
  return { kind: "file", origin };
}

/** A level's own servers are stronger than those of the files that it names. */
function levelSources(level: KeyLevel, parts: UpstreamConfigParts): readonly ServerSource[] {
  const value = level.values.get(mcpServerKey.name);
  const named = namedSources(level, parts).map(fileSource);
  return value === undefined ? named : [...named, { kind: "key", origin: level.origin, value }];
}

/** Files of servers that `--config` names (rank 9). */
function commandLineSources(parts: UpstreamConfigParts): readonly FileOrigin[] {
  return parts.configFiles
    .filter(isServerFile)
    .map((file): FileOrigin => ({ rank: 9, trust: "user", scope: "command-line", file }));
}

/** Files that `MCP_CONFIG` and `MCP_FILE` of a level name, with the rank of that level (CF7). */
function namedSources(level: KeyLevel, parts: UpstreamConfigParts): readonly FileOrigin[] {
  return [mcpConfigKey, mcpFileKey].flatMap(({ name }) => {
    const value = level.values.get(name);
    if (value === undefined) return [];
    const file = namedFile(value, level.origin, parts);
    // The user has not yet approved a request to another machine for it.
    if (level.origin.trust === "project" && isNetworkPath(file)) return [];
    const trust = isOfProject(file, parts) ? "project" : level.origin.trust;
    return [{ ...level.origin, trust, file }];
  });
}

/** Other people write the files in the project too, whichever source names them. */
function isOfProject(file: string, { dirs }: UpstreamConfigParts): boolean {
  if (dirs.projectDir === undefined) return false;
  const real = realPathOf(file);
  return (
    isInside(real, realPathOf(dirs.projectDir)) && !isInside(real, realPathOf(dirs.scorpioxDir))
  );
}
