import { questionOtherCharsMax } from "../../../base/limits.ts";
import type { Answer, Question } from "../../../tools/state-services.ts";
import type { AnswerProblem } from "../open-question.ts";
import type { ShownQuestions } from "../terminals.ts";

/** The value of the option that stands for words of one's own. */
const otherValue = "other";

export function choiceName(index: number): string {
  return `answer${index + 1}`;
}

export function wordsName(index: number): string {
  return `words${index + 1}`;
}

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

/** Text in an element or an attribute: nothing in it can end either. */
function escapeText(text: string): string {
  return text
    .toWellFormed()
    .replaceAll("&", "&amp;")
    .replaceAll("<", "&lt;")
    .replaceAll(">", "&gt;")
    .replaceAll('"', "&quot;")
    .replaceAll("'", "&#39;");
}

/** Text in an element; characters that nobody sees are shown by their numbers. */
function escapeHtml(text: string): string {
  return escapeText(text).replaceAll(invisible, (character) => {
    const code = character.codePointAt(0) ?? 0;
    return `<span class="code">U+${code.toString(16).toUpperCase().padStart(4, "0")}</span>`;
  });
}

/**
 * Characters that could make a question look like another one: controls, bidi marks, zero-width characters, tags.
 * Joiners stay: words of some languages and many emoji are made with them.
 */
const invisible =
  /(?![\t\n])[\p{Cc}\u061C\u200B\u200E\u200F\u2028-\u202E\u2060-\u206F\uFEFF\uFFF9-\uFFFB]|[\u{E0000}-\u{E0FFF}]/gu;

/** No colour says anything that words do not say as well; all pairs have a contrast of 4.5 or more. */
const pageStyle = `
:root { color-scheme: light dark; --text: #1c2024; --soft: #59616b; --ground: #f4f5f7; --card: #fff;
  --line: #c4c9d0; --main: #1f5fbf; --on-main: #fff; --chosen: #eaf1fc; --wrong: #b3261e; }
@media (prefers-color-scheme: dark) {
  :root { --text: #e8eaed; --soft: #a8b0ba; --ground: #15181c; --card: #1f2328; --line: #4a525c;
    --main: #8ab4f8; --on-main: #10243f; --chosen: #26354b; --wrong: #ff9d94; }
}
* { box-sizing: border-box; }
body { margin: 0; padding: 1.5rem 1rem 3rem; background: var(--ground); color: var(--text);
  font: 1rem/1.5 system-ui, -apple-system, "Segoe UI", Roboto, "Noto Sans", sans-serif; }
main { max-width: 42rem; margin: 0 auto; }
h1 { font-size: 1.375rem; line-height: 1.25; margin: 0 0 .25rem; }
.about { color: var(--soft); margin: 0 0 1.25rem; font-size: .875rem; overflow-wrap: anywhere; }
fieldset { margin: 0 0 1rem; padding: 1.25rem; border: 1px solid var(--line); border-radius: .75rem;
  background: var(--card); min-width: 0; }
legend { float: left; width: 100%; padding: 0; margin: 0 0 .75rem; font-weight: 600; font-size: 1.0625rem;
  white-space: pre-wrap; overflow-wrap: anywhere; }
legend + * { clear: both; }
.header { display: block; color: var(--soft); font-size: .8125rem; font-weight: 600; }
.hint { color: var(--soft); font-size: .875rem; margin: 0 0 .75rem; }
label.option { display: flex; gap: .75rem; align-items: flex-start; padding: .625rem .75rem; margin: 0 0 .5rem;
  border: 1px solid var(--line); border-radius: .5rem; cursor: pointer; overflow-wrap: anywhere; }
label.option:has(:checked) { border-color: var(--main); background: var(--chosen); }
label.option input { flex: none; width: 1.125rem; height: 1.125rem; margin: .1875rem 0 0; accent-color: var(--main); }
label.option span { min-width: 0; }
.note { display: block; color: var(--soft); font-size: .875rem; }
.words { display: block; margin: .75rem 0 0; font-size: .875rem; }
textarea { display: block; width: 100%; min-height: 2.75rem; margin: .25rem 0 0; padding: .5rem .75rem; resize: vertical;
  font: inherit; color: var(--text); background: var(--card); border: 1px solid var(--soft); border-radius: .5rem; }
.actions { display: flex; flex-wrap: wrap; gap: .75rem; }
button { font: inherit; font-weight: 600; padding: .625rem 1.125rem; border-radius: .5rem; cursor: pointer;
  border: 1px solid var(--line); background: var(--card); color: var(--text); }
button.main { border-color: var(--main); background: var(--main); color: var(--on-main); }
:focus-visible { outline: 3px solid var(--main); outline-offset: 2px; }
label.option:focus-within { outline: 2px solid var(--main); outline-offset: 1px; }
.problem { color: var(--wrong); font-weight: 600; margin: 0 0 .75rem; }
.problems { border: 2px solid var(--wrong); border-radius: .75rem; background: var(--card);
  padding: 1rem 1.25rem; margin: 0 0 1rem; }
.problems h2 { font-size: 1.0625rem; margin: 0 0 .25rem; }
.problems ul { margin: 0; padding-left: 1.25rem; }
.problems a { color: var(--wrong); }
.said { border: 1px solid var(--line); border-radius: .75rem; background: var(--card); padding: 1.25rem; margin: 0 0 1rem; }
.said p { margin: 0; }
.code { font-size: .75em; border: 1px solid; border-radius: .25em; padding: 0 .2em; }
[hidden] { display: none; }
@media (max-width: 30rem) {
  body { padding: 1rem .75rem 2rem; }
  fieldset { padding: 1rem; }
  .actions button { flex: 1 1 100%; }
}
@media (forced-colors: active) { label.option:has(:checked) { outline: 2px solid; } }
`;

/**
 * The page works without it. It chooses "Other" where words are written, and says when the question is over: the
 * server answers the request for `state` then, or is gone. One request that fails means nothing: those of a machine that
 * was asleep do.
 */
const pageScript = `
for (const words of document.querySelectorAll("textarea[data-other]")) {
  words.addEventListener("input", () => {
    const other = document.getElementById(words.dataset.other);
    if (words.value.trim() !== "") other.checked = true;
  });
}
const form = document.querySelector("form");
let sent = false;
form.addEventListener("submit", (event) => {
  if (sent) event.preventDefault();
  sent = true;
});
addEventListener("pageshow", () => { sent = false; });
let missed = 0;
const watch = async () => {
  try {
    const reply = await fetch("?state", { cache: "no-store" });
    missed = 0;
    if (reply.status === 200) return setTimeout(watch, 200);
  } catch {
    missed += 1;
    if (missed < 4) return setTimeout(watch, 1000);
  }
  if (sent) return;
  const over = document.getElementById("over");
  const hadFocus = form.contains(document.activeElement);
  form.hidden = true;
  over.hidden = false;
  document.getElementById("over-text").textContent =
    "This question is no longer open. Nothing was sent. You can close this page.";
  if (hadFocus) over.focus();
};
watch();
`;
