import { domainToUnicode } from "node:url";
import { createGlob, globMatches } from "./glob.ts";
import type { Glob } from "./glob.ts";
import { literalMatches, type Surroundings, withHome } from "./match-command.ts";
import type { Rule, RuleAction } from "./rule.ts";

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

/** How an address may be written that is the same for whoever opens it, or that a rule against it is about as well. */
interface UrlTexts {
  /** The same address as programs write it: small letters, no usual port, a slash behind the host. */
  readonly same: readonly string[];
  /** Besides: without its port, user, fragment and the dot behind its host, and with nothing encoded. */
  readonly near: readonly string[];
}

const none: UrlTexts = { same: [], near: [] };

/** Of an argument that is a URL, blanks around it aside; none of all others. */
function urlTextsOf(text: string): UrlTexts {
  const url = text.includes(":") ? URL.parse(text.trim()) : null;
  if (url === null || url.host === "") return none;
  const bare = new URL(url.href);
  for (const part of ["hash", "username", "password"] as const) bare[part] = "";
  bare.hostname = bare.hostname.replace(/\.+$/, "");
  const near = [bare.href];
  bare.port = "";
  near.push(
    bare.href,
    bare.href.replace(bare.hostname, () => domainToUnicode(bare.hostname)),
  );
  near.push(...near.flatMap(decoded));
  return { same: withoutSlash([url.href]), near: withoutSlash(near) };
}

/** Whether a pattern is about one of them; its host may be in any letters. */
function globMatchesUrl(glob: Glob, texts: readonly string[]): boolean {
  if (texts.length === 0) return false;
  const written = /^([^:/]*:\/\/[^/]*)(.*)$/s.exec(glob.pattern);
  if (written === null) return texts.some((text) => globMatches(glob, text));
  const [, origin = "", rest = ""] = written;
  const usual = origin.toLowerCase().replace(/^(http:.*):80$|^(https:.*):443$/, "$1$2");
  const normal = createGlob(usual + rest);
  return texts.some((text) => globMatches(normal, text));
}

/** Those with nothing but a slash behind the host are written without it as well. */
function withoutSlash(texts: readonly string[]): readonly string[] {
  const bare = texts.filter((text) => /^[^/]*:\/\/[^/]*\/$/.test(text));
  return [...texts, ...bare.map((text) => text.slice(0, -1))];
}

function decoded(text: string): readonly string[] {
  try {
    return [decodeURIComponent(text)];
  } catch {
    return [];
  }
}
