import { cleanPart, cleanServer, originalName, shortServer, uncutName } from "./assign-names.ts";

interface NamedTool {
  readonly server: string;
  readonly tool: string;
  /** `tools_prefix`; absent = the server's name. */
  readonly prefix?: string | undefined;
  /** Names that it had under another character budget (NM7). */
  readonly earlierNames?: readonly string[] | undefined;
}

/** The aliases of one server's tools. No alias is stored: the tool's part of a name is looked up directly. */
export class ServerNames<Tool extends NamedTool> {
  readonly #byTool = new Map<string, Tool[]>();
  /** Only for tools whose clean name differs. */
  readonly #byCleanTool = new Map<string, Tool[]>();
  readonly #byDottedTool = new Map<string, Tool[]>();
  readonly #byEarlierName = new Map<string, Tool[]>();
  readonly #server: string;
  readonly #prefixes: ReadonlySet<string>;

  /** @param tools of `server`, all of them */
  constructor(server: string, tools: readonly Tool[]) {
    this.#server = server;
    this.#prefixes = new Set(tools.map(({ prefix }) => prefix ?? server));
    for (const tool of tools) this.#add(tool);
  }

  /** `mcp__<server>__<tool>`, uncut or as its server writes it, or a name that it once had. */
  byFullName(name: string): readonly Tool[] {
    const starts = new Set([`mcp__${this.#server}__`, `mcp__${cleanServer(this.#server)}__`]);
    const found = [...starts].flatMap((start) => {
      const tool = restAfter(name, start);
      return tool === undefined
        ? []
        : [...itemsOf(this.#byTool, tool), ...itemsOf(this.#byCleanTool, tool)];
    });
    return [...new Set([...found, ...itemsOf(this.#byEarlierName, name)])];
  }

  /** `mcp:<prefix>.<tool>`. */
  byColonName(name: string): readonly Tool[] {
    return [...this.#prefixes].flatMap((prefix) => {
      const tool = restAfter(name, `mcp:${prefix}.`);
      return tool === undefined ? [] : withPrefix(itemsOf(this.#byTool, tool), prefix);
    });
  }

  /** The same with underscores for `:` and `.`. */
  byUnderscoreName(name: string): readonly Tool[] {
    return [...this.#prefixes].flatMap((prefix) => {
      const tool = restAfter(name, `mcp_${underscored(prefix)}_`);
      if (tool === undefined) return [];
      const found = [...itemsOf(this.#byTool, tool), ...itemsOf(this.#byDottedTool, tool)];
      return withPrefix(
        found.filter((one) => underscored(one.tool) === tool),
        prefix,
      );
    });
  }

  byBareName(name: string): readonly Tool[] {
    return itemsOf(this.#byTool, name);
  }

  #add(tool: Tool): void {
    put(this.#byTool, tool.tool, tool);
    const clean = cleanPart(tool.tool);
    if (clean !== tool.tool) put(this.#byCleanTool, clean, tool);
    const dotted = underscored(tool.tool);
    if (dotted !== tool.tool) put(this.#byDottedTool, dotted, tool);
    for (const name of tool.earlierNames ?? []) put(this.#byEarlierName, name, tool);
  }
}

function underscored(text: string): string {
  return text.replaceAll(/[:.]/g, "_");
}

function restAfter(name: string, start: string): string | undefined {
  return name.startsWith(start) ? name.slice(start.length) : undefined;
}

function withPrefix<Tool extends NamedTool>(tools: readonly Tool[], prefix: string): Tool[] {
  return tools.filter((tool) => (tool.prefix ?? tool.server) === prefix);
}

function itemsOf<Item>(map: ReadonlyMap<string, readonly Item[]>, key: string): readonly Item[] {
  return map.get(key) ?? [];
}

function put<Item>(map: Map<string, Item[]>, key: string, item: Item): void {
  const items = map.get(key);
  if (items === undefined) map.set(key, [item]);
  else items.push(item);
}

interface AliasedTool {
  readonly name: string;
  readonly server: string;
  readonly tool: string;
  readonly prefix?: string | undefined;
  readonly earlierNames?: readonly string[] | undefined;
}

/** All aliases by which a tool might be called (NM5, NM7); `NameTable` decides whether they are unambiguous. */
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

/** All prefixes of names of a server's tools, with cut names and aliases, whatever tools it has. */
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
