/** A mistake in the configuration. */
export interface ConfigProblem {
  /**
   * `warning`: ignored, the server starts without it. `error`: an explicit request of the command line cannot be met, so
   * starting would be wrong.
   */
  readonly severity: "warning" | "error";
  /** The problem, the value and the fix: complete without the other fields. */
  readonly message: string;
  readonly file?: string;
  readonly line?: number;
  readonly key?: string;
}

/** The beginning of a problem's message. */
export interface PlaceOfProblem {
  readonly file?: string | undefined;
  readonly line?: number | undefined;
  /** An environment variable. */
  readonly name?: string | undefined;
}

/** The place of a value, for people: `file:line`, or the name of an environment variable or flag. */
function describePlace(place: PlaceOfProblem): string {
  if (place.file === undefined) return place.name ?? "command line";
  // A project names its folders: none of them looks like a message of its own.
  const file = place.file.replaceAll(/[\r\n]/g, (end) => (end === "\n" ? "\\n" : "\\r"));
  return place.line === undefined ? file : `${file}:${place.line}`;
}

/** Problems of one place at most: a file of another kind is not listed line by line. */
export const problemsPerPlaceMax = 20;

/** Collects problems, a bounded number for each file. */
export class ProblemList {
  readonly #problems: ConfigProblem[] = [];
  readonly #counts = new Map<string, number>();

  get all(): readonly ConfigProblem[] {
    return this.#problems;
  }

  /** False once `file` has reached the limit: then composing a message is wasted work. */
  hasRoom(file: string | undefined): boolean {
    return (this.#counts.get(file ?? "") ?? 0) < problemsPerPlaceMax;
  }

  warn(place: PlaceOfProblem, text: string, key?: string): void {
    this.#add("warning", place, text, key);
  }

  error(place: PlaceOfProblem, text: string): void {
    this.#add("error", place, text);
  }

  #add(
    severity: ConfigProblem["severity"],
    place: PlaceOfProblem,
    text: string,
    key?: string,
  ): void {
    const count = (this.#counts.get(place.file ?? "") ?? 0) + 1;
    this.#counts.set(place.file ?? "", count);
    if (count > problemsPerPlaceMax) return;
    const suffix = count === problemsPerPlaceMax ? " Further problems here are not listed." : "";
    this.#problems.push({
      severity,
      message: `${describePlace(place)}: ${text}${suffix}`,
      ...(place.file !== undefined && { file: place.file }),
      ...(place.line !== undefined && { line: place.line }),
      ...(key !== undefined && { key }),
    });
  }
}

/** A value as a message shows it: quoted, on one line, not long. */
export function quoteValue(value: string): string {
  return JSON.stringify(value.length > 60 ? `${value.slice(0, 60)}…` : value);
}
