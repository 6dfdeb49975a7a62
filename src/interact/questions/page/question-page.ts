import { createHash, randomBytes, timingSafeEqual } from "node:crypto";

import type { Answer, Question } from "../../../tools/state-services.ts";
import { problemsOfAnswers } from "../open-question.ts";
import type { ShownEnd, ShownQuestions } from "../terminals.ts";
import { choiceName, questionPage, type Refilled, saidPage, wordsName } from "./page-html.ts";

/** 128 bits: not to be guessed. */
const secretBytes = 16;

/**
 * The page of one question. Its address opens once: the first browser gets a cookie, and from then on only the cookie
 * opens it, so that an address in a history or a log is worth nothing.
 */
export class QuestionPage {
  readonly token = randomBytes(secretBytes).toString("base64url");
  readonly #cookie = randomBytes(secretBytes).toString("base64url");
  readonly #shown: ShownQuestions;
  readonly #ended = Promise.withResolvers<ShownEnd>();
  readonly #visited = Promise.withResolvers<void>();
  readonly #closed = Promise.withResolvers<void>();
  #isBurnt = false;
  #isOver = false;

  constructor(shown: ShownQuestions) {
    this.#shown = shown;
  }

  get path(): string {
    return `/ask/${this.token}`;
  }

  /** The person's action. */
  get ended(): Promise<ShownEnd> {
    return this.#ended.promise;
  }

  /** Resolves when somebody has opened it. */
  get visited(): Promise<void> {
    return this.#visited.promise;
  }

  /** Accepts no more answers and notifies the viewers of the page. */
  close(): void {
    this.#isOver = true;
    this.#closed.resolve();
    this.#ended.resolve({ kind: "gone" });
  }

  /** The page, for a visitor who has its cookie or comes first. @param cookies the header of the request */
  show(cookies: string, nonce: string): Response {
    if (this.#isOver) return gone(nonce);
    const isKnown = this.#hasCookie(cookies);
    if (!isKnown && this.#isBurnt) return usedUp(nonce);
    this.#isBurnt = true;
    this.#visited.resolve();
    const response = html(questionPage(this.#shown, nonce), 200);
    if (!isKnown) response.headers.set("Set-Cookie", this.#cookieText());
    return response;
  }

  /** Answers when the question is over, or after `waitMs` while it is not. */
  async state(cookies: string, waitMs: number): Promise<Response> {
    if (!this.#hasCookie(cookies)) return new Response(null, { status: 403 });
    let timer: ReturnType<typeof setTimeout> | undefined;
    const late = new Promise<void>((resolve) => (timer = setTimeout(resolve, waitMs)));
    await Promise.race([this.#closed.promise, late]);
    clearTimeout(timer);
    return new Response(null, { status: this.#isOver ? 410 : 200 });
  }

  /** Takes the form; once it is complete, or was declined, nothing more is taken. */
  post(cookies: string, body: string, nonce: string): Response {
    if (this.#isOver) return gone(nonce);
    if (!this.#hasCookie(cookies)) return usedUp(nonce);
    const post = readPost(this.#shown.questions, new URLSearchParams(body));
    if (post.kind !== "answer") return this.#put(post.kind, nonce);
    const { answers } = post;
    const problems = problemsOfAnswers(this.#shown, answers);
    if (problems.length > 0) return this.#again({ answers, problems }, nonce);
    this.#isOver = true;
    this.#ended.resolve({ kind: "answered", answers });
    const thanks = "Your answer was sent to the assistant. You can close this page.";
    return html(saidPage("Answer sent", thanks, nonce), 200);
  }

  #put(kind: "decline" | "cancel", nonce: string): Response {
    this.#isOver = true;
    this.#ended.resolve({ kind: kind === "decline" ? "declined" : "cancelled" });
    const [title, text] =
      kind === "decline"
        ? ["Declined", "The assistant learns that you do not want to answer."]
        : ["Not now", "The assistant learns that you closed the question without an answer."];
    return html(saidPage(title, `${text} You can close this page.`, nonce), 200);
  }

  #again(refilled: Refilled, nonce: string): Response {
    return html(questionPage(this.#shown, nonce, refilled), 422);
  }

  #cookieText(): string {
    return `${this.#cookieName()}=${this.#cookie}; HttpOnly; SameSite=Strict; Path=${this.path}`;
  }

  /** Ports do not keep cookies apart: the name does. */
  #cookieName(): string {
    return `ask-${this.#shown.id}`;
  }

  #hasCookie(cookies: string): boolean {
    const prefix = `${this.#cookieName()}=`;
    const values = cookies.split(";").map((pair) => pair.trim());
    return values.some(
      (pair) => pair.startsWith(prefix) && isSame(pair.slice(prefix.length), this.#cookie),
    );
  }
}

/** In a time that tells nothing of how much was right. */
function isSame(given: string, secret: string): boolean {
  const digest = (text: string): Buffer => createHash("sha256").update(text).digest();
  return timingSafeEqual(digest(given), digest(secret));
}

function html(text: string, status: number): Response {
  return new Response(text, { status, headers: { "Content-Type": "text/html; charset=utf-8" } });
}

/** The answer for a page that is over, and for an address that never had one: nobody can tell which. */
export function gone(nonce: string): Response {
  const text = "It was answered, withdrawn, or its time is up. You can close this page.";
  return html(saidPage("This question is no longer open", text, nonce), 410);
}

export function foreign(nonce: string): Response {
  const text = "It opens only for the user whose assistant asks, in a browser on the same machine.";
  return html(saidPage("This question is for another user", text, nonce), 403);
}

function usedUp(nonce: string): Response {
  const text = "Each address of a question opens once, in one browser. Answer where it was opened.";
  return html(saidPage("This address was already used", text, nonce), 403);
}

/** A person's action on the page. */
type PagePost =
  | { readonly kind: "answer"; readonly answers: readonly Answer[] }
  | { readonly kind: "decline" | "cancel" };

/** Reads a submitted form; drops unknown options, so that the check finds the answer missing. */
function readPost(questions: readonly Question[], fields: URLSearchParams): PagePost {
  const action = fields.get("action");
  if (action === "decline" || action === "cancel") return { kind: action };
  return { kind: "answer", answers: questions.map((each, i) => answerOf(each, i, fields)) };
}

/** Nothing is chosen when the page opens, so options that are chosen were meant, and words are besides them. */
function answerOf({ options }: Question, index: number, fields: URLSearchParams): Answer {
  const values = new Set(fields.getAll(choiceName(index)));
  const labels = options.flatMap(({ label }, place) => (values.has(String(place)) ? [label] : []));
  const words = (fields.get(wordsName(index)) ?? "").replaceAll("\r\n", "\n").trim();
  return { labels, other: words === "" ? null : words };
}
