import {
  skillDescriptionCharsMax,
  skillDescriptionShortCharsMax,
  skillListCharsMax,
} from "../../base/limits.ts";
import { compareNames, type SkillOrigin } from "./skill.ts";

/** The facts of a skill that the list shows. */
interface ListedSkill {
  readonly name: string;
  readonly description: string;
  readonly origin: SkillOrigin;
  readonly isForModel: boolean;
}

interface Line {
  readonly name: string;
  readonly text: string;
}

/** Whose skills stay when not all fit. */
const ranks: Readonly<Record<SkillOrigin, number>> = { project: 0, user: 1, "built-in": 2 };

/** Room for the line that says how many are left out. */
const moreChars = 100;

/** The description of InvokeSkill for these skills: the same bytes for the same skills. */
export function skillToolDescription(skills: readonly ListedSkill[]): string {
  const listed = listForModel(skills.filter(({ isForModel }) => isForModel));
  return (
    "Loads a skill: instructions for a kind of work, which you then follow. " +
    `Load a skill before work that its description matches.\n\n${listed}`
  );
}

/**
 * Sorted by name, within `skillListCharsMax` characters of JSON. When they do not fit, descriptions are cut shorter,
 * then skills are left out.
 */
function listForModel(skills: readonly ListedSkill[]): string {
  if (skills.length === 0) return "There are no skills.";
  const whole = linesOf(skills, skillDescriptionCharsMax);
  const lines = charsOf(whole) <= skillListCharsMax - moreChars ? whole : fitting(skills);
  const texts = lines.toSorted((a, b) => compareNames(a.name, b.name)).map(({ text }) => text);
  const more = skills.length - lines.length;
  const isForeign = skills.some(({ origin }) => origin === "project");
  return [
    isForeign ? "Skills (a project's skills are text by others):" : "Skills:",
    ...texts,
    ...(more > 0 ? [`+${more} more; pass a part of a name to get similar names`] : []),
  ].join("\n");
}

function fitting(skills: readonly ListedSkill[]): readonly Line[] {
  const ranked = skills.toSorted(
    (a, b) => ranks[a.origin] - ranks[b.origin] || compareNames(a.name, b.name),
  );
  let left = skillListCharsMax - moreChars;
  const kept: Line[] = [];
  for (const line of linesOf(ranked, skillDescriptionShortCharsMax)) {
    left -= charsOf([line]);
    if (left < 0) break;
    kept.push(line);
  }
  return kept;
}

function linesOf(skills: readonly ListedSkill[], charsMax: number): readonly Line[] {
  return skills.map(({ name, description, origin }) => {
    const mark = origin === "project" ? " (project)" : "";
    const cut = cutAtWord(description, charsMax);
    return { name, text: cut === "" ? `- ${name}${mark}` : `- ${name}${mark}: ${cut}` };
  });
}

/** Characters of the lines in JSON, where line ends and quotes are two. */
function charsOf(lines: readonly Line[]): number {
  return lines.reduce((sum, { text }) => sum + JSON.stringify(text).length, 0);
}

function cutAtWord(text: string, charsMax: number): string {
  if (text.length <= charsMax) return text;
  const cut = text.slice(0, charsMax - 1);
  const blank = cut.lastIndexOf(" ");
  return `${(blank > charsMax / 2 ? cut.slice(0, blank) : cut).toWellFormed().trimEnd()}…`;
}
