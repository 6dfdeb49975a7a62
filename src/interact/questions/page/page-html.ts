import { questionOtherCharsMax } from "../../../base/limits.ts";
import type { Answer, Question } from "../../../tools/question-service.ts";
import type { AnswerProblem } from "../check-answers.ts";
import type { ShownQuestions } from "../terminals.ts";
import { pageScript, pageStyle } from "./page-style.ts";
import { escapeHtml, escapeText } from "./page-text.ts";
import { choiceName, otherValue, wordsName } from "./read-post.ts";

/** A form that came back with something missing: what was filled in stays. */
export interface Refilled {
  readonly answers: readonly Answer[];
  readonly problems: readonly AnswerProblem[];
}

/** The page with the questions. @param nonce of the style and the script, which nothing else on the page has */
export function questionPage(shown: ShownQuestions, nonce: string, refilled?: Refilled): string {
  const { questions } = shown;
  const title =
    questions.length === 1 ? "A question for you" : `${questions.length} questions for you`;
  const fields = questions.map((each, index) => fieldset(each, index, refilled)).join("");
  const body = `<h1>${title}</h1>
<p class="about">${about(shown)}</p>
<form method="post" action="" autocomplete="off" novalidate>
${summary(refilled, questions.length)}
${fields}
<div class="actions">
<button class="main" name="action" value="answer">Send answer</button>
<button name="action" value="decline">Decline</button>
<button name="action" value="cancel">Not now</button>
</div>
</form>
<div role="status"><div id="over" class="said" tabindex="-1" hidden><p id="over-text"></p></div></div>
<script nonce="${nonce}">${pageScript}</script>`;
  const isWrong = refilled !== undefined;
  return documentOf(isWrong ? `Answer missing – ${title}` : title, body, nonce);
}

/** A page that says one thing. */
export function saidPage(title: string, text: string, nonce: string): string {
  const body = `<h1>${escapeHtml(title)}</h1><div class="said" role="status"><p>${escapeHtml(text)}</p></div>`;
  return documentOf(escapeHtml(title), body, nonce);
}

function documentOf(title: string, body: string, nonce: string): string {
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="robots" content="noindex">
<link rel="icon" href="data:,">
<title>${title} – scorpiox-code</title>
<style nonce="${nonce}">${pageStyle}</style>
</head>
<body><main>${body}</main></body>
</html>`;
}

function about({ asker, workspace }: ShownQuestions): string {
  const where = workspace === "" ? "" : `, working in ${escapeHtml(workspace.slice(0, 500))}`;
  return `Asked by ${escapeHtml(asker.slice(0, 100))}${where}. Your answer goes to the assistant.`;
}

function summary(refilled: Refilled | undefined, count: number): string {
  if (refilled === undefined) return "";
  const lines = refilled.problems.map(({ index, text }) => {
    const place = count === 1 ? "" : `Question ${index + 1}: `;
    return `<li><a href="#${choiceName(index)}-0">${escapeHtml(place + text)}</a></li>`;
  });
  return `<div class="problems" role="alert" tabindex="-1" autofocus><h2>Nothing was sent yet</h2><ul>${lines.join("")}</ul></div>`;
}

function fieldset(question: Question, index: number, refilled: Refilled | undefined): string {
  const { header, multiSelect } = question;
  const name = choiceName(index);
  const problem = refilled?.problems.find((each) => each.index === index)?.text;
  const hint = multiSelect
    ? "Choose any number, or write an answer."
    : "Choose one, or write an answer.";
  const described = problem === undefined ? `${name}-hint` : `${name}-hint ${name}-problem`;
  const above = header === null ? "" : `<span class="header">${escapeHtml(header)}</span>`;
  const told =
    problem === undefined
      ? ""
      : `<p class="problem" id="${name}-problem">${escapeHtml(problem)}</p>`;
  return `<fieldset id="${name}" aria-describedby="${described}">
<legend>${above}${escapeHtml(question.question)}</legend>
<p class="hint" id="${name}-hint">${hint}</p>
${told}${options(question, index, refilled?.answers[index])}
</fieldset>
`;
}

function options(
  { options: offered, multiSelect }: Question,
  index: number,
  answer: Answer | undefined,
): string {
  const name = choiceName(index);
  const type = multiSelect ? "checkbox" : "radio";
  const option = (value: string, isChosen: boolean, text: string): string =>
    `<label class="option"><input type="${type}" name="${name}" id="${name}-${value}" value="${value}"${isChosen ? " checked" : ""}><span>${text}</span></label>`;
  const rows = offered.map(({ label, description }, place) => {
    const note = description === null ? "" : `<span class="note">${escapeHtml(description)}</span>`;
    const isChosen = answer?.labels.includes(label) === true;
    return option(String(place), isChosen, escapeHtml(label) + note);
  });
  const words = answer?.other ?? "";
  const isOther = words !== "" && answer?.labels.length === 0;
  return `${rows.join("\n")}
${option(otherValue, isOther, "Other")}
<label class="words" for="${wordsName(index)}">Other, in your own words</label>
<textarea id="${wordsName(index)}" name="${wordsName(index)}" rows="1" maxlength="${questionOtherCharsMax}" data-other="${name}-${otherValue}">${escapeText(words)}</textarea>`;
}
