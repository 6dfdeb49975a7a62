import { originalName, shortServer, uncutName } from "./exposed-name.ts";
import { underscored } from "./server-names.ts";

interface AliasedTool {
  readonly name: string;
  readonly server: string;
  readonly tool: string;
  readonly prefix?: string | undefined;
  readonly earlierNames?: readonly string[] | undefined;
}

/** All names that a tool might be called by besides its own (NM5, NM7); whether they mean it, a `NameTable` knows. */
export function aliasForms(entry: AliasedTool): readonly string[] {
  const { name, server, tool, prefix = server, earlierNames = [] } = entry;
  const forms = new Set([
    `mcp__${server}__${tool}`,
    `mcp:${prefix}.${tool}`,
    `mcp_${underscored(prefix)}_${underscored(tool)}`,
    tool,
    ...earlierNames,
  ]);
  forms.delete(name);
  return [...forms];
}

/** How names of a server's tools begin, cut ones and aliases included, whatever tools it has. */
export function nameStarts(server: string, prefix = server): readonly string[] {
  const starts = [
    uncutName(server, ""),
    originalName(server, ""),
    uncutName(shortServer(server), ""),
    `mcp:${prefix}.`,
    `mcp_${underscored(prefix)}_`,
  ];
  return [...new Set(starts)];
}
