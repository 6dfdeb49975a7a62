import type { Answer, Question } from "../../tools/state-services.ts";
import type { ShownQuestions } from "../questions/terminals.ts";
import type { Key } from "./keys.ts";
import { LineEditor } from "./line-editor.ts";

/** The effect of a key on the form. */
export type FormResult =
  | "unknown"
  | "handled"
  /** Enter where nothing was chosen. */
  | "incomplete"
  | "submit";

/** One question, and the choices and text so far. */
export interface QuestionField {
  readonly question: Question;
  /** Consent is given by choosing, never by words. */
  readonly hasOther: boolean;
  readonly chosen: Set<number>;
  readonly editor: LineEditor;
  isOtherChosen: boolean;
  /** The row that the pointer is at; the one after the options is "Other". */
  row: number;
}

/** Questions that are being answered: from key to key, without a terminal. */
export class QuestionForm {
  readonly fields: readonly QuestionField[];
  #current = 0;
  #isWriting = false;

  constructor({ questions, purpose }: Pick<ShownQuestions, "questions" | "purpose">) {
    this.fields = questions.map((question) => ({
      question,
      hasOther: purpose === "question",
      chosen: new Set<number>(),
      editor: new LineEditor(),
      isOtherChosen: false,
      row: preselectedRow(question),
    }));
  }

  get current(): number {
    return this.#current;
  }

  get field(): QuestionField {
    const field = this.fields[this.#current];
    if (field === undefined) throw new Error("A form has at least one question.");
    return field;
  }

  /** "Other" is being written. */
  get isWriting(): boolean {
    return this.#isWriting;
  }

  /** Something would be lost if the form was left. */
  get hasWork(): boolean {
    return this.fields.some((field) => field.chosen.size > 0 || !field.editor.isEmpty);
  }

  get answers(): readonly Answer[] {
    return this.fields.map(({ question, chosen, isOtherChosen, editor }) => ({
      labels: question.options.filter((_, row) => chosen.has(row)).map(({ label }) => label),
      other: isOtherChosen ? editor.text.trim() : null,
    }));
  }

  press(key: Key): FormResult {
    if (this.#isWriting) return this.#write(key);
    switch (key.name) {
      case "up":
      case "k":
        return this.#move(-1);
      case "down":
      case "j":
        return this.#move(1);
      case "left":
      case "h":
        return this.#turn(-1);
      case "right":
      case "l":
        return this.#turn(1);
      case " ":
        return this.#choose();
      case "enter":
        return this.#enter();
      case "paste":
        return this.#isAtOther ? this.#startWriting(key) : "unknown";
      default:
        return "unknown";
    }
  }

  get #isAtOther(): boolean {
    return this.field.row === this.field.question.options.length;
  }

  #move(step: number): FormResult {
    const { field } = this;
    const last = field.question.options.length - (field.hasOther ? 0 : 1);
    field.row = Math.min(Math.max(0, field.row + step), last);
    return "handled";
  }

  #turn(step: number): FormResult {
    this.#current = Math.min(Math.max(0, this.#current + step), this.fields.length - 1);
    return "handled";
  }

  /** Space. */
  #choose(): FormResult {
    const { field } = this;
    if (this.#isAtOther) {
      if (field.editor.isEmpty) return this.#startWriting();
      if (!field.question.multiSelect) field.chosen.clear();
      field.isOtherChosen = !field.isOtherChosen;
      return "handled";
    }
    if (!field.question.multiSelect) {
      field.chosen.clear();
      field.isOtherChosen = false;
      field.chosen.add(field.row);
    } else if (!field.chosen.delete(field.row)) {
      field.chosen.add(field.row);
    }
    return "handled";
  }

  #enter(): FormResult {
    const { field } = this;
    if (this.#isAtOther && !field.isOtherChosen) return this.#startWriting();
    if (!field.question.multiSelect && !this.#isAtOther) this.#choose();
    return this.#advance();
  }

  #startWriting(key?: Key): FormResult {
    this.#isWriting = true;
    return key === undefined ? "handled" : this.#write(key);
  }

  #write(key: Key): FormResult {
    const { field } = this;
    if (key.name !== "enter" && key.name !== "escape") {
      return field.editor.press(key) ? "handled" : "unknown";
    }
    this.#isWriting = false;
    if (key.name === "escape" || field.editor.isEmpty) {
      field.isOtherChosen &&= !field.editor.isEmpty;
      return "handled";
    }
    field.isOtherChosen = true;
    if (field.question.multiSelect) return "handled";
    field.chosen.clear();
    return this.#advance();
  }

  /** On to the next question that has no answer; when all have one, that is all. */
  #advance(): FormResult {
    if (!isAnswered(this.field)) return "incomplete";
    const { length } = this.fields;
    for (let step = 1; step < length; step++) {
      const next = (this.#current + step) % length;
      const field = this.fields[next];
      if (field === undefined || isAnswered(field)) continue;
      this.#current = next;
      return "handled";
    }
    return "submit";
  }
}

/** Where the pointer begins. */
function preselectedRow({ options, preselected }: Question): number {
  return Math.max(
    0,
    options.findIndex(({ label }) => label === preselected),
  );
}

export function isAnswered({ chosen, isOtherChosen }: QuestionField): boolean {
  return chosen.size > 0 || isOtherChosen;
}
