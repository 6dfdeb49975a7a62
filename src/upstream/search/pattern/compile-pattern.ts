import { searchPatternStepsMax } from "../../../base/upstream-limits.ts";
import type { CharSet } from "./char-set.ts";
import { PatternError, type Assertion, type PatternNode } from "./pattern-node.ts";

/** One step of a program; what does not say where it goes goes on with the next. */
type Step =
  | { readonly kind: "set"; readonly set: CharSet; readonly ascii: Uint8Array }
  | { readonly kind: "assertion"; readonly assertion: Assertion }
  | { readonly kind: "split"; readonly to: readonly number[] }
  | { readonly kind: "match" };

export type Program = readonly Step[];

/** Counted repetitions are written out. @throws PatternError when that makes it too long */
export function compilePattern(node: PatternNode): Program {
  const steps = new Steps();
  emit(node, steps);
  steps.push({ kind: "match" });
  return steps;
}

/** The answers for the first 128 characters, which are nearly all that come. */
function asciiOf(set: CharSet): Uint8Array {
  return Uint8Array.from({ length: 128 }, (_, unit) => Number(set(unit)));
}

/** A program that is being written. */
class Steps extends Array<Step> {
  /** Nodes that were written; what is empty writes no step, and could be repeated for ever. */
  written = 0;
}

function emit(node: PatternNode, steps: Steps): void {
  if (steps.length > searchPatternStepsMax || ++steps.written > 4 * searchPatternStepsMax) {
    throw new PatternError("is too large when written out");
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
