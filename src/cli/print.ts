import { product } from "../base/product.ts";
import type { CommandIo } from "./command-io.ts";

/**
 * Characters that make a terminal do something, or a reader see something that is not there: C0 but tab
 * and newline, DEL and C1, bidirectional marks, line separators, the invisible tag characters.
 */
const unsafeCharacters =
  // eslint-disable-next-line no-control-regex -- naming control characters is the purpose
  /[\u0000-\u0008\u000b\u000c\u000e-\u001f\u007f-\u009f\u061c\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufeff\ufff9-\ufffb\u{e0000}-\u{e0fff}]|\r(?!\n)/gu;

/** `text` with every unsafe character written as `\u{…}`: text of tools and files is not ours. */
export function escapeForTerminal(text: string): string {
  return text.replace(unsafeCharacters, (character) => {
    return `\\u{${(character.codePointAt(0) ?? 0).toString(16)}}`;
  });
}

/** The same for JSON text, which stays the same JSON. */
export function escapeJson(json: string): string {
  return json.replace(unsafeCharacters, (character) => {
    return character.replaceAll(/[^]/g, (unit) => {
      return `\\u${unit.charCodeAt(0).toString(16).padStart(4, "0")}`;
    });
  });
}

/** All that commands print goes through here: data to stdout, talk to stderr. */
export class Printer {
  readonly #io: CommandIo;

  constructor(io: CommandIo) {
    this.#io = io;
  }

  line(text: string): void {
    this.#io.stdout.write(`${escapeForTerminal(text)}\n`);
  }

  json(value: unknown): void {
    this.#io.stdout.write(`${escapeJson(JSON.stringify(value, undefined, 2))}\n`);
  }

  /** Text that somebody may want byte for byte: escaped for a terminal only. Ends with a newline. */
  content(text: string): void {
    const shown = this.#io.stdout.isTerminal ? escapeForTerminal(text) : text;
    this.#io.stdout.write(shown.endsWith("\n") ? shown : `${shown}\n`);
  }

  note(text: string): void {
    this.#talk("", text);
  }

  warning(text: string): void {
    this.#talk(this.#paint("33", "warning: "), text);
  }

  error(text: string): void {
    this.#talk(this.#paint("31", "error: "), text);
  }

  #talk(prefix: string, text: string): void {
    this.#io.stderr.write(`${product.name}: ${prefix}${escapeForTerminal(text)}\n`);
  }

  #paint(colour: string, text: string): string {
    // NO_COLOR counts when it is there and not empty (no-color.org).
    const isColoured = this.#io.stderr.isTerminal && !this.#io.env.NO_COLOR;
    return isColoured ? `\u001b[${colour}m${text}\u001b[0m` : text;
  }
}
