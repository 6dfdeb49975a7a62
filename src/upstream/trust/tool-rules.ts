import type { ServerEntry, ToolRule } from "../config/server-entry.ts";
import { cleanServer, originalName, uncutName } from "../names/assign-names.ts";
import {
  createToolGlob,
  type ToolGlob,
  toolGlobMatches,
  toolGlobMayStartWith,
} from "./tool-glob.ts";

/** An allow or deny glob for one server. */
interface ServerRule extends Pick<ToolRule, "effect" | "trust" | "file"> {
  readonly pattern: string;
  /** Undefined when it is too long or too complicated; then it is applied against the tool. */
  readonly glob: ToolGlob | undefined;
}

/** Highest precedence first (TR8). */
const order: readonly ToolRule["trust"][] = ["managed", "user", "project"];

/**
 * The globs that allow and deny the tools of one server. Any deny overrides any allow. Where there are allow lists of
 * the user, one must contain the tool; the same holds for those of the project. An administrator's allow list is for
 * all servers: a tool that is not on it is denied.
 */
export class ToolRules {
  readonly #server: string;
  readonly #rules: readonly ServerRule[];
  /** Any rule of the administrator's allow list, whichever server it is for. */
  readonly #managedAllow: ToolRule | undefined;

  /** @param rules of all servers; those for this one are selected */
  constructor(entry: Pick<ServerEntry, "name" | "options" | "origin">, rules: readonly ToolRule[]) {
    this.#server = entry.name;
    this.#managedAllow = rules.find(isManagedAllow);
    const { trust } = entry.origin;
    const own = [
      ...(entry.options.allow ?? []).map((glob) => ruleOf({ effect: "allow", trust, glob })),
      ...entry.options.deny.map((glob) => ruleOf({ effect: "deny", trust, glob })),
      // An empty list allows nothing.
      ...(entry.options.allow?.length === 0 ? [ruleOf({ effect: "allow", trust, glob: "" })] : []),
    ];
    const outer = rules.filter(
      (rule) => rule.server === undefined || this.#isMe(rule.server, rule.effect),
    );
    const made = outer.map(ruleOf);
    const concerned = made.filter((rule, index) => {
      return outer[index]?.server !== undefined || this.#concernsMe(rule);
    });
    this.#rules = [...own, ...concerned];
  }

  /**
   * Why the tool must not be used, as the end of a sentence; undefined when it may. @param name the tool's name for
   * clients
   */
  reasonAgainst(tool: string, name: string): string | undefined {
    const spellings = this.#spellings(tool, name);
    for (const trust of order) {
      const denying = this.#rules.find((rule) => {
        return rule.effect === "deny" && rule.trust === trust && denies(rule, spellings);
      });
      if (denying !== undefined) return denialText(denying);
    }
    for (const trust of order) {
      const allowing = this.#rules.filter(
        (rule) => rule.effect === "allow" && rule.trust === trust,
      );
      const list = trust === "managed" ? this.#managedAllow : allowing[0];
      const isAllowed = list === undefined || allowing.some((rule) => matches(rule, spellings));
      if (!isAllowed) return omissionText(list);
    }
    return undefined;
  }

  /** The server of a rule is also a pattern, as in `*:delete_*`. */
  #isMe(server: string, effect: "allow" | "deny"): boolean {
    const glob = createToolGlob(server);
    if (glob === undefined) return effect === "deny";
    return [this.#server, cleanServer(this.#server)].some((name) => toolGlobMatches(glob, name));
  }

  /** Whether a pattern without a server may match a tool of this one; a pattern for full names may not. */
  #concernsMe({ effect, glob }: ServerRule): boolean {
    if (effect === "deny" || glob === undefined || !toolGlobMayStartWith(glob, "mcp__"))
      return true;
    return this.#serverNames().some((name) => {
      return toolGlobMatches(glob, name) || toolGlobMayStartWith(glob, `${name}__`);
    });
  }

  /** The names by which a pattern can match a tool; the server's own name matches all of its tools (TR9). */
  #spellings(tool: string, name: string): readonly string[] {
    const full = [originalName(this.#server, tool), uncutName(this.#server, tool)];
    return [name, ...full, tool, ...this.#serverNames()];
  }

  #serverNames(): readonly string[] {
    return [`mcp__${this.#server}`, `mcp__${cleanServer(this.#server)}`];
  }
}

function ruleOf({ glob, ...rule }: ToolRule): ServerRule {
  return { ...rule, pattern: glob, glob: createToolGlob(glob) };
}

function isManagedAllow({ effect, trust }: ToolRule): boolean {
  return effect === "allow" && trust === "managed";
}

/** A pattern that cannot be evaluated is applied in the stricter sense. */
function denies({ glob }: ServerRule, spellings: readonly string[]): boolean {
  return glob === undefined || spellings.some((spelling) => toolGlobMatches(glob, spelling));
}

function matches({ glob }: ServerRule, spellings: readonly string[]): boolean {
  return glob !== undefined && spellings.some((spelling) => toolGlobMatches(glob, spelling));
}

function denialText({ trust, file, pattern }: ServerRule): string {
  const quoted = JSON.stringify(pattern.length > 80 ? `${pattern.slice(0, 80)}…` : pattern);
  if (trust !== "managed") return `the ${trust}'s rule ${quoted} denies it`;
  return `it is denied by the administrator's rules in ${file}: ${quoted}`;
}

function omissionText({ trust, file }: Pick<ToolRule, "trust" | "file">): string {
  if (trust !== "managed") return `it is not on the ${trust}'s allow list of its server`;
  return `it is denied by the administrator's rules in ${file}: it is not on their allow list`;
}
