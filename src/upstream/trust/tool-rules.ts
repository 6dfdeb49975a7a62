import { cleanServer, originalName, uncutName } from "../names/exposed-name.ts";
import type { ServerEntry, ToolRule } from "../server-entry.ts";
import {
  createToolGlob,
  type ToolGlob,
  toolGlobMatches,
  toolGlobMayStartWith,
} from "./tool-glob.ts";

/** Whose rule it is; an administrator's counts before a user's, a user's before a project's (TR8). */
export type RuleTrust = "managed" | ToolRule["trust"];

/** An allow or deny glob that concerns one server. */
interface ServerRule {
  readonly effect: "allow" | "deny";
  readonly trust: RuleTrust;
  readonly pattern: string;
  /** Undefined: it is too long or too complicated, and counts against the tool. */
  readonly glob: ToolGlob | undefined;
}

const order: readonly RuleTrust[] = ["managed", "user", "project"];

/**
 * The globs that say which tools of one server may be used. Any deny is stronger than any allow; of the allow lists of
 * the user one must have the tool, and of those of the project too, where there are any.
 */
export class ToolRules {
  readonly #server: string;
  readonly #rules: readonly ServerRule[];

  /** @param rules of all servers: those for this one are picked out */
  constructor(
    entry: Pick<ServerEntry, "name" | "options" | "origin">,
    rules: readonly (Omit<ToolRule, "trust"> & { readonly trust: RuleTrust })[],
  ) {
    this.#server = entry.name;
    const { trust } = entry.origin;
    const own = [
      ...(entry.options.allow ?? []).map((glob) => ruleOf("allow", trust, glob)),
      ...entry.options.deny.map((glob) => ruleOf("deny", trust, glob)),
      // An empty list allows nothing.
      ...(entry.options.allow?.length === 0 ? [ruleOf("allow", trust, "")] : []),
    ];
    const outer = rules.filter(
      (rule) => rule.server === undefined || this.#isMe(rule.server, rule.effect),
    );
    const made = outer.map(({ effect, trust: whose, glob }) => ruleOf(effect, whose, glob));
    const concerned = made.filter((rule, index) => {
      return outer[index]?.server !== undefined || this.#concernsMe(rule);
    });
    this.#rules = [...own, ...concerned];
  }

  /**
   * Why the tool may not be used, as the end of a sentence; undefined when it may.
   * @param name as clients know it
   */
  reasonAgainst(tool: string, name: string): string | undefined {
    const spellings = this.#spellings(tool, name);
    for (const trust of order) {
      const denying = this.#rules.find((rule) => {
        return rule.effect === "deny" && rule.trust === trust && denies(rule, spellings);
      });
      if (denying !== undefined) return `the ${whose(trust)} rule ${quoted(denying)} denies it`;
    }
    for (const trust of order) {
      const allowing = this.#rules.filter(
        (rule) => rule.effect === "allow" && rule.trust === trust,
      );
      const isAllowed = allowing.length === 0 || allowing.some((rule) => matches(rule, spellings));
      if (!isAllowed) return `it is not on the ${whose(trust)} allow list of its server`;
    }
    return undefined;
  }

  /** The server of a rule is a pattern too: `*:delete_*` must not be without effect. */
  #isMe(server: string, effect: "allow" | "deny"): boolean {
    const glob = createToolGlob(server);
    if (glob === undefined) return effect === "deny";
    return [this.#server, cleanServer(this.#server)].some((name) => toolGlobMatches(glob, name));
  }

  /** Whether a pattern that names no server may mean a tool of this one: one for full names does not always. */
  #concernsMe({ effect, glob }: ServerRule): boolean {
    if (effect === "deny" || glob === undefined || !toolGlobMayStartWith(glob, "mcp__"))
      return true;
    return this.#serverNames().some((name) => {
      return toolGlobMatches(glob, name) || toolGlobMayStartWith(glob, `${name}__`);
    });
  }

  /** A tool can be meant by each of these; the server's own name means all of its tools (TR9). */
  #spellings(tool: string, name: string): readonly string[] {
    const full = [originalName(this.#server, tool), uncutName(this.#server, tool)];
    return [name, ...full, tool, ...this.#serverNames()];
  }

  #serverNames(): readonly string[] {
    return [`mcp__${this.#server}`, `mcp__${cleanServer(this.#server)}`];
  }
}

function ruleOf(effect: "allow" | "deny", trust: RuleTrust, pattern: string): ServerRule {
  return { effect, trust, pattern, glob: createToolGlob(pattern) };
}

/** A pattern that cannot be looked at is taken as the stricter of what it may say. */
function denies({ glob }: ServerRule, spellings: readonly string[]): boolean {
  return glob === undefined || spellings.some((spelling) => toolGlobMatches(glob, spelling));
}

function matches({ glob }: ServerRule, spellings: readonly string[]): boolean {
  return glob !== undefined && spellings.some((spelling) => toolGlobMatches(glob, spelling));
}

function whose(trust: RuleTrust): string {
  return trust === "managed" ? "administrator's" : `${trust}'s`;
}

function quoted({ pattern }: ServerRule): string {
  return JSON.stringify(pattern.length > 80 ? `${pattern.slice(0, 80)}…` : pattern);
}
