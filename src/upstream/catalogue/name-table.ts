import {
  cleanPart,
  cleanServer,
  originalName,
  shortServer,
  uncutName,
} from "../names/assign-names.ts";
import { nearestTools } from "../names/nearest-tools.ts";
import type { BlockedTool, ToolEntry } from "../snapshot.ts";

/** How a name was resolved: for the audit log. */
export type ResolvedBy = "primary" | "alias";

export type NameResolution =
  /** A built-in tool, by its exact name. */
  | { readonly kind: "built-in"; readonly name: string }
  | { readonly kind: "found"; readonly entry: ToolEntry; readonly via: ResolvedBy }
  /** The tool exists, and may not be called; its `text` says why. */
  | { readonly kind: "blocked"; readonly entry: BlockedTool; readonly via: ResolvedBy }
  /** `candidates` are primary names, in order. */
  | { readonly kind: "ambiguous"; readonly candidates: readonly string[] }
  /** `nearest` are names that can be called, at most five, closest first. */
  | { readonly kind: "unknown"; readonly nearest: readonly string[] };

export interface NameTableParts {
  readonly tools: readonly ToolEntry[];
  readonly blocked: readonly BlockedTool[];
  /** The names of all built-in tools, `tool_search` and `tool_call` included. */
  readonly reserved: readonly string[];
  /** The key under which clients have configured scorpiox-code: they put `mcp__<key>__` before each name. */
  readonly ownKey: string;
}

type Known = ToolEntry | (BlockedTool & { readonly earlierNames?: undefined });

/**
 * Resolves the names that clients use to tools (NM5, NM6). Built again for each snapshot. Primary names, the most
 * frequent ones, are indexed at once; aliases when the first one is resolved.
 */
export class NameTable {
  readonly #primary = new Map<string, Known>();
  readonly #blocked: ReadonlySet<Known>;
  readonly #reserved: ReadonlyMap<string, string>;
  readonly #ownPrefix: string;
  readonly #parts: NameTableParts;
  #servers: readonly ServerNames[] | undefined;

  constructor(parts: NameTableParts) {
    this.#parts = parts;
    this.#ownPrefix = `mcp__${parts.ownKey}__`;
    this.#reserved = new Map(parts.reserved.map((name) => [name.toLowerCase(), name]));
    this.#blocked = new Set(parts.blocked);
    for (const entry of parts.blocked) this.#primary.set(entry.name, entry);
    // A callable tool wins over a blocked one of the same name.
    for (const entry of parts.tools) this.#primary.set(entry.name, entry);
  }

  /** Resolves `name`. Exact: letter case matters, and nothing is guessed. */
  resolve(name: string): NameResolution {
    return (
      this.#resolveAsIs(name) ??
      (name.startsWith(this.#ownPrefix)
        ? this.#resolveAsIs(name.slice(this.#ownPrefix.length))
        : undefined) ?? { kind: "unknown", nearest: this.#nearest(name) }
    );
  }

  #resolveAsIs(name: string): NameResolution | undefined {
    const builtIn = this.#reserved.get(name.toLowerCase());
    // In another letter case it names no tool.
    if (builtIn !== undefined) {
      return builtIn === name ? { kind: "built-in", name } : undefined;
    }
    const primary = this.#primary.get(name);
    if (primary !== undefined) return this.#resolved(primary, "primary");
    return this.#resolveAlias(name);
  }

  /** Tries the forms in their order; the first that matches decides. */
  #resolveAlias(name: string): NameResolution | undefined {
    const servers = (this.#servers ??= this.#indexed());
    const forms = [
      (server: ServerNames) => server.byFullName(name),
      (server: ServerNames) => server.byColonName(name),
      (server: ServerNames) => server.byUnderscoreName(name),
    ];
    for (const form of forms) {
      const found = [...new Set(servers.flatMap((server) => form(server)))];
      if (found.length > 0) return this.#oneOf(found);
    }
    const bare = servers.flatMap((server) => server.byBareName(name));
    const callable = bare.filter((entry) => !this.#blocked.has(entry));
    // A blocked tool does not make a name ambiguous.
    return this.#oneOf(callable.length > 0 ? callable : bare);
  }

  #oneOf(found: readonly Known[]): NameResolution | undefined {
    const [first, second] = found;
    if (first === undefined) return undefined;
    if (second === undefined) return this.#resolved(first, "alias");
    return { kind: "ambiguous", candidates: found.map(({ name }) => name).sort() };
  }

  #resolved(entry: Known, via: ResolvedBy): NameResolution {
    return "reason" in entry ? { kind: "blocked", entry, via } : { kind: "found", entry, via };
  }

  #indexed(): readonly ServerNames[] {
    const { tools, blocked } = this.#parts;
    const byServer = Map.groupBy([...tools, ...blocked], ({ server }) => server);
    return [...byServer].map(([server, entries]) => new ServerNames(server, entries));
  }

  #nearest(name: string): readonly string[] {
    const names = this.#parts.tools.map((entry) => entry.name);
    const bare = name.startsWith(this.#ownPrefix) ? name.slice(this.#ownPrefix.length) : name;
    return nearestTools(bare, [...this.#parts.reserved, ...names]);
  }
}

/** The aliases of one server's tools. No alias is stored: the tool's part of a name is looked up directly. */
class ServerNames {
  readonly #byTool = new Map<string, Known[]>();
  /** Only for tools whose clean name differs. */
  readonly #byCleanTool = new Map<string, Known[]>();
  readonly #byDottedTool = new Map<string, Known[]>();
  readonly #byEarlierName = new Map<string, Known[]>();
  readonly #server: string;
  readonly #prefixes: ReadonlySet<string>;

  /** @param tools of `server`, all of them */
  constructor(server: string, tools: readonly Known[]) {
    this.#server = server;
    this.#prefixes = new Set(tools.map(({ prefix }) => prefix ?? server));
    for (const tool of tools) this.#add(tool);
  }

  /** `mcp__<server>__<tool>`, uncut or as its server writes it, or a name that it once had. */
  byFullName(name: string): readonly Known[] {
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
  byColonName(name: string): readonly Known[] {
    return [...this.#prefixes].flatMap((prefix) => {
      const tool = restAfter(name, `mcp:${prefix}.`);
      return tool === undefined ? [] : withPrefix(itemsOf(this.#byTool, tool), prefix);
    });
  }

  /** `mcp_<prefix>_<tool>`, with underscores for `:` and `.`. */
  byUnderscoreName(name: string): readonly Known[] {
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

  byBareName(name: string): readonly Known[] {
    return itemsOf(this.#byTool, name);
  }

  #add(tool: Known): void {
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

function withPrefix(tools: readonly Known[], prefix: string): Known[] {
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

/** All aliases by which a tool might be called (NM5, NM7); `NameTable` decides whether they are unambiguous. */
export function aliasForms(entry: Known): readonly string[] {
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
