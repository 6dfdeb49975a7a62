import { isWordUnit } from "./char-set.ts";
import { compilePattern, type Program } from "./compile-pattern.ts";
import type { Assertion } from "./pattern-node.ts";
import { parsePattern } from "./parse-pattern.ts";

/**
 * Holds a pattern against texts, all ways to match it at the same time: the time is at most the length of the text times
 * that of the pattern, whatever the pattern. The engine of the runtime would try one way after the other, for minutes.
 */
export class PatternMatcher {
  readonly #program: Program;
  readonly #isMultiline: boolean;
  /** For each step the last position at which it was entered: a step is entered once for each. */
  readonly #entered: Float64Array;
  #position = 0;

  /** @throws PatternError */
  constructor(source: string, flags: string) {
    this.#program = compilePattern(parsePattern(source, flags));
    this.#isMultiline = flags.includes("m");
    this.#entered = new Float64Array(this.#program.length);
  }

  /** Whether the pattern matches anywhere in `text`. */
  test(text: string): boolean {
    let current: number[] = [];
    for (let at = 0; at <= text.length; at++) {
      this.#position++;
      const ready: number[] = [];
      // It may also begin here.
      for (const step of current) if (this.#enter(step, text, at, ready)) return true;
      if (this.#enter(0, text, at, ready)) return true;
      const unit = text.charCodeAt(at);
      current = [];
      for (const step of ready) {
        const { [step]: known } = this.#program;
        if (known?.kind === "set" && at < text.length && known.set(unit)) current.push(step + 1);
      }
    }
    return false;
  }

  /** Adds to `ready` the steps that want a character, from `first` on; says whether the end was reached. */
  #enter(first: number, text: string, at: number, ready: number[]): boolean {
    const open = [first];
    for (let step = open.pop(); step !== undefined; step = open.pop()) {
      if (this.#entered[step] === this.#position) continue;
      this.#entered[step] = this.#position;
      const known = this.#program[step];
      switch (known?.kind) {
        case "match":
        case undefined:
          return true;
        case "set":
          ready.push(step);
          break;
        case "split":
          open.push(...known.to);
          break;
        case "assertion":
          if (this.#holds(known.assertion, text, at)) open.push(step + 1);
      }
    }
    return false;
  }

  #holds(assertion: Assertion, text: string, at: number): boolean {
    switch (assertion) {
      case "start":
        return at === 0 || (this.#isMultiline && text[at - 1] === "\n");
      case "end":
        return at === text.length || (this.#isMultiline && text[at] === "\n");
      case "border":
        return isBorder(text, at);
      case "no-border":
        return !isBorder(text, at);
    }
  }
}

function isBorder(text: string, at: number): boolean {
  const before = at > 0 && isWordUnit(text.charCodeAt(at - 1));
  const after = at < text.length && isWordUnit(text.charCodeAt(at));
  return before !== after;
}
