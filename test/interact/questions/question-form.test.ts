import { expect, test } from "bun:test";

import { questionForm } from "../../../src/interact/questions/ask-by-form.ts";
import { shapeInputRequest } from "../../../src/protocol/input-request-codec.ts";
import { color, sizes } from "./fixtures.ts";

const other = {
  type: "string",
  title: "Other",
  description: "An answer in your own words, in the place of the options.",
  maxLength: 4000,
};
const both = { questions: [color, sizes], purpose: "question" } as const;

test("one question is the message of its form", () => {
  expect(questionForm({ questions: [color], purpose: "question" }).params).toEqual({
    message: "Which color?",
    requestedSchema: {
      type: "object",
      properties: {
        answer1: {
          type: "string",
          title: "Answer",
          oneOf: [
            { const: "red", title: "red" },
            { const: "blue", title: "blue: as the sky" },
          ],
        },
        other1: other,
      },
    },
  });
});

test("several questions stand beside their fields", () => {
  const { message, requestedSchema } = questionForm(both, "Question 1: Choose.").params;
  expect(message).toBe(
    "Question 1: Choose.\n\nThere are 2 questions for you.\n1. Which color?\n2. Which sizes?",
  );
  expect(requestedSchema.properties).toMatchObject({
    answer1: { title: "Question 1", description: "Which color?" },
    other1: other,
    answer2: {
      type: "array",
      title: "Size",
      description: "Which sizes?",
      items: { type: "string", enum: ["S", "M", "L"] },
    },
    other2: { title: "Size: other" },
  });
});

test("2025-06-18 gets enums with names, and a text for several options", () => {
  const { params } = shapeInputRequest(questionForm(both), "2025-06-18");
  expect(params).toMatchObject({
    requestedSchema: {
      properties: {
        answer1: { type: "string", enum: ["red", "blue"], enumNames: ["red", "blue: as the sky"] },
        answer2: {
          type: "string",
          description:
            "Which sizes? Any of the following (at most 3), with commas between them: S, M, L",
        },
      },
    },
  });
});

test("a consent has no field for other words, and needs its answer", () => {
  const options = ["Allow", "Deny"].map((label) => ({ label, description: null }));
  const question = { question: "Run it?", header: null, options, multiSelect: false };
  const request = {
    purpose: "consent",
    questions: [{ ...question, preselected: "Deny" }],
  } as const;
  expect(questionForm(request).params.requestedSchema).toEqual({
    type: "object",
    properties: {
      answer1: { type: "string", title: "Answer", enum: ["Allow", "Deny"], default: "Deny" },
    },
    required: ["answer1"],
  });
});
