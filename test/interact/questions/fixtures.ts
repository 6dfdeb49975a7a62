import type { Question } from "../../../src/tools/state-services.ts";
import type { ShownQuestions } from "../../../src/interact/questions/terminals.ts";

export const color: Question = {
  question: "Which color?",
  header: null,
  options: [
    { label: "red", description: null },
    { label: "blue", description: "as the sky" },
  ],
  multiSelect: false,
};

export const sizes: Question = {
  question: "Which sizes?",
  header: "Size",
  options: ["S", "M", "L"].map((label) => ({ label, description: null })),
  multiSelect: true,
};

export const asked = { questions: [color], purpose: "question" } as const;

export function shownOf(questions: readonly Question[] = [color, sizes]): ShownQuestions {
  return { id: "q1", questions, purpose: "question", asker: "Ada", workspace: "/shop", askedAt: 0 };
}
