import {
  skillDescriptionCharsMax,
  skillFrontMatterBytesMax,
  skillFrontMatterDepthMax,
  skillFrontMatterValuesMax,
} from "../../base/limits.ts";
import {
  type FrontMatter,
  type FrontMatterValue,
  isProperSkillName,
  type Skill,
  type SkillOrigin,
  visibleLine,
} from "./skill.ts";

/** Where a skill was found. */
export interface FoundSkill {
  readonly name: string;
  readonly origin: SkillOrigin;
  readonly folder: string | null;
}

/** Characters of a description that are kept (agentskills.io); lists cut it shorter. */
const descriptionCharsMax = 1_024;

/** Reads the fields of a skill that lists show. @param head the beginning of its SKILL.md, its front matter at least */
export function readSkill(found: FoundSkill, head: string): Skill {
  const { frontMatter: text, body, problem } = splitSkill(head);
  const parsed = text === undefined ? undefined : parseFrontMatter(text);
  const values: FrontMatter = parsed?.values ?? {};
  const written = textOf(values["description"]) ?? firstLine(body);
  const description = visibleLine(written, descriptionCharsMax);
  const hint = textOf(values["argument-hint"]);
  return {
    ...found,
    description,
    frontMatter: values,
    isForModel: values["disable-model-invocation"] !== true,
    isForUser: values["user-invocable"] !== false,
    argumentHint: hint === undefined ? null : visibleLine(hint, skillDescriptionCharsMax),
    problems: problemsOf(found.name, values, [problem, parsed?.problem]),
  };
}

/** `argument-hint: [issue]` is a list to YAML, and was meant as it is written. */
function textOf(value: FrontMatterValue | undefined): string | undefined {
  if (Array.isArray(value)) return `[${value.map(String).join(", ")}]`;
  if (typeof value === "number") return String(value);
  return typeof value === "string" && value.trim() !== "" ? value : undefined;
}

/** The description of a skill that has none: its first line with words. */
function firstLine(body: string): string {
  for (const line of body.split("\n")) {
    const text = line.replace(/^[#\s]+/, "").trim();
    if (text !== "" && !/^-+$/.test(text)) return text;
  }
  return "";
}

function problemsOf(
  name: string,
  values: FrontMatter,
  written: readonly (string | undefined)[],
): readonly string[] {
  const given = values["name"];
  const shown = visibleLine(textOf(given) ?? "", 80);
  return [
    ...written.filter((problem) => problem !== undefined),
    ...(isProperSkillName(name)
      ? []
      : ["its folder's name should be lower-case letters, digits and single hyphens"]),
    ...(given === undefined ? ["its front matter has no name"] : []),
    ...(given === undefined || given === name
      ? []
      : [`its front matter calls it ${JSON.stringify(shown)}, but the folder's name is used`]),
    ...(textOf(values["description"]) === undefined
      ? ["its front matter has no description: its first line is used instead"]
      : []),
  ];
}

interface SplitSkill {
  /** The lines between the two `---`; undefined when the file does not begin with front matter. */
  readonly frontMatter: string | undefined;
  readonly body: string;
  /** The fault of its text. */
  readonly problem: string | undefined;
}

/** Takes a SKILL.md apart. Line ends become `\n`. */
export function splitSkill(text: string): SplitSkill {
  const lines = text.replace(/^\ufeff/, "").replaceAll(/\r\n?/g, "\n");
  const opening = /^\s*---[ \t]*\n/.exec(lines);
  if (opening === null) {
    return { frontMatter: undefined, body: lines, problem: "it has no front matter" };
  }
  const rest = lines.slice(opening[0].length);
  const closing = /^(?:---|\.\.\.)[ \t]*(?:\n|$)/m.exec(rest);
  if (closing === null || isTooLong(rest, closing.index)) {
    return {
      frontMatter: undefined,
      body: lines,
      problem: `its front matter has no end (---) within ${skillFrontMatterBytesMax} bytes`,
    };
  }
  const frontMatter = rest.slice(0, closing.index);
  return { frontMatter, body: rest.slice(closing.index + closing[0].length), problem: undefined };
}

/** In bytes, so that the beginning of a file gives the same result as the whole file. */
function isTooLong(text: string, end: number): boolean {
  return (
    end > skillFrontMatterBytesMax ||
    Buffer.byteLength(text.slice(0, end)) > skillFrontMatterBytesMax
  );
}

interface ParsedFrontMatter {
  readonly values: FrontMatter;
  readonly problem: string | undefined;
}

/** Anchors and aliases make few lines into many values; no skill needs them. */
const anchorOrAlias = /(?:^[ \t]*|[:?-][ \t]+|[[{,][ \t]*)[&*]\S/m;
/** More of their marks than that, at any place: behind a tag or a quoted key they are not emphasis either. */
const marksMax = 16;
/** More brackets than that nest deeper than the parser's stack, in text that has no use for them. */
const bracketsMax = 200;
/** The nesting of lists and keys that begin on one line. */
const nestedLine = /(?:[-?]\s+){16}/;

/**
 * Reads front matter as YAML, and where that is refused line by line: descriptions with a colon in them are
 * common, and no YAML.
 */
export function parseFrontMatter(text: string): ParsedFrontMatter {
  const brackets = text.match(/[[{]/g)?.length ?? 0;
  const marks = text.match(/[&*]\S/g)?.length ?? 0;
  const isHostile =
    anchorOrAlias.test(text) || nestedLine.test(text) || brackets > bracketsMax || marks > marksMax;
  if (isHostile) return readLines(text);
  try {
    const values = boundedValue(Bun.YAML.parse(text));
    if (values === undefined) {
      return { values: {}, problem: "its front matter has too many or too deeply nested values" };
    }
    if (isMapping(values)) return { values, problem: undefined };
    return { values: {}, problem: "its front matter has no keys" };
  } catch {
    return readLines(text);
  }
}

function isMapping(value: FrontMatterValue): value is FrontMatter {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

function readLines(text: string): ParsedFrontMatter {
  const values: Record<string, string | boolean> = {};
  for (const line of text.split("\n")) {
    const match = /^([A-Za-z][\w-]{0,63}):[ \t]+(\S.*)$/.exec(line);
    if (match === null) continue;
    const [, key = "", value = ""] = match;
    // The text of a block is on the lines that follow.
    if (/^[|>][+\d-]*$/.test(value.trim())) continue;
    if (!Object.hasOwn(values, key)) values[key] = plainValue(value.trim());
  }
  return {
    values,
    problem: "its front matter is not valid YAML: only its plain `key: value` lines are used",
  };
}

function plainValue(text: string): string | boolean {
  const [, truth] = /^(true|false)(?:\s+#.*)?$/i.exec(text) ?? [];
  if (truth !== undefined) return truth.toLowerCase() === "true";
  return /^(["']).*\1$/.test(text) ? text.slice(1, -1) : text;
}

/** A copy of a parser's value as plain data; undefined when it is too large, too deep or cyclic. */
function boundedValue(value: unknown): FrontMatterValue | undefined {
  const copier = new Copier();
  const copy = copier.copy(value, 0);
  return copier.isTooMuch ? undefined : copy;
}

class Copier {
  #left = skillFrontMatterValuesMax;
  #isTooDeep = false;

  get isTooMuch(): boolean {
    return this.#left < 0 || this.#isTooDeep;
  }

  /** Shared parts are counted each time that they are met, so a text of few lines stays few values. */
  copy(value: unknown, depth: number): FrontMatterValue {
    this.#left -= 1;
    if (depth > skillFrontMatterDepthMax) this.#isTooDeep = true;
    if (this.isTooMuch) return null;
    if (Array.isArray(value)) {
      return (value as readonly unknown[]).map((inner) => this.copy(inner, depth + 1));
    }
    if (typeof value === "object" && value !== null) return this.#copyObject(value, depth);
    if (typeof value === "number") return Number.isFinite(value) ? value : String(value);
    if (typeof value === "boolean") return value;
    return typeof value === "string" ? value.toWellFormed() : null;
  }

  #copyObject(value: object, depth: number): FrontMatterValue {
    const copy: Record<string, FrontMatterValue> = Object.create(null);
    for (const [key, inner] of Object.entries(value)) {
      if (this.isTooMuch) break;
      copy[key.toWellFormed()] = this.copy(inner, depth + 1);
    }
    return copy;
  }
}
