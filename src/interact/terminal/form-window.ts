import { type Look, safeLine, safeText, widthOf, wrapCells } from "./cells.ts";
import { isAnswered, type QuestionField, type QuestionForm } from "./question-form.ts";

/** A window of fewer rows has none for saying that there is more. */
const rowsForMore = 4;

/** The part of a form that has room. Nothing is chosen that has not been in it. */
export class FormWindow {
  #drawn: DrawnForm | undefined;
  #from = 0;
  #height = 1;
  /** Where pages were turned to; undefined follows the pointer. */
  #turned: number | undefined;

  /** The lines that are seen, and a line that says that there are more. */
  show(drawn: DrawnForm, rows: number, look: Look): readonly string[] {
    const { lines } = drawn;
    const isWhole = lines.length <= rows;
    const hasMore = !isWhole && rows >= rowsForMore;
    this.#drawn = drawn;
    this.#height = Math.max(1, hasMore ? rows - 1 : rows);
    const last = Math.max(0, lines.length - this.#height);
    this.#from = isWhole ? 0 : Math.min(last, Math.max(0, this.#turned ?? this.#followed(drawn)));
    const seen = lines.slice(this.#from, this.#from + this.#height);
    if (!hasMore) return seen;
    const below = lines.length - this.#from - this.#height;
    const more = below > 0 ? `${below} more lines: page down` : "page up";
    return [...seen, ` ${look.warning(more)}`];
  }

  /** The pointer has moved, or something was written. */
  follow(): void {
    this.#turned = undefined;
  }

  /** @param pages -1 for the one before */
  turn(pages: number): void {
    this.#turned = this.#from + pages * this.#step;
  }

  /** Lines of a page: one is seen again. */
  get #step(): number {
    return Math.max(1, this.#height - 1);
  }

  /** True when the pointer is at a visible row; else the window turns a page on the way there: nothing is skipped. */
  reveal(): boolean {
    if (this.#drawn === undefined) return true;
    const { rowFrom, rowTo } = this.#drawn;
    const isSeen = rowFrom >= this.#from && rowFrom < this.#from + this.#height;
    if (isSeen) return true;
    this.#turned = Math.min(this.#from + this.#step, rowFrom, rowTo - this.#height);
    return false;
  }

  /** A question is read from its beginning; then the row of the pointer is in the window. */
  #followed({ rowFrom, rowTo, isFirstRow, isWriting }: DrawnForm): number {
    if (isFirstRow) return 0;
    const end = rowTo - this.#height;
    return isWriting ? end : Math.min(rowFrom, end);
  }
}

interface DrawnForm {
  readonly lines: readonly string[];
  /** The lines of the row that the pointer is at. */
  readonly rowFrom: number;
  readonly rowTo: number;
  readonly isFirstRow: boolean;
  readonly isWriting: boolean;
}

/** Cells before the mark of an option. */
const indent = 3;

/** The question that is being answered, with its options. */
export function drawForm(form: QuestionForm, width: number, look: Look): DrawnForm {
  const { field } = form;
  const lines: string[] = [];
  if (form.fields.length > 1) lines.push(...drawSteps(form, width, look), "");
  const text = wrapCells(safeText(field.question.question), width - indent - 1);
  lines.push(...text.map((line) => ` ${look.bold(line)}`), "");
  let rowFrom = 0;
  let rowTo = 0;
  const rows = field.question.options.length + (field.hasOther ? 1 : 0);
  for (let row = 0; row < rows; row++) {
    const drawn = drawRow(form, row, width, look);
    if (row === field.row) [rowFrom, rowTo] = [lines.length, lines.length + drawn.length];
    lines.push(...drawn);
  }
  return { lines, rowFrom, rowTo, isFirstRow: field.row === 0, isWriting: form.isWriting };
}

/** Where one is among several questions. */
function drawSteps(form: QuestionForm, width: number, look: Look): string[] {
  const names = form.fields.map(({ question }, index) =>
    safeLine(question.header ?? `Question ${index + 1}`),
  );
  const marks = form.fields.map((field) => (isAnswered(field) ? look.signs.done : look.signs.open));
  const plain = names.map((name, index) => `${marks[index]} ${name}`).join("   ");
  if (widthOf(plain) > width - 2) {
    return [` ${look.dim(`Question ${form.current + 1} of ${form.fields.length}`)}`];
  }
  const steps = names.map((name, index) => {
    const mark = isAnswered(form.fields[index]!)
      ? look.good(marks[index]!)
      : look.dim(marks[index]!);
    return `${mark} ${index === form.current ? look.accent(look.bold(name)) : look.dim(name)}`;
  });
  return [` ${steps.join("   ")}`];
}

function drawRow(form: QuestionForm, row: number, width: number, look: Look): string[] {
  const { field } = form;
  const isHere = row === field.row;
  const pointer = isHere ? look.accent(look.signs.pointer) : " ";
  const mark = markOf(field, row, look);
  const left = ` ${pointer} ${mark} `;
  const inner = Math.max(8, width - widthOf(left) - 1);
  const below = " ".repeat(widthOf(left));
  const option = field.question.options[row];
  const texts =
    option === undefined
      ? drawOther(form, isHere, inner, look)
      : wrapCells(safeText(option.label), inner).map((line) => (isHere ? look.bold(line) : line));
  const about = option?.description ?? "";
  const description = about === "" ? [] : wrapCells(safeText(about), inner);
  return [
    ...texts.map((line, index) => (index === 0 ? left : below) + line),
    ...description.map((line) => below + look.dim(line)),
  ];
}

function markOf(field: QuestionField, row: number, look: Look): string {
  const isOther = row === field.question.options.length;
  const isOn = isOther ? field.isOtherChosen : field.chosen.has(row);
  const { chosen, notChosen, checked, unchecked } = look.signs;
  const [on, off] = field.question.multiSelect ? [checked, unchecked] : [chosen, notChosen];
  return isOn ? look.accent(on) : look.dim(off);
}

function drawOther(form: QuestionForm, isHere: boolean, width: number, look: Look): string[] {
  const { editor } = form.field;
  const isActive = isHere && form.isWriting;
  const title = "Other";
  if (editor.isEmpty && !isActive) return [isHere ? look.bold(title) : title];
  const label = `${title}: `;
  const rows = editor.draw(Math.max(4, width - label.length), isActive, look);
  return rows.map(
    (line, index) => (index === 0 ? look.dim(label) : " ".repeat(label.length)) + line,
  );
}
