import { describe, expect, test } from "bun:test";

import { QuestionForm } from "../../../src/interact/terminal/question-form.ts";

const options = ["A", "B"].map((label) => ({ label, description: null }));
const single = { question: "One?", header: null, options, multiSelect: false };
const multi = { ...single, multiSelect: true };

/** Presses keys; `"text"` is written. Gives what the last one did. */
function press(form: QuestionForm, ...keys: string[]): string {
  let result = "";
  for (const key of keys) {
    const isText = key.startsWith('"');
    result = form.press({ name: isText ? "paste" : key, text: isText ? key.slice(1, -1) : "" });
  }
  return result;
}

describe("QuestionForm", () => {
  test.each<[what: string, questions: (typeof single)[], keys: string[], answers: unknown]>([
    ["one choice", [single], ["down", "enter"], [{ labels: ["B"], other: null }]],
    ["several choices", [multi], [" ", "j", " ", "enter"], [{ labels: ["A", "B"], other: null }]],
    [
      "a choice that was taken back",
      [multi],
      [" ", " ", "j", " ", "enter"],
      [{ labels: ["B"], other: null }],
    ],
    ["other", [single], ["j", "j", "enter", '"so"', "enter"], [{ labels: [], other: "so" }]],
    ["other, pasted at once", [single], ["j", "j", '"so"', "enter"], [{ labels: [], other: "so" }]],
    [
      "other besides choices",
      [multi],
      [" ", "j", "j", "enter", '"so"', "enter", "enter"],
      [{ labels: ["A"], other: "so" }],
    ],
    [
      "words that were taken back",
      [multi],
      [" ", "j", "j", "enter", '"so"', "enter", " ", "k", "k", "enter"],
      [{ labels: ["A"], other: null }],
    ],
    [
      "a choice after other words",
      [single],
      ["j", "j", "enter", '"so"', "escape", "k", "enter"],
      [{ labels: ["B"], other: null }],
    ],
    [
      "two questions",
      [single, single],
      ["enter", "j", "enter"],
      [
        { labels: ["A"], other: null },
        { labels: ["B"], other: null },
      ],
    ],
    [
      "the second one first",
      [single, single],
      ["right", "enter", "j", "enter"],
      [
        { labels: ["B"], other: null },
        { labels: ["A"], other: null },
      ],
    ],
    [
      "another look at the first",
      [single, single],
      ["enter", "left", "j", "enter", "enter"],
      [
        { labels: ["B"], other: null },
        { labels: ["A"], other: null },
      ],
    ],
  ])("%s", (_, questions, keys, answers) => {
    const form = new QuestionForm({ questions, purpose: "question" });
    expect(press(form, ...keys)).toBe("submit");
    expect(form.answers as unknown).toEqual(answers);
  });

  test("nothing is sent while nothing is chosen", () => {
    const form = new QuestionForm({ questions: [multi], purpose: "question" });
    expect(press(form, "enter")).toBe("incomplete");
  });

  test("empty words are no answer", () => {
    const form = new QuestionForm({ questions: [single], purpose: "question" });
    expect(press(form, "j", "j", "enter", '"  "', "enter")).toBe("handled");
    expect([form.isWriting, form.answers]).toEqual([false, [{ labels: [], other: null }]]);
  });

  test("while somebody writes, every key is text", () => {
    const form = new QuestionForm({ questions: [single], purpose: "question" });
    press(form, "j", "j", "enter");
    for (const name of ["d", "q", " ", "j", "n"]) form.press({ name, text: name });
    expect([form.isWriting, form.field.editor.text, form.hasWork]).toEqual([true, "dq jn", true]);
  });

  test("it begins at what is preselected, which is no answer yet", () => {
    const form = new QuestionForm({
      questions: [{ ...single, preselected: "B" }],
      purpose: "consent",
    });
    expect([form.field.row, form.answers]).toEqual([1, [{ labels: [], other: null }]]);
    expect([press(form, "enter"), form.answers]).toEqual([
      "submit",
      [{ labels: ["B"], other: null }],
    ]);
  });

  test("consent is chosen, never written", () => {
    const form = new QuestionForm({ questions: [single], purpose: "consent" });
    press(form, "j", "j", "j");
    expect([form.field.row, form.field.hasOther]).toEqual([1, false]);
  });
});
