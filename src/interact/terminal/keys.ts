import { escapeKeyMs, pasteSilentMs, questionOtherCharsMax } from "../../base/limits.ts";

/** A key, or text that was pasted. */
export interface Key {
  /** `up`, `enter`, `ctrl-c`, `paste` …; of a character the character itself. */
  readonly name: string;
  /** The text that the key inserts; empty for other keys. */
  readonly text: string;
}

const pasteStart = "\u001b[200~";
const pasteEnd = "\u001b[201~";

const pasteCharsMax = 4 * questionOtherCharsMax;

const controlNames: Readonly<Record<string, string>> = {
  "\r": "enter",
  "\n": "enter",
  "\t": "tab",
  "\u007f": "backspace",
  "\b": "backspace",
};

/** By the end of the sequence after `ESC [` or `ESC O`, its parameters left out. */
const sequenceNames: Readonly<Record<string, string>> = {
  A: "up",
  B: "down",
  C: "right",
  D: "left",
  H: "home",
  F: "end",
  Z: "backtab",
  M: "enter",
  "1~": "home",
  "7~": "home",
  "3~": "delete",
  "4~": "end",
  "8~": "end",
  "5~": "pageup",
  "6~": "pagedown",
};

/** Parses the input of a terminal into keys. Sequences and characters may be cut between two chunks. */
export class KeyDecoder {
  readonly #onKey: (key: Key) => void;
  readonly #decoder = new TextDecoder();
  #rest = "";
  #timer: ReturnType<typeof setTimeout> | undefined;

  constructor(onKey: (key: Key) => void) {
    this.#onKey = onKey;
  }

  push(chunk: Uint8Array): void {
    clearTimeout(this.#timer);
    this.#rest += this.#decoder.decode(chunk, { stream: true });
    this.#takeAll();
    if (this.#rest.startsWith(pasteStart)) return this.#holdPaste();
    if (this.#rest === "") return;
    // Bytes of a sequence come together with its escape; alone it is the key.
    this.#timer = setTimeout(() => {
      this.#rest = this.#rest.slice(1);
      this.#onKey({ name: "escape", text: "" });
      this.#takeAll();
    }, escapeKeyMs);
  }

  close(): void {
    clearTimeout(this.#timer);
  }

  #takeAll(): void {
    while (this.#rest !== "") {
      const taken = this.#takeOne();
      if (taken === 0) return;
      this.#rest = this.#rest.slice(taken);
    }
  }

  /** How many characters belong to the first key; 0 when more have to come. */
  #takeOne(): number {
    const rest = this.#rest;
    if (rest.startsWith("\u001b")) return this.#takeEscape(rest);
    const character = String.fromCodePoint(rest.codePointAt(0) ?? 0);
    const control = controlNames[character];
    if (control !== undefined) this.#onKey({ name: control, text: "" });
    else if (character < " ") this.#onKey({ name: `ctrl-${letterOf(character)}`, text: "" });
    else this.#onKey({ name: character, text: character });
    return character.length;
  }

  #takeEscape(rest: string): number {
    if (rest.startsWith(pasteStart)) return this.#takePaste(rest);
    // eslint-disable-next-line no-control-regex -- that is how keys begin
    const sequence = /^\u001b(?:\[([0-9;?]*)([@-~])|O([@-~]))/.exec(rest);
    if (sequence !== null) {
      const [whole, parameters = "", end = "", single] = sequence;
      const first = parameters.split(";")[0] ?? "";
      const name = sequenceNames[single ?? (end === "~" ? `${first}~` : end)];
      if (name !== undefined) this.#onKey({ name, text: "" });
      return whole.length;
    }
    // eslint-disable-next-line no-control-regex -- that is how keys begin
    if (/^\u001b(?:\[[0-9;?]*|O)?$/.test(rest)) return 0;
    return this.#takeAlt(rest);
  }

  /** A key with Alt does not cancel; an escape without a following key is the Escape key. */
  #takeAlt(rest: string): number {
    const character = String.fromCodePoint(rest.codePointAt(1) ?? 0);
    const name = controlNames[character] ?? (character >= " " ? character : undefined);
    this.#onKey({ name: name === undefined ? "escape" : `alt-${name}`, text: "" });
    return name === undefined ? 1 : 1 + character.length;
  }

  /** Nobody pastes that much on purpose; the end mark may be cut in two. Where none comes, keys are keys again. */
  #holdPaste(): void {
    if (this.#rest.length > pasteCharsMax) {
      this.#rest = this.#rest.slice(0, pasteCharsMax / 2) + this.#rest.slice(-pasteEnd.length);
    }
    this.#timer = setTimeout(() => {
      this.#onKey({ name: "paste", text: this.#rest.slice(pasteStart.length) });
      this.#rest = "";
    }, pasteSilentMs);
  }

  #takePaste(rest: string): number {
    const end = rest.indexOf(pasteEnd);
    if (end === -1) return 0;
    this.#onKey({ name: "paste", text: rest.slice(pasteStart.length, end) });
    return end + pasteEnd.length;
  }
}

function letterOf(control: string): string {
  return String.fromCharCode(control.charCodeAt(0) + 0x60);
}
