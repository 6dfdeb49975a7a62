import { AppError } from "../../base/errors.ts";
import { mcpTaskKeysMax } from "../../base/limits.ts";
import type { InputRequest, InputRequests, InputResponses } from "../../protocol/input-request.ts";
import { readInputResponse } from "../../protocol/input-response-checks.ts";
import type { Params } from "../../protocol/json-rpc.ts";

/** One `ask` of the handler; it goes on when all its questions are answered. */
interface Asking {
  readonly answers: Map<string, Params>;
  readonly count: number;
  readonly resolve: (responses: InputResponses) => void;
  readonly reject: (error: AppError) => void;
}

interface Question {
  readonly asking: Asking;
  /** The key that the handler chose. */
  readonly name: string;
  readonly request: InputRequest;
}

/**
 * The open questions of an MCP task. Each question has a key of its own for the life of the task: a client may take
 * a key that it has seen before for the question that it has seen before (docs/spec/modern.md#task-methods).
 */
export class TaskInputs {
  readonly #outstanding = new Map<string, Question>();
  readonly #keysIssued = new Set<string>();

  /** All that is not answered yet, by its key; undefined when nothing is. */
  get requests(): InputRequests | undefined {
    if (this.#outstanding.size === 0) return undefined;
    const entries = [...this.#outstanding].map(([key, { request }]) => [key, request] as const);
    return Object.fromEntries(entries);
  }

  /** @throws AppError `limit` when too much was asked, `cancelled` when `close` comes first */
  ask(requests: InputRequests): Promise<InputResponses> {
    const entries = Object.entries(requests);
    if (entries.length === 0) return Promise.resolve({});
    const { promise, resolve, reject } = Promise.withResolvers<InputResponses>();
    const asking = { answers: new Map<string, Params>(), count: entries.length, resolve, reject };
    for (const [name, request] of entries) this.#issue({ asking, name, request });
    return promise;
  }

  /** Takes what fits; keys that are not outstanding are ignored. True when anything has changed. */
  answer(responses: Params): boolean {
    let hasChanged = false;
    for (const [key, answer] of Object.entries(responses)) {
      const question = this.#outstanding.get(key);
      if (question === undefined) continue;
      this.#outstanding.delete(key);
      this.#take(question, answer);
      hasChanged = true;
    }
    return hasChanged;
  }

  /** Nobody will answer any more. */
  close(message: string): void {
    const askings = new Set([...this.#outstanding.values()].map(({ asking }) => asking));
    for (const asking of askings) this.#giveUp(asking, new AppError("cancelled", message));
  }

  /** A malformed answer is treated as delivered, so the question is asked again under another key. */
  #take(question: Question, response: unknown): void {
    const { asking, name, request } = question;
    const reading = readInputResponse(request, response);
    if (reading.kind === "problem") return this.#issue(question);
    asking.answers.set(name, reading.answer);
    if (asking.answers.size === asking.count) asking.resolve(Object.fromEntries(asking.answers));
  }

  #issue(question: Question): void {
    if (this.#keysIssued.size >= mcpTaskKeysMax) {
      const message = `The MCP task has asked ${mcpTaskKeysMax} times, malformed answers included, which is the limit.`;
      return this.#giveUp(question.asking, new AppError("limit", message));
    }
    const key = this.#freshKey(question.name);
    this.#keysIssued.add(key);
    this.#outstanding.set(key, question);
  }

  #freshKey(name: string): string {
    if (!this.#keysIssued.has(name)) return name;
    let count = 2;
    while (this.#keysIssued.has(`${name}-${count}`)) count += 1;
    return `${name}-${count}`;
  }

  #giveUp(asking: Asking, error: AppError): void {
    for (const [key, question] of this.#outstanding) {
      if (question.asking === asking) this.#outstanding.delete(key);
    }
    asking.reject(error);
  }
}
