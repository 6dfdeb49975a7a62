import type { GivenRoots, ServerOptions } from "../config/server-entry.ts";
import type { ServerCatalogue } from "../connect/connection.ts";
import { nearestTools } from "../names/nearest-tools.ts";
import { ServerNames } from "../names/server-names.ts";
import type { ServerInfo } from "../server-state.ts";
import type { BlockedTool, ToolEntry } from "../snapshot.ts";
import type { JudgedCatalogue } from "../trust/judge-catalogue.ts";

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

type Known = ToolEntry | BlockedTool;

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
  #servers: readonly ServerNames<Known>[] | undefined;

  constructor(parts: NameTableParts) {
    this.#parts = parts;
    this.#ownPrefix = `mcp__${parts.ownKey}__`;
    this.#reserved = new Map(parts.reserved.map((name) => [name.toLowerCase(), name]));
    this.#blocked = new Set(parts.blocked);
    for (const entry of parts.blocked) this.#primary.set(entry.name, entry);
    // A callable tool wins over a blocked one of the same name.
    for (const entry of parts.tools) this.#primary.set(entry.name, entry);
  }

  static build(parts: NameTableParts): NameTable {
    return new NameTable(parts);
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
      (server: ServerNames<Known>) => server.byFullName(name),
      (server: ServerNames<Known>) => server.byColonName(name),
      (server: ServerNames<Known>) => server.byUnderscoreName(name),
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

  #indexed(): readonly ServerNames<Known>[] {
    const byServer = new Map<string, Known[]>();
    for (const entry of [...this.#parts.tools, ...this.#parts.blocked]) {
      const entries = byServer.get(entry.server);
      if (entries === undefined) byServer.set(entry.server, [entry]);
      else entries.push(entry);
    }
    return [...byServer].map(([server, entries]) => new ServerNames(server, entries));
  }

  #nearest(name: string): readonly string[] {
    const names = this.#parts.tools.map((entry) => entry.name);
    const bare = name.startsWith(this.#ownPrefix) ? name.slice(this.#ownPrefix.length) : name;
    return nearestTools(bare, [...this.#parts.reserved, ...names]);
  }
}

/** One server, as input to a snapshot. */
export interface ServerView {
  readonly info: ServerInfo;
  readonly options: ServerOptions;
  /** Its catalogue, and the judgement on each part; undefined while it is unknown, or when the server may not be used. */
  readonly offer?: { readonly catalogue: ServerCatalogue; readonly judged: JudgedCatalogue };
  /** Whether the server may be used has been decided. */
  readonly isLookedAt: boolean;
  /** It may be used, its catalogue is unknown, and it is being asked. */
  readonly isAwaited: boolean;
  /** As `isAwaited`, and lists still wait for it. */
  readonly holdsLists: boolean;
  /** It may be used, and its catalogue is unknown, for whatever reason. */
  readonly isUnknown: boolean;
  /** The folders that it may learn of. */
  readonly roots: GivenRoots;
  /** Its catalogue may depend on the principal. */
  readonly hasCredentials: boolean;
}
