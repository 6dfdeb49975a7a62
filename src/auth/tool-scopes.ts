import { AppError } from "../base/errors.ts";
import type { Principal } from "./principal.ts";
import { isScope } from "./scope-text.ts";

/** What a call needs: one scope of each group. The first of a group is the narrowest, which a challenge names. */
type ScopeGroups = readonly (readonly string[])[];

const none: ScopeGroups = [];
const anyOther = "*";

/** Which scopes which tool needs. */
export class ToolScopes {
  /** Every scope that a challenge can name, sorted: for `scopes_supported`. */
  readonly all: readonly string[];

  constructor(private readonly groups: ReadonlyMap<string, ScopeGroups> = new Map()) {
    this.all = [...new Set([...groups.values()].flatMap(narrowest))].sort();
  }

  /** The scopes for a challenge, none when the tool is open to everybody. */
  requiredScopes(toolName: string): readonly string[] {
    return narrowest(this.#groupsOf(toolName));
  }

  isAllowed({ scopes }: Principal, toolName: string): boolean {
    if (scopes === undefined) return true;
    return this.#groupsOf(toolName).every((group) => group.some((scope) => scopes.has(scope)));
  }

  #groupsOf(toolName: string): ScopeGroups {
    return this.groups.get(toolName) ?? this.groups.get(anyOther) ?? none;
  }
}

function narrowest(groups: ScopeGroups): string[] {
  return groups.flatMap((group) => group.slice(0, 1));
}

/**
 * Parses `Bash=tools:exec,ReadImage=tools:read,*=tools:use`. `*` stands for the tools that are not named; a tool
 * without an entry is open to every principal. `a b` needs both scopes, `a|b` one of them: the way to say that
 * the broader `b` includes `a` (authorization, Step-Up Authorization Flow: scope hierarchies).
 * @throws AppError "usage" that names the entry
 */
export function parseToolScopes(text: string): ToolScopes {
  const groups = new Map<string, ScopeGroups>();
  for (const entry of text.split(",").map((part) => part.trim())) {
    if (entry === "") continue;
    const fail = (what: string): never => {
      throw new AppError("usage", `Tool scopes: "${entry}" ${what}; write "Tool=scope,*=scope".`);
    };
    const [, name = "", scopes = ""] = /^([^=\s]+)\s*=(.*)$/.exec(entry) ?? fail("is not an entry");
    if (!/^(?:\*|[\w./-]+)$/.test(name)) fail("has a name that no tool has");
    if (groups.has(name)) fail("is the second entry of this tool");
    groups.set(name, parseGroups(scopes, fail));
  }
  return new ToolScopes(groups);
}

function parseGroups(text: string, fail: (what: string) => never): ScopeGroups {
  const groups = text
    .split(/\s+/)
    .filter((group) => group !== "")
    .map((group) => group.split("|"));
  if (groups.length === 0) fail("names no scope");
  if (!groups.flat().every(isScope)) fail("has a scope with characters that scopes cannot have");
  return groups;
}
