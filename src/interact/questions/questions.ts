import { assertNotAborted, Cancellation } from "../../base/cancellation.ts";
import { randomHex } from "../../base/digests.ts";
import { questionRepliesMax, requestStateMsMax } from "../../base/limits.ts";
import { canonicalJson } from "../../base/values.ts";
import type { QuestionsReply, QuestionsRequest } from "../../tools/state-services.ts";
import { askByForm, type Asking, type QuestionCall, type FormClient } from "./ask-by-form.ts";
import { OpenQuestion } from "./open-question.ts";
import { QuestionTable, type QuestionTimes, waitForQuestion } from "./question-table.ts";
import type { Rung, ShownQuestions } from "./terminals.ts";

export interface QuestionsParts {
  /** Ways to ask people at this machine other than the client, in the order in which they are tried. */
  readonly localRungs: (purpose: QuestionsRequest["purpose"]) => readonly Rung[];
  /** Called with the error of a rung; the question went on to the next one. */
  readonly onFailure: (error: unknown) => void;
  readonly times?: QuestionTimes;
}

/**
 * Asks people, on the first rung of the ladder that shows the question to somebody: a form of the client, an attached
 * terminal, a page. A question that the call cannot wait for stays open; asking the same again fetches its answer.
 */
export class Questions implements Disposable {
  readonly #parts: QuestionsParts;
  readonly #table: QuestionTable;
  readonly #earlier = new EarlierReplies();

  constructor(parts: QuestionsParts) {
    this.#parts = parts;
    this.#table = new QuestionTable(parts.times);
  }

  /**
   * Asks, or continues to wait for the answer to an earlier question.
   * @throws AppError `cancelled` when the call is, `limit` when too many questions are open; and the error that ends a call to
   * ask its client, which must be passed on
   */
  async ask(request: QuestionsRequest, asking: Asking): Promise<QuestionsReply> {
    const { call } = asking;
    assertNotAborted(call.cancellation);
    const key = canonicalJson([call.client.id, request]);
    const known = this.#table.find(key);
    if (known !== undefined) return this.#fetch(known, asking);
    const form = formOf(call);
    let tried = {};
    if (form?.endsCall === true && !asking.hasActed) {
      const reply = await askInRound(form, request);
      if (reply !== undefined) return reply;
      assertNotAborted(call.cancellation);
      tried = { isTried: true };
    }
    const mayRunAgain = call.ask?.endsCall === true;
    const earlier = call.ask?.isReplaying === true ? this.#earlier.find(key) : undefined;
    if (earlier !== undefined) return earlier;
    // Another call may have asked the same meanwhile.
    const question = this.#table.find(key) ?? this.#open(key, request, call, form);
    if (question === undefined) return { outcome: "unavailable", ...tried };
    const reply = await this.#fetch(question, asking);
    if (mayRunAgain && reply.outcome !== "pending") this.#earlier.keep(key, reply);
    return reply;
  }

  /** The client is gone: nobody waits for its answers. */
  endClient(clientId: string): void {
    this.#table.withdraw(clientId);
  }

  /** Takes all questions back. */
  [Symbol.dispose](): void {
    this.#table.withdraw();
  }

  #open(
    key: string,
    request: QuestionsRequest,
    call: QuestionCall,
    form: FormClient | undefined,
  ): OpenQuestion | undefined {
    const isLocal = call.client.isRemote !== true;
    const local = isLocal ? this.#parts.localRungs(request.purpose) : [];
    const rungs = [...formRungs(form, request), ...local];
    if (!rungs.some((rung) => rung.isThere())) return undefined;
    const { onFailure } = this.#parts;
    const clientId = call.client.id;
    this.#table.assertRoom(clientId);
    const id = createQuestionId();
    const describe = (): Promise<ShownQuestions> => shownTo(id, request, call);
    const question = new OpenQuestion({ id, clientId, key, request, rungs, describe, onFailure });
    this.#table.add(question);
    return question;
  }

  /** The answer is fetched once; a call that is cancelled takes the question with it, unless others wait for it. */
  async #fetch(question: OpenQuestion, asking: Asking): Promise<QuestionsReply> {
    try {
      const reply = await waitForQuestion(question, asking);
      if (reply.outcome !== "pending") this.#table.delete(question);
      return reply;
    } catch (error) {
      if (question.waiting === 0 && !question.isSettled) {
        this.#table.delete(question);
        question.close("cancelled");
      }
      throw error;
    }
  }
}

/** The client, where it can show a form. */
function formOf({ ask }: QuestionCall): FormClient | undefined {
  return ask?.can("form") === true ? ask : undefined;
}

/** Undefined when the client has shown nothing. */
async function askInRound(
  form: FormClient,
  request: QuestionsRequest,
): Promise<QuestionsReply | undefined> {
  const end = await askByForm(form, request);
  if (end.kind === "gone") return undefined;
  if (end.kind !== "answered") return { outcome: end.kind, rung: "elicitation" };
  return { outcome: "answered", rung: "elicitation", answers: end.answers };
}

/** A client that is asked by real requests is a rung like the others: its question stays open beyond the call. */
function formRungs(form: FormClient | undefined, request: QuestionsRequest): readonly Rung[] {
  if (form === undefined || form.endsCall === true) return [];
  return [
    {
      name: "elicitation",
      isThere: () => form.can("form"),
      ask: (_shown, signal) => askByForm(form, request, Cancellation.following(signal)),
    },
  ];
}

async function shownTo(
  id: string,
  { questions, purpose }: QuestionsRequest,
  { client }: QuestionCall,
): Promise<ShownQuestions> {
  const askedAt = Date.now();
  // A client that cannot name its folder can still ask.
  const workspace = await client.workspaceDir().catch(() => "");
  return {
    id,
    questions,
    purpose,
    asker: client.name ?? "a client without a name",
    workspace,
    askedAt,
  };
}

/** 64 random bits: enough never to meet another, and short enough to be written down. */
function createQuestionId(): string {
  return randomHex(8);
}

interface Earlier {
  readonly reply: QuestionsReply;
  /** On the clock of `performance.now()`. */
  readonly until: number;
}

/**
 * Answers for calls that may run again from their start because of a later question: the user is not asked twice. Kept for as
 * long as such a call may come back.
 */
class EarlierReplies {
  /** Oldest first. */
  readonly #replies = new Map<string, Earlier>();

  find(key: string): QuestionsReply | undefined {
    const earlier = this.#replies.get(key);
    return earlier !== undefined && earlier.until > performance.now() ? earlier.reply : undefined;
  }

  keep(key: string, reply: QuestionsReply): void {
    this.#replies.delete(key);
    this.#replies.set(key, { reply, until: performance.now() + requestStateMsMax });
    const [oldest] = this.#replies.keys();
    if (this.#replies.size > questionRepliesMax && oldest !== undefined) {
      this.#replies.delete(oldest);
    }
  }
}
