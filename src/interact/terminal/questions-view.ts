import { questionGuardMs, questionOtherCharsMax } from "../../base/limits.ts";
import type { GoneReason, TerminalReply } from "../questions/terminals.ts";
import type { QuestionEntry } from "./attach-model.ts";
import { cutCells, safeLine } from "./cells.ts";
import { drawForm, FormWindow } from "./form-window.ts";
import type { Key } from "./keys.ts";
import { type Hint, passingTime, type Size, type View, type ViewContext } from "./view.ts";

const fullNotice = `An answer has ${questionOtherCharsMax} characters at most.`;

/** The questions of all servers, one in front. */
export class QuestionsView implements View {
  readonly title = "Questions";
  readonly #context: ViewContext;
  #front: QuestionEntry | undefined;
  readonly #window = new FormWindow();
  #guardedUntil = 0;

  constructor(context: ViewContext) {
    this.#context = context;
  }

  get count(): number {
    return this.#context.model.questions.length;
  }

  get isWriting(): boolean {
    return this.#entry?.form.isWriting === true;
  }

  get hints(): readonly Hint[] {
    const form = this.#entry?.form;
    if (form === undefined) return [];
    if (form.isWriting)
      return [
        ["enter", "done"],
        ["esc", "stop writing"],
      ];
    const { multiSelect } = form.field.question;
    return [
      ["↑↓", "move"],
      ...(multiSelect ? ([["space", "choose"]] as const) : []),
      ["enter", multiSelect ? "go on" : "choose"],
      ...(form.fields.length > 1 ? ([["←→", "question"]] as const) : []),
      ...(this.count > 1 ? ([["n", "next"]] as const) : []),
      ["d", "decline"],
      ["esc", "cancel"],
    ];
  }

  /** The question has come to the front by itself: keys on their way were meant for something else. */
  guard(): void {
    this.#guardedUntil = this.#context.now() + questionGuardMs;
  }

  /** A question was taken back. */
  gone(entry: QuestionEntry, reason: GoneReason): void {
    const isFront = entry === this.#entry;
    this.#context.model.dropQuestion(entry);
    if (!isFront) return;
    this.guard();
    const answered = "The question was answered in another terminal.";
    this.#context.notice(reason === "answered" ? answered : "The question was withdrawn.");
  }

  draw({ columns, rows }: Size): readonly string[] {
    const { look } = this.#context;
    const entry = this.#entry;
    if (entry === undefined) {
      return ["", ` ${look.dim("No questions. New ones appear here.")}`];
    }
    const form = drawForm(entry.form, columns, look);
    const head = [this.#heading(entry, columns), ...(rows > 6 ? [""] : [])];
    return [...head, ...this.#window.show(form, Math.max(1, rows - head.length), look)];
  }

  press(key: Key): boolean {
    const entry = this.#entry;
    if (entry === undefined) return false;
    const { form } = entry;
    if (!form.isWriting && this.#context.now() < this.#guardedUntil) return true;
    if (!form.isWriting && (key.name === "enter" || key.name === " ") && !this.#window.reveal()) {
      return true;
    }
    switch (form.press(key)) {
      case "handled":
        this.#window.follow();
        if (form.isWriting && form.field.editor.isFull) this.#context.notice(fullNotice);
        return true;
      case "incomplete":
        this.#context.notice("Nothing is chosen yet: space chooses, d declines.");
        return true;
      case "submit":
        this.#reply(entry, { kind: "answered", answers: form.answers }, "Answered.");
        return true;
      case "unknown":
        return this.#pressBeside(key, entry);
    }
  }

  #pressBeside({ name }: Key, entry: QuestionEntry): boolean {
    const decline = (): void => this.#reply(entry, { kind: "declined" }, "Declined.");
    const cancel = (): void => this.#reply(entry, { kind: "cancelled" }, "Cancelled.");
    if (entry.form.isWriting) return false;
    if (name === "d") this.#leave(entry, "Decline", decline);
    else if (name === "escape") this.#leave(entry, "Cancel", cancel);
    else if (name === "pagedown") this.#window.turn(1);
    else if (name === "pageup") this.#window.turn(-1);
    else if (name === "n") this.#turn(1);
    else if (name === "p") this.#turn(-1);
    else return false;
    return true;
  }

  /** One key never discards written text. */
  #leave({ form }: QuestionEntry, verb: string, leave: () => void): void {
    if (!form.hasWork) return leave();
    this.#context.confirm(`${verb}, and lose your input?`, leave);
  }

  #reply(entry: QuestionEntry, reply: TerminalReply, notice: string): void {
    const { model, send } = this.#context;
    // While it was being confirmed it may have been answered elsewhere.
    if (model.findQuestion(entry.serverId, entry.number) !== entry) return;
    send(entry.serverId, { type: "answer", number: entry.number, reply });
    model.dropQuestion(entry);
    this.#context.notice(notice);
    this.guard();
  }

  #turn(step: number): void {
    const { questions } = this.#context.model;
    const at = questions.findIndex((entry) => entry === this.#entry);
    this.#front = questions[(at + step + questions.length) % questions.length];
    this.#window.follow();
  }

  /** The one in front; the oldest one when that is gone. */
  get #entry(): QuestionEntry | undefined {
    const { questions } = this.#context.model;
    if (this.#front === undefined || !questions.includes(this.#front)) {
      this.#front = questions[0];
      this.#window.follow();
    }
    return this.#front;
  }

  #heading({ question, serverId }: QuestionEntry, columns: number): string {
    const { look, model, now } = this.#context;
    const { asker, workspace, askedAt, purpose } = question;
    const verb = purpose === "consent" ? "asks for permission" : "asks";
    const who = `${safeLine(asker)} ${verb}`;
    const at = model.questions.findIndex((entry) => entry.question === question) + 1;
    const details = [
      safeLine(workspace),
      `${passingTime(now() - askedAt)} ago`,
      ...(model.servers.length > 1 ? [model.serverName(serverId)] : []),
      ...(this.count > 1 ? [`${at} of ${this.count}`] : []),
    ].filter((detail) => detail !== "");
    const rest = cutCells(details.join(` ${look.signs.dot} `), columns - who.length - 4);
    const styled = purpose === "consent" ? look.warning(who) : look.accent(who);
    return ` ${cutCells(who, columns - 2) === who ? styled : cutCells(who, columns - 2)}  ${look.dim(rest)}`;
  }
}
