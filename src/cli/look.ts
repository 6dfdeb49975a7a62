import type { Environment } from "../base/values.ts";

/** Decides for every command whether it writes colours, and which signs its terminal can show. */

/**
 * Whether an output gets colours. `NO_COLOR` has the last word, then `FORCE_COLOR`; without them a terminal that is not `dumb`
 * gets colours.
 */
export function hasColours(isTerminal: boolean, env: Environment): boolean {
  // Each is used when it is there and not empty (no-color.org, force-color.org).
  if (env.NO_COLOR) return false;
  if (env.FORCE_COLOR) return !/^(?:0|false)$/i.test(env.FORCE_COLOR);
  return isTerminal && env.TERM !== "dumb";
}

/** Whether signs outside of ASCII can be shown. */
export function hasDrawnSigns(env: Environment, platform: NodeJS.Platform): boolean {
  const locale = env.LC_ALL || env.LC_CTYPE || env.LANG || "";
  if (/utf-?8/i.test(locale)) return true;
  // Programs of Linux take a locale that is not set for one of ASCII; other systems use UTF-8 unless a locale denies it.
  return platform !== "linux" && locale === "";
}

/** The result of something, at the beginning of its line. */
export type Mark = "good" | "attention" | "bad" | "off";

const colours: Readonly<Record<Mark, string>> = {
  good: "32",
  attention: "33",
  bad: "31",
  off: "2",
};

// By number: a letter outside of Latin-1 would double the memory of the code that each start loads.
const drawn: Readonly<Record<Mark, string>> = {
  good: String.fromCharCode(0x27_13),
  attention: "!",
  bad: String.fromCharCode(0x27_17),
  off: "-",
};

/** All of the same width. */
const plain: Readonly<Record<Mark, string>> = { good: "+", attention: "!", bad: "x", off: "-" };

/** How one output looks. */
export interface Look {
  /** Signs outside of ASCII can be shown. */
  readonly isDrawn: boolean;
  mark(mark: Mark): string;
  heading(text: string): string;
  /** Text that is less important than the rest. */
  dim(text: string): string;
  /** A line of a diff. */
  diff(line: string): string;
  warning(text: string): string;
  bad(text: string): string;
}

/** @param isTerminal of the output */
export function lookOf(
  isTerminal: boolean,
  env: Environment,
  platform: NodeJS.Platform = process.platform,
): Look {
  const isColoured = hasColours(isTerminal, env);
  const isDrawn = hasDrawnSigns(env, platform);
  const signs = isDrawn ? drawn : plain;
  const paint = (colour: string, text: string): string =>
    isColoured ? `\u001b[${colour}m${text}\u001b[0m` : text;
  return {
    isDrawn,
    mark: (mark) => paint(colours[mark], signs[mark]),
    heading: (text) => paint("1", text),
    dim: (text) => paint("2", text),
    diff: (line) => {
      if (/^(?:---|\+\+\+|@@)/.test(line)) return paint("2", line);
      const mark = line.startsWith("+") ? "good" : line.startsWith("-") ? "bad" : undefined;
      return mark === undefined ? line : paint(colours[mark], line);
    },
    warning: (text) => paint(colours.attention, text),
    bad: (text) => paint(colours.bad, text),
  };
}
