import { faultOf, ServerDirectory } from "../attach/client/server-directory.ts";
import type { ServerMessage } from "../attach/messages.ts";
import { AttachModel } from "./attach-model.ts";
import { BackgroundView } from "./background-view.ts";
import { CallbacksView } from "./callbacks-view.ts";
import { drawFrame, drawHelp, FrameClock } from "./frame.ts";
import { type Key, KeyDecoder } from "./keys.ts";
import type { Look } from "./cells.ts";
import { QuestionsView } from "./questions-view.ts";
import { ServersView } from "./servers-view.ts";
import { TasksView } from "./tasks-view.ts";
import { Painter, type Size, type View, type ViewContext } from "./view.ts";

export interface AttachAppParts {
  /** Where servers are found. */
  readonly runFolder: string;
  readonly look: Look;
  size(): Size;
  write(text: string): void;
  /** Ctrl-Z. */
  onSuspend(): void;
}

const bell = "\u0007";

/** The interface of `attach`: what servers tell goes into the model, keys go to a view, both end in a frame. */
export class AttachApp {
  readonly #parts: AttachAppParts;
  readonly #model = new AttachModel();
  readonly #directory: ServerDirectory;
  readonly #painter: Painter;
  readonly #clock = new FrameClock(() => this.#paint());
  readonly #keys = new KeyDecoder((key) => this.#press(key));
  readonly #questions: QuestionsView;
  readonly #background: BackgroundView;
  readonly #views: readonly View[];
  readonly #quit = Promise.withResolvers<void>();
  readonly #requests = new Set<number>();
  #active: View;
  /** Where the person was when a question came to the front. */
  #cameFrom: View | undefined;
  #confirmation: { readonly question: string; readonly onYes: () => void } | undefined;
  #notice: string | undefined;
  /** The server that the notice says has ended. */
  #lost: string | undefined;
  #hasHelp = false;
  #lastRequest = 0;

  constructor(parts: AttachAppParts) {
    this.#parts = parts;
    this.#painter = new Painter((text) => parts.write(text));
    const context = this.#createContext();
    this.#questions = new QuestionsView(context);
    this.#background = new BackgroundView(context);
    this.#views = [
      this.#questions,
      this.#background,
      new TasksView(context),
      new CallbacksView(context),
      new ServersView(context),
    ];
    this.#active = this.#questions;
    this.#directory = new ServerDirectory(parts.runFolder, {
      onMessage: (serverId, message) => this.#take(serverId, message),
      onGone: (serverId) => this.#dropServer(serverId),
      onProblem: (problem) => {
        this.#model.problem = problem;
        this.#clock.paintSoon();
      },
    });
  }

  /** Resolves when the person wants to leave. */
  get ended(): Promise<void> {
    return this.#quit.promise;
  }

  /** Looks for servers and draws, until `leave`. */
  start(): void {
    this.#painter.forget();
    this.#clock.start();
    void this.#directory.start();
  }

  /** Nobody sees the terminal any more: questions are not for it. */
  leave(): void {
    this.#clock.stop();
    this.#keys.close();
    this.#directory.stop();
    for (const { serverId } of this.#model.servers) this.#model.dropServer(serverId);
  }

  readonly input = (chunk: Uint8Array): void => this.#keys.push(chunk);

  readonly resized = (): void => {
    this.#painter.forget();
    this.#clock.paintNow();
  };

  #createContext(): ViewContext {
    return {
      model: this.#model,
      look: this.#parts.look,
      send: (serverId, message) => this.#directory.send(serverId, message),
      request: (serverId, message) => {
        const request = ++this.#lastRequest;
        this.#requests.add(request);
        this.#directory.send(serverId, message(request));
      },
      confirm: (question, onYes) => {
        this.#confirmation = { question, onYes };
      },
      notice: (text) => {
        this.#notice = text;
      },
      now: () => Date.now(),
    };
  }

  #take(serverId: string, message: ServerMessage): void {
    switch (message.type) {
      case "hello":
        // It was only the connection that had ended.
        if (this.#lost === serverId) this.#notice = undefined;
        this.#model.hello(serverId, message.server, faultOf(message));
        this.#background.output.watch(serverId);
        break;
      case "state":
        this.#model.update(serverId, message.state);
        break;
      case "question":
        this.#announce(serverId, message);
        break;
      case "question_gone": {
        const entry = this.#model.findQuestion(serverId, message.number);
        if (entry !== undefined) this.#questions.gone(entry, message.reason);
        break;
      }
      case "output":
        this.#background.output.take(serverId, message.output);
        break;
      case "done":
        if (this.#requests.delete(message.request) && message.error !== null) {
          this.#notice = message.error;
        }
        break;
      // The directory has reported it already, as a problem of that server.
      case "refused":
        break;
    }
    this.#goBack();
    this.#clock.paintSoon();
  }

  /** A question comes to the front, unless that would take the keys of somebody who writes. */
  #announce(serverId: string, message: Extract<ServerMessage, { type: "question" }>): void {
    const isNextInFront = this.#model.questions.length === 0;
    this.#model.addQuestion(serverId, message);
    this.#parts.write(bell);
    if (this.#active.isWriting || this.#confirmation !== undefined) return;
    if (this.#active === this.#questions && !isNextInFront) return;
    this.#hasHelp = false;
    if (this.#active !== this.#questions) this.#cameFrom = this.#active;
    this.#active = this.#questions;
    this.#questions.guard();
  }

  /** The last question that came by itself is gone: what was in front before is there again. */
  #goBack(): void {
    if (this.#cameFrom === undefined || this.#model.questions.length > 0) return;
    if (this.#active === this.#questions) this.#active = this.#cameFrom;
    this.#cameFrom = undefined;
  }

  #dropServer(serverId: string): void {
    const hadQuestion = this.#model.questions.some((entry) => entry.serverId === serverId);
    if (this.#model.servers.some((server) => server.serverId === serverId)) {
      this.#lost = serverId;
      this.#notice = `The server with ${this.#model.serverName(serverId)} has ended.`;
    }
    this.#model.dropServer(serverId);
    if (hadQuestion) this.#questions.guard();
    this.#goBack();
    this.#clock.paintSoon();
  }

  #press(key: Key): void {
    this.#notice = undefined;
    this.#lost = undefined;
    if (key.name === "ctrl-c") this.#quit.resolve();
    else if (key.name === "ctrl-z") this.#parts.onSuspend();
    else if (key.name === "ctrl-l") this.resized();
    else if (this.#confirmation !== undefined) this.#confirm(key);
    else if (this.#hasHelp) this.#hasHelp = false;
    else if (this.#active.isWriting || !this.#pressCommon(key)) this.#active.press(key);
    this.#goBack();
    this.#clock.paintSoon();
  }

  #confirm({ name }: Key): void {
    const confirmation = this.#confirmation;
    this.#confirmation = undefined;
    if (name === "y" || name === "Y") confirmation?.onYes();
  }

  /** False for a key that is the view's. */
  #pressCommon({ name }: Key): boolean {
    const at = this.#views.indexOf(this.#active);
    const { length } = this.#views;
    const numbered = /^[1-9]$/.test(name) ? this.#views[Number(name) - 1] : undefined;
    if (name === "tab") this.#show(this.#views[(at + 1) % length]);
    else if (name === "backtab") this.#show(this.#views[(at + length - 1) % length]);
    else if (numbered !== undefined) this.#show(numbered);
    else if (name === "?") this.#hasHelp = true;
    else if (name === "q") this.#leaveForGood();
    else return false;
    return true;
  }

  #show(view: View | undefined): void {
    this.#active = view ?? this.#active;
    this.#cameFrom = undefined;
  }

  #leaveForGood(): void {
    const quit = (): void => this.#quit.resolve();
    if (!this.#model.questions.some(({ form }) => form.hasWork)) return quit();
    this.#confirmation = { question: "Quit, and lose your input?", onYes: quit };
  }

  #paint(): void {
    const { look } = this.#parts;
    const size = this.#parts.size();
    const frame = {
      views: this.#views,
      active: this.#active,
      help: this.#hasHelp ? drawHelp(size.columns, look) : undefined,
      confirmation: this.#confirmation?.question,
      notice: this.#notice,
    };
    this.#painter.paint(drawFrame(frame, size, look));
  }
}
