import type { ServerEntry, ToolRule } from "../config/server-entry.ts";
import { cleanServer, originalName, uncutName } from "../names/assign-names.ts";
import {
  createToolGlob,
  type ToolGlob,
  toolGlobMatches,
  toolGlobMayStartWith,
} from "./tool-glob.ts";

/** An allow or deny glob that concerns one server. */
interface ServerRule extends Pick<ToolRule, "effect" | "trust" | "file"> {
  readonly pattern: string;
  /** Undefined: it is too long or too complicated, and counts against the tool. */
  readonly glob: ToolGlob | undefined;
}

/** The strongest first (TR8). */
const order: readonly ToolRule["trust"][] = ["managed", "user", "project"];

/**
 * The globs that say which tools of one server may be used. Any deny is stronger than any allow; of the allow lists of
 * the user one must have the tool, and of those of the project too, where there are any. An administrator's allow list is for
 * all servers: what is not on it may not be used, whatever server it is of.
 */
export class ToolRules {
  readonly #server: string;
  readonly #rules: readonly ServerRule[];
  /** Any rule of the administrator's allow list, of this server or not. */
  readonly #managedAllow: ToolRule | undefined;

  /** @param rules of all servers: those for this one are picked out */
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
   * Why the tool may not be used, as the end of a sentence; undefined when it may.
   * @param name as clients know it
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

function ruleOf({ glob, ...rule }: ToolRule): ServerRule {
  return { ...rule, pattern: glob, glob: createToolGlob(glob) };
}

function isManagedAllow({ effect, trust }: ToolRule): boolean {
  return effect === "allow" && trust === "managed";
}

/** A pattern that cannot be looked at is taken as the stricter of what it may say. */
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
