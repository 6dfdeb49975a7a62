import type { Glob } from "./glob.ts";
import { literalMatches, type Surroundings, withHome } from "./match-command.ts";
import type { Rule, RuleAction } from "./rule.ts";
import { globMatchesUrl, urlTextsOf } from "./url-texts.ts";

/** Every argument that the rule names is there and is what it says. */
export function hasArguments(
  { callArguments, action }: Rule,
  args: unknown,
  surroundings: Surroundings,
): boolean {
  return callArguments.every(([key, glob]) => {
    const atHome = withHome(glob, surroundings);
    return textsOf(args, key).some(
      (text) =>
        literalMatches(atHome, text, surroundings) || isAboutUrl(glob, text, action, surroundings),
    );
  });
}

/** An address may be written in many ways; what allows is about the same address only. */
function isAboutUrl(glob: Glob, text: string, action: RuleAction, { work }: Surroundings): boolean {
  const { same, near } = urlTextsOf(text);
  const texts = action === "allow" ? same : [...same, ...near];
  work.spend(texts.length * (10 + glob.pattern.length));
  return globMatchesUrl(glob, texts);
}

/** An argument as texts: one for each element of a list. */
export function textsOf(args: unknown, key: string): readonly string[] {
  if (typeof args !== "object" || args === null || !Object.hasOwn(args, key)) return [];
  const value = (args as Readonly<Record<string, unknown>>)[key];
  const values: readonly unknown[] = Array.isArray(value) ? value : [value];
  return values.map((part) => (typeof part === "string" ? part : (JSON.stringify(part) ?? "")));
}
