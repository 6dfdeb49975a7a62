import { searchPatternStepsMax } from "../../../base/upstream-limits.ts";
import { parsePattern } from "./parse-pattern.ts";
import {
  type Assertion,
  type CharSet,
  isWordUnit,
  PatternError,
  type PatternNode,
} from "./pattern-node.ts";

/**
 * Matches a pattern against texts by following all alternatives at the same time. The time is at most the length of the
 * text times that of the pattern, where the runtime's engine could backtrack for minutes.
 */
export class PatternMatcher {
  readonly #program: Program;
  readonly #isMultiline: boolean;
  /** Whether a match may begin with each ASCII character; undefined when a match may be empty. */
  readonly #beginnings: Uint8Array | undefined;
  /** For each step the last position at which it was entered; each is entered once for a position. */
  readonly #entered: Float64Array;
  readonly #open: number[] = [];
  #position = 0;

  /** @throws PatternError */
  constructor(source: string, flags: string) {
    this.#program = compilePattern(parsePattern(source, flags));
    this.#isMultiline = flags.includes("m");
    this.#entered = new Float64Array(this.#program.length);
    this.#beginnings = beginningsOf(this.#program);
  }

  /** Whether the pattern matches anywhere in `text`. */
  test(text: string): boolean {
    const current: number[] = [];
    const ready: number[] = [];
    for (let at = 0; at <= text.length; at++) {
      const unit = text.charCodeAt(at);
      if (current.length === 0 && this.#beginnings?.[unit] === 0) continue;
      this.#position++;
      ready.length = 0;
      for (const step of current) if (this.#enter(step, text, at, ready)) return true;
      // A match may also begin here.
      if (this.#beginnings?.[unit] !== 0 && this.#enter(0, text, at, ready)) return true;
      current.length = 0;
      if (at < text.length) this.#advance(ready, unit, current);
    }
    return false;
  }

  /** Adds to `next` the successors of the steps that accept the character. */
  #advance(ready: readonly number[], unit: number, next: number[]): void {
    for (const step of ready) {
      const known = this.#program[step];
      if (known?.kind !== "set") continue;
      const takes = unit < 128 ? known.ascii[unit] === 1 : known.set(unit);
      if (takes) next.push(step + 1);
    }
  }

  /** Adds to `ready` the steps that need a character, starting with `first`; returns whether the end was reached. */
  #enter(first: number, text: string, at: number, ready: number[]): boolean {
    const open = this.#open;
    open.push(first);
    for (let step = open.pop(); step !== undefined; step = open.pop()) {
      if (this.#entered[step] === this.#position) continue;
      this.#entered[step] = this.#position;
      const known = this.#program[step];
      switch (known?.kind) {
        case "match":
        case undefined:
          open.length = 0;
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

/** The characters among the first 128 that can begin a match; with it, most places of a text are skipped quickly. */
function beginningsOf(program: Program): Uint8Array | undefined {
  const first: Uint8Array[] = [];
  const seen = new Set<number>();
  const open = [0];
  for (let at = open.pop(); at !== undefined; at = open.pop()) {
    if (seen.has(at)) continue;
    seen.add(at);
    const step = program[at];
    if (step === undefined || step.kind === "match") return undefined;
    if (step.kind === "set") first.push(step.ascii);
    else open.push(...(step.kind === "split" ? step.to : [at + 1]));
  }
  return Uint8Array.from({ length: 128 }, (_, unit) =>
    Number(first.some((ascii) => ascii[unit] === 1)),
  );
}

function isBorder(text: string, at: number): boolean {
  const before = at > 0 && isWordUnit(text.charCodeAt(at - 1));
  const after = at < text.length && isWordUnit(text.charCodeAt(at));
  return before !== after;
}

/** One step of a program; unless it names its successors, the next step follows. */
type Step =
  | { readonly kind: "set"; readonly set: CharSet; readonly ascii: Uint8Array }
  | { readonly kind: "assertion"; readonly assertion: Assertion }
  | { readonly kind: "split"; readonly to: readonly number[] }
  | { readonly kind: "match" };

type Program = readonly Step[];

/** Compiles a pattern; counted repetitions are expanded. @throws PatternError when the program becomes too long */
function compilePattern(node: PatternNode): Program {
  const steps = new Steps();
  emit(node, steps);
  steps.push({ kind: "match" });
  return steps;
}

/** A table for the first 128 characters, by far the most common ones. */
function asciiOf(set: CharSet): Uint8Array {
  return Uint8Array.from({ length: 128 }, (_, unit) => Number(set(unit)));
}

/** A program during compilation. */
class Steps extends Array<Step> {
  /** The number of emitted nodes; an empty node emits no step, so it could be repeated forever. */
  written = 0;
}

function emit(node: PatternNode, steps: Steps): void {
  if (steps.length > searchPatternStepsMax || ++steps.written > 4 * searchPatternStepsMax) {
    throw new PatternError("is too large when its repetitions are expanded");
  }
  switch (node.kind) {
    case "set":
      steps.push({ ...node, ascii: asciiOf(node.set) });
      break;
    case "assertion":
      steps.push(node);
      break;
    case "sequence":
      for (const part of node.nodes) emit(part, steps);
      break;
    case "choice":
      emitChoice(node.nodes, steps);
      break;
    case "repeat":
      emitRepeat(node, steps);
      break;
  }
}

function emitChoice(nodes: readonly PatternNode[], steps: Steps): void {
  const starts: number[] = [];
  const ends: number[] = [];
  const fork = steps.push({ kind: "match" }) - 1;
  for (const node of nodes) {
    starts.push(steps.length);
    emit(node, steps);
    ends.push(steps.push({ kind: "match" }) - 1);
  }
  steps[fork] = { kind: "split", to: starts };
  for (const end of ends) steps[end] = { kind: "split", to: [steps.length] };
}

function emitRepeat(
  { node, min, max }: Extract<PatternNode, { kind: "repeat" }>,
  steps: Steps,
): void {
  for (let count = 0; count < min; count++) emit(node, steps);
  if (max === Infinity) {
    const loop = steps.push({ kind: "match" }) - 1;
    emit(node, steps);
    steps.push({ kind: "split", to: [loop] });
    steps[loop] = { kind: "split", to: [loop + 1, steps.length] };
    return;
  }
  const exits: number[] = [];
  for (let count = min; count < max; count++) {
    exits.push(steps.push({ kind: "match" }) - 1);
    emit(node, steps);
  }
  for (const exit of exits) steps[exit] = { kind: "split", to: [exit + 1, steps.length] };
}
