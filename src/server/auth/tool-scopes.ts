import { AppError } from "../../base/errors.ts";
import { commandTools, type ToolRisk, toolRisks } from "../../base/tool-kinds.ts";
import { isScope, type Principal } from "./principal.ts";

/** The scopes that a call needs: one of each group. The first of a group is the narrowest, which a challenge names. */
type ScopeGroups = readonly (readonly string[])[];

const none: ScopeGroups = [];
const anyOther = "*";
const bash = "Bash";

/** An entry for the tools that a pattern matches. */
interface PatternEntry {
  readonly expression: RegExp;
  /** Characters other than `*` and `?`: the more, the more specific. */
  readonly literalChars: number;
  readonly groups: ScopeGroups;
}

/**
 * Which scopes which tool needs. Of several entries that are about a tool the most specific alone is used: its name; for a tool
 * that runs commands, that of Bash; the pattern with the most literal characters, of equals the first; its risk; `*`.
 */
export class ToolScopes {
  /** Every scope that a challenge can name, sorted: for `scopes_supported`. */
  readonly all: readonly string[];
  /** The most specific first. */
  readonly #patterns: readonly PatternEntry[];

  constructor(private readonly groups: ReadonlyMap<string, ScopeGroups> = new Map()) {
    this.all = [...new Set([...groups.values()].flatMap(narrowest))].sort();
    this.#patterns = [...groups]
      .filter(([name]) => name !== anyOther && /[*?]/.test(name))
      .map(([name, needed]) => ({
        expression: expressionOf(name),
        literalChars: name.replaceAll(/[*?]/g, "").length,
        groups: needed,
      }))
      .sort((one, other) => other.literalChars - one.literalChars);
  }

  /** The scopes for a challenge, none when the tool is open to everybody. */
  requiredScopes(toolName: string, risk: ToolRisk): readonly string[] {
    return narrowest(this.#groupsOf(toolName, risk));
  }

  isAllowed({ scopes }: Principal, toolName: string, risk: ToolRisk): boolean {
    if (scopes === undefined) return true;
    const groups = this.#groupsOf(toolName, risk);
    return groups.every((group) => group.some((scope) => scopes.has(scope)));
  }

  /**
   * What to tell the operator of tools that run commands and have no entry of their own; undefined when there are none.
   * @param hasOtherServers there are tools of upstream servers, of which nobody knows what they run
   */
  commandWarning(hasOtherServers: boolean): string | undefined {
    if (this.groups.size === 0) return undefined;
    // They can destroy: an entry for that is meant for them.
    if (this.groups.has("destructive")) return undefined;
    const own = [...commandTools].filter((name) => this.#ownGroupsOf(name) === undefined);
    const isCovered = this.#ownGroupsOf("mcp__") !== undefined;
    const names = [...own, ...(hasOtherServers && !isCovered ? ["the tools of MCP servers"] : [])];
    if (names.length === 0) return undefined;
    const others = this.groups.get(anyOther);
    const whose = others === undefined ? "every token" : `a token with ${textOf(others)}`;
    const why = others === undefined ? "have no entry" : 'come under "*"';
    const remedy = own.length > 0 ? "Bash=tools:exec" : "mcp__files__run=tools:exec";
    return `Tool scopes: ${names.join(", ")} ${why}, so ${whose} can run what they run. Give those that run commands an entry of their own, such as ${remedy}.`;
  }

  #groupsOf(toolName: string, risk: ToolRisk): ScopeGroups {
    const { groups } = this;
    return this.#ownGroupsOf(toolName) ?? groups.get(risk) ?? groups.get(anyOther) ?? none;
  }

  /** No tool has a longer name, and a pattern takes a while for a text without bounds. */
  #patternGroupsOf(toolName: string): ScopeGroups | undefined {
    if (toolName.length > toolNameCharsMax) return undefined;
    return this.#patterns.find(({ expression }) => expression.test(toolName))?.groups;
  }

  /** The entry for Bash is for every tool that runs commands, unless it has one itself. */
  #ownGroupsOf(toolName: string): ScopeGroups | undefined {
    const { groups } = this;
    // A tool that is called like a risk, or like a pattern, has no entry of its own.
    const isName = !isRisk(toolName) && !/[*?]/.test(toolName);
    return (
      (isName ? groups.get(toolName) : undefined) ??
      (commandTools.has(toolName) ? groups.get(bash) : undefined) ??
      this.#patternGroupsOf(toolName)
    );
  }
}

const toolNameCharsMax = 500;

function isRisk(name: string): boolean {
  return toolRisks.some((risk) => risk === name);
}

function expressionOf(pattern: string): RegExp {
  const text = pattern.replaceAll(/[.*?]/g, (mark) => ({ "*": ".*", "?": "." })[mark] ?? "\\.");
  return new RegExp(`^${text}$`, "s");
}

function narrowest(groups: ScopeGroups): string[] {
  return groups.flatMap((group) => group.slice(0, 1));
}

function textOf(groups: ScopeGroups): string {
  return groups.map((group) => group.join("|")).join(" ");
}

/**
 * Parses `Bash=tools:exec,mcp__github__*=gh:use,read=tools:read,*=tools:use`. A name may be a pattern, or the risk of tools
 * (`read`, `write`, `destructive`); `*` stands for the tools that no other entry is about; an entry for Bash is for BackgroundBash
 * too; a tool without an entry is open to every principal. `a b` needs both scopes, `a|b`
 * one of them: the way to say that the broader `b` includes `a` (authorization, Step-Up Authorization Flow: scope hierarchies).
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
    if (!/^[\w./*?-]+$/.test(name)) fail("has a name that no tool has");
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
