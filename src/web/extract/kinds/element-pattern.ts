import type { HtmlElement } from "../../dom/parse-html.ts";

/** One element's name, id, classes and attributes: the subset of CSS that the rules about known software need. */
export interface ElementPattern {
  readonly name: string | undefined;
  readonly id: string | undefined;
  readonly classes: readonly string[];
  readonly attributes: readonly AttributePattern[];
}

interface AttributePattern {
  readonly name: string;
  readonly test: "present" | "equals" | "starts" | "ends" | "contains";
  readonly value: string;
}

const part =
  /^(?:\.(?<class>[\w-]+)|#(?<id>[\w-]+)|\[(?<attribute>[\w-]+)(?:(?<operator>[\^$*]?=)"?(?<value>[^\]"]*)"?)?\])/;

const tests: Readonly<Record<string, AttributePattern["test"]>> = {
  "=": "equals",
  "^=": "starts",
  "$=": "ends",
  "*=": "contains",
};

/**
 * Reads `div.post[itemprop=text]`: a compound selector without combinators, so that a test costs the same wherever the
 * element is. Throws on anything else; patterns come from this program, never from a page.
 */
export function parsePattern(selector: string): ElementPattern {
  const name = /^[a-z][\w-]*/.exec(selector)?.[0];
  const classes: string[] = [];
  const attributes: AttributePattern[] = [];
  let id: string | undefined;
  for (let rest = selector.slice(name?.length ?? 0); rest !== "";) {
    const match = part.exec(rest);
    if (match?.groups === undefined) throw new Error(`Not a pattern: ${selector}`);
    const { groups } = match;
    if (groups["class"] !== undefined) classes.push(groups["class"]);
    else if (groups["id"] !== undefined) id = groups["id"];
    else attributes.push(attributeOf(groups));
    rest = rest.slice(match[0].length);
  }
  return { name, id, classes, attributes };
}

function attributeOf(groups: Record<string, string | undefined>): AttributePattern {
  const test = tests[groups["operator"] ?? ""] ?? "present";
  return { name: groups["attribute"] ?? "", test, value: groups["value"] ?? "" };
}

export function matchesPattern(element: HtmlElement, pattern: ElementPattern): boolean {
  const { name, id, classes, attributes } = pattern;
  if (name !== undefined && element.name !== name) return false;
  if (id !== undefined && element.attribs["id"] !== id) return false;
  if (classes.length > 0 && !hasClasses(element, classes)) return false;
  for (const attribute of attributes) if (!matchesAttribute(element, attribute)) return false;
  return true;
}

export function matchesAny(element: HtmlElement, patterns: readonly ElementPattern[]): boolean {
  return patterns.some((pattern) => matchesPattern(element, pattern));
}

function hasClasses(element: HtmlElement, classes: readonly string[]): boolean {
  const value = element.attribs["class"];
  // Nearly all elements fail here, at no cost.
  if (value === undefined || !classes.every((token) => value.includes(token))) return false;
  const tokens = classTokens(element);
  return classes.every((token) => tokens.includes(token));
}

function matchesAttribute(element: HtmlElement, { name, test, value }: AttributePattern): boolean {
  const actual = element.attribs[name];
  if (actual === undefined) return false;
  switch (test) {
    case "present":
      return true;
    case "equals":
      return actual === value;
    case "starts":
      return actual.startsWith(value);
    case "ends":
      return actual.endsWith(value);
    case "contains":
      return actual.includes(value);
  }
}

/** Longer lists of classes are not read to their end. */
const classCharsMax = 2_000;

const noTokens: readonly string[] = [];
/** Single spaces between ASCII, as nearly all are written. */
const plainClasses = /^[!-~]+(?: [!-~]+)*$/;

/** The classes of an element, in its order. */
export function classTokens(element: HtmlElement): readonly string[] {
  const value = element.attribs["class"];
  if (value === undefined) return noTokens;
  const read = value.slice(0, classCharsMax);
  if (plainClasses.test(read)) return read.split(" ");
  return read.split(/\s+/).filter((token) => token !== "");
}
