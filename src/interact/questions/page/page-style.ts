/** No colour says anything that words do not say as well; all pairs have a contrast of 4.5 or more. */
export const pageStyle = `
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
export const pageScript = `
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
