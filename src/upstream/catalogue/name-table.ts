import type { GivenRoots, ServerOptions } from "../config/server-entry.ts";
import type { ServerCatalogue } from "../connect/connection.ts";
import { nearestTools } from "../names/nearest-tools.ts";
import { ServerNames } from "../names/server-names.ts";
import type { ServerInfo } from "../server-state.ts";
import type { BlockedTool, ToolEntry } from "../snapshot.ts";
import type { JudgedCatalogue } from "../trust/judge-catalogue.ts";

/** How a name led to its tool: for the audit log. */
export type ResolvedBy = "primary" | "alias";

export type Resolution =
  /** One of ours, by its exact name. */
  | { readonly kind: "built-in"; readonly name: string }
  | { readonly kind: "found"; readonly entry: ToolEntry; readonly via: ResolvedBy }
  /** It is there, and may not be called; its `text` says why. */
  | { readonly kind: "blocked"; readonly entry: BlockedTool; readonly via: ResolvedBy }
  /** `candidates` are primary names, in order. */
  | { readonly kind: "ambiguous"; readonly candidates: readonly string[] }
  /** `nearest` are names that can be called, at most five, the nearest first. */
  | { readonly kind: "unknown"; readonly nearest: readonly string[] };

export interface NameTableParts {
  readonly tools: readonly ToolEntry[];
  readonly blocked: readonly BlockedTool[];
  /** The names of all tools of our own, `tool_search` and `tool_call` among them. */
  readonly reserved: readonly string[];
  /** The key under which clients have us: they put `mcp__<key>__` before each name. */
  readonly ownKey: string;
}

type Known = ToolEntry | BlockedTool;

/**
 * From the names that clients use to the tools that they mean (NM5, NM6). Made anew for each snapshot: what it is
 * asked for most, primary names, is indexed at once; what aliases need, with the first of them.
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
    // What can be called wins, should a name be there twice.
    for (const entry of parts.tools) this.#primary.set(entry.name, entry);
  }

  static build(parts: NameTableParts): NameTable {
    return new NameTable(parts);
  }

  /** What `name` means. Exact: nothing is guessed, and letter case counts. */
  resolve(name: string): Resolution {
    return (
      this.#resolveAsIs(name) ??
      (name.startsWith(this.#ownPrefix)
        ? this.#resolveAsIs(name.slice(this.#ownPrefix.length))
        : undefined) ?? { kind: "unknown", nearest: this.#nearest(name) }
    );
  }

  #resolveAsIs(name: string): Resolution | undefined {
    const builtIn = this.#reserved.get(name.toLowerCase());
    // In another letter case it is nobody's.
    if (builtIn !== undefined) {
      return builtIn === name ? { kind: "built-in", name } : undefined;
    }
    const primary = this.#primary.get(name);
    if (primary !== undefined) return this.#resolved(primary, "primary");
    return this.#resolveAlias(name);
  }

  /** The forms in their order; the first that somebody has decides. */
  #resolveAlias(name: string): Resolution | undefined {
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
    // What may not be called does not make a name ambiguous.
    return this.#oneOf(callable.length > 0 ? callable : bare);
  }

  #oneOf(found: readonly Known[]): Resolution | undefined {
    const [first, second] = found;
    if (first === undefined) return undefined;
    if (second === undefined) return this.#resolved(first, "alias");
    return { kind: "ambiguous", candidates: found.map(({ name }) => name).sort() };
  }

  #resolved(entry: Known, via: ResolvedBy): Resolution {
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

/** One server as it goes into a snapshot. */
export interface ServerView {
  readonly info: ServerInfo;
  readonly options: ServerOptions;
  /** What it offers and what of that may be used; undefined while nothing is known of it, or when it may not be used. */
  readonly offer?: { readonly catalogue: ServerCatalogue; readonly judged: JudgedCatalogue };
  /** It is known whether it may be used. */
  readonly isLookedAt: boolean;
  /** It may be used, nothing is known of it, and it is being asked. */
  readonly isAwaited: boolean;
  /** The same, and lists still wait for it. */
  readonly holdsLists: boolean;
  /** It may be used, and nothing is known of it, whatever the reason. */
  readonly isUnknown: boolean;
  /** What it is told of folders. */
  readonly roots: GivenRoots;
  /** What it offers may depend on who asks. */
  readonly hasCredentials: boolean;
}
