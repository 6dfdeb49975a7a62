import type {
  BackgroundEntry,
  CallbackEntry,
  InstanceFacts,
  ServerMessage,
  InstanceState,
} from "../attach/messages.ts";
import type { ShownQuestions } from "../questions/terminals.ts";
import { QuestionForm } from "./question-form.ts";

export interface InstanceEntry {
  readonly serverId: string;
  readonly facts: InstanceFacts;
  /** Undefined until it has told. */
  state: InstanceState | undefined;
  /** Why it cannot be used; undefined when it can. */
  readonly fault: string | undefined;
}

/** Questions that wait for an answer, and the input so far. */
export interface QuestionEntry {
  readonly serverId: string;
  readonly number: number;
  readonly question: ShownQuestions;
  readonly form: QuestionForm;
}

/** Something of a server's. */
export type Owned<Entry> = Entry & { readonly serverId: string };

/** The state of all servers, as the interface shows it. */
export class AttachModel {
  readonly #servers = new Map<string, InstanceEntry>();
  #questions: QuestionEntry[] = [];
  /** The input when a server went away: the server comes back when the terminal was only suspended. */
  readonly #drafts = new Map<string, QuestionForm>();
  problem: string | undefined;

  /** Oldest first. */
  get servers(): readonly InstanceEntry[] {
    return [...this.#servers.values()].toSorted(
      (one, other) => one.facts.startedAt - other.facts.startedAt,
    );
  }

  /** Oldest first. */
  get questions(): readonly QuestionEntry[] {
    return this.#questions;
  }

  /** Running ones first, each newest first. */
  get background(): readonly Owned<BackgroundEntry>[] {
    const rank = ({ state }: BackgroundEntry): number => (state === "running" ? 0 : 1);
    return this.#owned((state) => state.background).toSorted(
      (one, other) => rank(one) - rank(other) || other.startedAt - one.startedAt,
    );
  }

  get callbacks(): readonly Owned<CallbackEntry>[] {
    return this.#owned((state) => state.callbacks).toSorted(
      (one, other) => one.nextFireAt - other.nextFireAt,
    );
  }

  /** For people, where there are several servers: which one it is. */
  serverName(serverId: string): string {
    const pid = this.#servers.get(serverId)?.facts.pid;
    return pid === undefined ? serverId : `pid ${pid}`;
  }

  hello(serverId: string, facts: InstanceFacts, fault: string | undefined): void {
    this.#servers.set(serverId, { serverId, facts, state: undefined, fault });
  }

  update(serverId: string, state: InstanceState): void {
    const server = this.#servers.get(serverId);
    if (server !== undefined) server.state = state;
  }

  addQuestion(
    serverId: string,
    { number, question }: Extract<ServerMessage, { type: "question" }>,
  ): void {
    if (this.findQuestion(serverId, number) !== undefined) return;
    const form = this.#drafts.get(draftKey(serverId, number)) ?? new QuestionForm(question);
    this.#questions = [...this.#questions, { serverId, number, question, form }].toSorted(
      (one, other) => one.question.askedAt - other.question.askedAt,
    );
  }

  findQuestion(serverId: string, number: number): QuestionEntry | undefined {
    return this.#questions.find((entry) => entry.serverId === serverId && entry.number === number);
  }

  dropQuestion(entry: QuestionEntry): void {
    this.#questions = this.#questions.filter((other) => other !== entry);
    this.#drafts.delete(draftKey(entry.serverId, entry.number));
  }

  /** The server is not connected any more. */
  dropServer(serverId: string): void {
    this.#servers.delete(serverId);
    for (const { number, form } of this.#questions.filter((entry) => entry.serverId === serverId)) {
      this.#drafts.set(draftKey(serverId, number), form);
    }
    this.#questions = this.#questions.filter((entry) => entry.serverId !== serverId);
  }

  #owned<Entry extends object>(
    pick: (state: InstanceState) => readonly Entry[],
  ): readonly Owned<Entry>[] {
    return this.servers.flatMap(({ serverId, state }) =>
      state === undefined ? [] : pick(state).map((entry) => ({ ...entry, serverId })),
    );
  }
}

function draftKey(serverId: string, number: number): string {
  return `${serverId}/${number}`;
}
