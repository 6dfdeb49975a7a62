import { parseSync } from "oxc-parser";

/** A place of a test that depends on how fast the machine is. */
export interface Wait {
  /** From 1. */
  readonly line: number;
  /** The call that waits or compares, without the rest of the statement: `Bun.sleep(20)`, `toBeLessThan(500)`. */
  readonly text: string;
}

interface Node {
  readonly type: string;
  readonly start: number;
  readonly end: number;
  readonly [property: string]: unknown;
}

const upperBounds = new Set(["toBeLessThan", "toBeLessThanOrEqual"]);
const sleeps = new Set(["Bun.sleep", "Bun.sleepSync", "setTimeout", "sleep", "sleepSync"]);
const clock = /\b(?:performance\.now|Date\.now|Bun\.nanoseconds|process\.hrtime)\b/;

/**
 * The upper bounds that a test asserts on elapsed time, and the waits for a fixed time.
 *
 * A sleep in a loop that ends with a condition is a look at that condition, and a sleep of 0 is a turn of the event loop:
 * neither is a wait.
 * @throws Error when the text does not parse
 */
export function findWaits(path: string, text: string): Wait[] {
  const { program, errors } = parseSync(path, text);
  const [error] = errors;
  if (error !== undefined) throw new Error(`${path}: ${error.message}`);
  const source = new Source(text);
  const found: Wait[] = [];
  const add = (node: Node, shown: string): void => {
    const line = text.slice(0, node.start).split("\n").length;
    found.push({ line, text: shown.replaceAll(/\s+/g, " ") });
  };
  const visit = (node: Node, outer: readonly Node[]): void => {
    if (isLoop(node) && clock.test(source.of(node["test"]))) add(node, source.of(node["test"]));
    if (node.type === "CallExpression") {
      const shown = source.bound(node) ?? source.sleep(node, outer);
      if (shown !== undefined) add(node, shown);
    }
    for (const child of childrenOf(node)) visit(child, [node, ...outer]);
  };
  const root = program as unknown as Node;
  source.learnElapsed(root);
  visit(root, []);
  return found;
}

class Source {
  /** Variables and functions that give an elapsed time. */
  readonly #elapsed = new Set<string>();
  readonly #text: string;

  constructor(text: string) {
    this.#text = text;
  }

  of(node: unknown): string {
    return isNode(node) ? this.#text.slice(node.start, node.end) : "";
  }

  /** Takes the names of variables and functions that are made from a difference of clocks. */
  learnElapsed(root: Node): void {
    const made = nodesOf(root).flatMap((node): [name: string, from: unknown][] => [
      [this.of(node["id"]), node.type === "FunctionDeclaration" ? node["body"] : node["init"]],
    ]);
    for (const [name, from] of made) {
      if (name !== "" && isNode(from) && this.#hasDifference(from)) this.#elapsed.add(name);
    }
  }

  /** The bound, if the call is one from above on an elapsed time. */
  bound(call: Node): string | undefined {
    const callee = call["callee"];
    if (!isNode(callee) || !upperBounds.has(this.of(callee["property"]))) return undefined;
    const expected = callee["object"];
    if (!isNode(expected)) return undefined;
    const bound = this.of(call)
      .slice(this.of(expected).length + 1)
      .trim();
    const isElapsed =
      bound.includes("atThisLoad") ||
      this.#hasDifference(expected) ||
      nodesOf(expected).some((node) => this.#elapsed.has(this.of(node)));
    return isElapsed ? bound : undefined;
  }

  /** The sleep, if the call is one; `outer` is what it is in, from the inside. */
  sleep(call: Node, outer: readonly Node[]): string | undefined {
    const callee = this.of(call["callee"]);
    const given = call["arguments"] as readonly Node[];
    const time = this.of(given.at(-1));
    if (!sleeps.has(callee) || time === "0" || this.#isLook(outer)) return undefined;
    return `${callee}(${given.length > 1 ? "…, " : ""}${time})`;
  }

  /** Whether a difference of clocks comes out of it: one that is only compared does not. */
  #hasDifference(node: Node): boolean {
    if (node.type === "BinaryExpression") {
      const operator = String(node["operator"]);
      if (/[<>=]/.test(operator)) return false;
      if (operator === "-" && clock.test(this.of(node))) return true;
    }
    return childrenOf(node).some((child) => this.#hasDifference(child));
  }

  /** Whether a loop around it looks at a condition each time. */
  #isLook(outer: readonly Node[]): boolean {
    const end = outer.findIndex((node) => isLoop(node) || node.type.includes("Function"));
    const loop = outer[end];
    if (loop === undefined || !isLoop(loop)) return false;
    const { test, update } = loop;
    if (isNode(test) && test.type !== "Literal") return !this.#isCounted(test, update);
    return nodesOf(loop).some(
      ({ type }) => type === "BreakStatement" || type === "ReturnStatement",
    );
  }

  /** Whether the loop's test looks at the variable that its update changes. */
  #isCounted(test: Node, update: unknown): boolean {
    if (!isNode(update)) return false;
    const changed = this.of(update["argument"] ?? update["left"]);
    return nodesOf(test).some((node) => this.of(node) === changed);
  }
}

function isLoop({ type }: Node): boolean {
  return type === "WhileStatement" || type === "DoWhileStatement" || type === "ForStatement";
}

function isNode(value: unknown): value is Node {
  return typeof value === "object" && value !== null && "type" in value && "start" in value;
}

function childrenOf(node: Node): Node[] {
  return Object.values(node).flatMap((value: unknown) =>
    Array.isArray(value) ? value.filter(isNode) : isNode(value) ? [value] : [],
  );
}

/** The node and all that are in it. */
function nodesOf(node: Node): Node[] {
  return [node, ...childrenOf(node).flatMap(nodesOf)];
}
