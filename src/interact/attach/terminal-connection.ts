import { startTimer, type Timer } from "../../base/cancellation.ts";
import { messageOf } from "../../base/errors.ts";
import { attachGreetingMsMax, attachRequestBytesMax } from "../../base/limits.ts";
import type {
  GoneReason,
  ShownQuestions,
  QuestionViewer,
  TerminalQuestions,
} from "../questions/terminals.ts";
import {
  attachProtocol,
  type ClientKey,
  readTerminalMessage,
  type InstanceFacts,
  type ServerMessage,
  type InstanceState,
  type TerminalMessage,
} from "./messages.ts";
import { type FollowedExecution, OutputFollower } from "./output-follower.ts";
import { type ByteSink, SocketLines, SendQueue } from "./socket-lines.ts";

export interface TerminalConnectionParts {
  readonly key: string;
  readonly sources: AttachSources;
  readonly questions: TerminalQuestions;
  /** Why it may not answer questions, if so. */
  readonly whyNoAnswers: () => Promise<string | undefined>;
  /** Called when the key was right: from then on it gets changes. */
  readonly onAttached: (link: TerminalConnection) => void;
}

/** A connection as a link needs it. */
export interface LinkSocket extends ByteSink {
  /** Closes it after what was written. */
  end(): void;
}

/** One attached terminal as the server sees it. Whatever it does, it disturbs nobody but itself. */
export class TerminalConnection implements QuestionViewer, Disposable {
  readonly #parts: TerminalConnectionParts;
  readonly #socket: LinkSocket;
  readonly #queue: SendQueue;
  readonly #reader: SocketLines;
  readonly #greeting: Timer;
  #follower: OutputFollower | undefined;
  #sentState = "";
  #isAttached = false;
  /** It has the same protocol version and gets changes. */
  #isTold = false;
  /** Probably used by a person. */
  #mayAnswer = false;
  #isClosed = false;

  constructor(socket: LinkSocket, parts: TerminalConnectionParts) {
    this.#parts = parts;
    this.#socket = socket;
    this.#queue = new SendQueue(socket, () => this[Symbol.dispose]());
    this.#reader = new SocketLines(attachRequestBytesMax, (line) => this.#takeLine(line));
    this.#greeting = startTimer(attachGreetingMsMax, () => this[Symbol.dispose]());
  }

  /** Bytes have come. */
  readonly push = (chunk: Uint8Array): void => {
    if (!this.#isClosed && !this.#reader.push(chunk)) this[Symbol.dispose]();
  };

  /** The socket has room again. */
  readonly drain = (): void => this.#queue.drain();

  /** Idempotent; also called when the terminal has gone. */
  [Symbol.dispose](): void {
    if (this.#isClosed) return;
    this.#isClosed = true;
    this.#greeting.stop();
    this.#follower?.[Symbol.dispose]();
    this.#queue[Symbol.dispose]();
    this.#parts.questions.remove(this);
    this.#socket.end();
  }

  /** Sends the state, unless it is the one that was sent last. A slow terminal gets the next one. */
  sendState(state: Extract<ServerMessage, { type: "state" }>["state"], text: string): void {
    if (!this.#isTold || text === this.#sentState || !this.#queue.isEmpty) return;
    this.#sentState = text;
    this.#send({ type: "state", state });
  }

  showQuestion(number: number, question: ShownQuestions): void {
    this.#send({ type: "question", number, question });
  }

  takeBackQuestion(number: number, reason: GoneReason): void {
    this.#send({ type: "question_gone", number, reason });
  }

  #takeLine(line: string): boolean {
    if (this.#isClosed) return false;
    const message = readTerminalMessage(line);
    if (message === undefined) return false;
    if (message.type === "attach") return this.#attach(message);
    if (!this.#isAttached) return false;
    // A terminal that is shown no questions has none to answer.
    if (message.type === "answer" && !this.#mayAnswer) return false;
    this.#obey(message);
    return true;
  }

  #attach({ key, mode, protocol }: Extract<TerminalMessage, { type: "attach" }>): boolean {
    if (this.#isAttached || !isSameText(key, this.#parts.key)) return false;
    this.#isAttached = true;
    this.#greeting.stop();
    const { sources, onAttached } = this.#parts;
    this.#send({ type: "hello", protocol: attachProtocol, server: sources.facts });
    // It learns the number of this version and goes; until then it gets nothing that it might misread.
    if (protocol !== attachProtocol) return true;
    if (mode === "terminal") {
      void this.#admit();
      return true;
    }
    this.#isTold = true;
    onAttached(this);
    return true;
  }

  async #admit(): Promise<void> {
    const { questions, whyNoAnswers, onAttached } = this.#parts;
    const reason = await whyNoAnswers().catch(messageOf);
    if (this.#isClosed) return;
    if (reason !== undefined) {
      this.#send({ type: "refused", reason });
      return this[Symbol.dispose]();
    }
    this.#isTold = true;
    this.#mayAnswer = true;
    questions.add(this);
    onAttached(this);
  }

  #obey(message: Exclude<TerminalMessage, { type: "attach" }>): void {
    const { questions, sources } = this.#parts;
    switch (message.type) {
      case "answer":
        return questions.reply(message.number, message.reply);
      case "watch":
        return this.#watch(message.client, message.taskId);
      case "unwatch":
        this.#follower?.[Symbol.dispose]();
        this.#follower = undefined;
        return;
      case "kill":
        return this.#report(message.request, sources.kill(message.client, message.taskId));
      case "cancel_callback":
        return this.#report(
          message.request,
          sources.cancelCallback(message.client, message.callbackId),
        );
    }
  }

  #watch(client: ClientKey, taskId: number): void {
    this.#follower?.[Symbol.dispose]();
    const execution = this.#parts.sources.executionOf(client, taskId);
    if (execution === undefined) return;
    this.#follower = new OutputFollower(
      { client, taskId, execution },
      (output) => this.#send({ type: "output", output }),
      () => this.#queue.isEmpty,
    );
  }

  #report(request: number, work: Promise<void>): void {
    work.then(
      () => this.#send({ type: "done", request, error: null }),
      (error: unknown) => this.#send({ type: "done", request, error: messageOf(error) }),
    );
  }

  #send(message: ServerMessage): void {
    if (!this.#isClosed) this.#queue.send(message);
  }
}

function isSameText(left: string, right: string): boolean {
  const [one, other] = [Buffer.from(left), Buffer.from(right)];
  return one.length === other.length && crypto.timingSafeEqual(one, other);
}

/** The state and actions that the server offers to attached terminals. */
export interface AttachSources {
  readonly facts: InstanceFacts;
  /** All that is held just now. */
  state(): Promise<InstanceState>;
  /** Undefined when there is no such task any more. */
  executionOf(client: ClientKey, taskId: number): FollowedExecution | undefined;
  /** Resolves when the task has ended. @throws AppError `not_found` */
  kill(client: ClientKey, taskId: number): Promise<void>;
  /** @throws AppError `not_found` */
  cancelCallback(client: ClientKey, callbackId: number): Promise<void>;
  /** Calls `onChange` when `state` may be another one; what is not told is looked for now and then. */
  listen(onChange: () => void): () => void;
}
