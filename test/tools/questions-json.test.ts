import { describe, expect, test } from "bun:test";

import { questionsJsonCharsMax, questionTextCharsMax } from "../../src/base/limits.ts";
import { parseQuestions } from "../../src/tools/ask-user-question.ts";

const parse = (value: unknown): unknown => parseQuestions(JSON.stringify(value));
const question = "Which?";
const options = ["a", "b"];
const parsed = {
  question,
  header: null,
  options: [
    { label: "a", description: null },
    { label: "b", description: null },
  ],
  multiSelect: false,
};

describe("parseQuestions() takes", () => {
  test.each<[string, unknown, unknown]>([
    ["a list", [{ question, options }], [parsed]],
    ["an object", { questions: [{ question, options }] }, [parsed]],
    [
      "everything",
      [
        {
          question: " Which? ",
          header: " H ",
          options: [{ label: " a\n x ", description: "d" }, { label: "b" }],
          multiSelect: true,
        },
      ],
      [
        {
          question,
          header: "H",
          options: [
            { label: "a x", description: "d" },
            { label: "b", description: null },
          ],
          multiSelect: true,
        },
      ],
    ],
    [
      "null for what may be absent",
      [
        {
          question,
          header: null,
          options: [{ label: "a", description: null }, "b"],
          multiSelect: null,
        },
      ],
      [parsed],
    ],
    [
      "four questions",
      ["1", "2", "3", "4"].map((text) => ({ question: text, options })),
      expect.any(Array),
    ],
    ["ten options", [{ question, options: "abcdefghij".split("") }], expect.any(Array)],
    [
      "the longest text",
      [{ question: "x".repeat(questionTextCharsMax), options }],
      expect.any(Array),
    ],
  ])("%s", (_what, value, expected) => {
    expect(parse(value)).toEqual(expected);
  });
});

describe("parseQuestions() refuses", () => {
  test.each<[string, unknown, string]>([
    ["a number", 5, "questions_json must be an array of questions, not a number."],
    ["null", null, "questions_json must be an array of questions, not null."],
    ["an object without questions", {}, "questions must be an array; it is missing."],
    [
      "another property",
      { questions: [], a: 1 },
      'questions_json has an unknown property "a"; known: questions.',
    ],
    ["no question", [], "questions is empty; ask at least one question."],
    [
      "five questions",
      ["1", "2", "3", "4", "5"].map((text) => ({ question: text, options })),
      "questions has 5 questions, of 4 at most; ask twice.",
    ],
    ["a text as question", ["Which?"], "questions[0] must be an object, not a string."],
    [
      "a question without text",
      [{ options }],
      "questions[0].question must be a string; it is missing.",
    ],
    ["an empty text", [{ question: " ", options }], "questions[0].question is empty."],
    [
      "a long text",
      [{ question: "x".repeat(questionTextCharsMax + 1), options }],
      `questions[0].question has ${questionTextCharsMax + 1} characters, of ${questionTextCharsMax} at most.`,
    ],
    [
      "a wrong header",
      [{ question, options, header: 1 }],
      "questions[0].header must be a string, not a number.",
    ],
    ["no options", [{ question }], "questions[0].options must be an array; it is missing."],
    [
      "one option",
      [{ question, options: ["a"] }],
      "questions[0].options has 1 option; 2 to 10 are allowed.",
    ],
    [
      "eleven options",
      [{ question, options: "abcdefghijk".split("") }],
      "questions[0].options has 11 options; 2 to 10 are allowed.",
    ],
    ["an empty label", [{ question, options: ["a", ""] }], "questions[0].options[1] is empty."],
    [
      "no label",
      [{ question, options: ["a", {}] }],
      "questions[0].options[1].label must be a string; it is missing.",
    ],
    [
      "a number as option",
      [{ question, options: ["a", 2] }],
      "questions[0].options[1] must be a string or an object with a label, not a number.",
    ],
    [
      "another property of an option",
      [{ question, options: ["a", { label: "b", value: 1 }] }],
      'questions[0].options[1] has an unknown property "value"; known: label, description.',
    ],
    [
      "the same option twice",
      [{ question, options: ["a", "b", "A"] }],
      'questions[0].options[2] is "A", the same as questions[0].options[0].',
    ],
    [
      "an option Other",
      [{ question, options: ["a", "other"] }],
      'questions[0].options[1] is "Other", which is always offered; leave it out.',
    ],
    [
      "the same question twice",
      [
        { question, options },
        { question, options },
      ],
      'questions[1].question is "Which?", the same as questions[0].question.',
    ],
    [
      "multiSelect as text",
      [{ question, options, multiSelect: "yes" }],
      "questions[0].multiSelect must be true or false, not a string.",
    ],
  ])("%s", (_what, value, problem) => {
    const form = 'Nobody was asked. The form is [{"question": "…", "options": ["…", "…"]}].';
    expect(() => parse(value)).toThrow(`${problem} ${form}`);
  });

  test("what is no JSON", () => {
    expect(() => parseQuestions("[{")).toThrow(/^questions_json is not valid JSON \(.+\)\. Nobody/);
  });

  test.each([
    [questionsJsonCharsMax, "questions_json is not valid JSON"],
    [questionsJsonCharsMax + 1, `questions_json has ${questionsJsonCharsMax + 1} characters`],
  ])("%p characters", (length, problem) => {
    expect(() => parseQuestions("[".repeat(length))).toThrow(problem);
  });
});
