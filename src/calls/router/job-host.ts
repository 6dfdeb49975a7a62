import { assertNotAborted } from "../../base/cancellation.ts";
import { AppError, failureOf } from "../../base/errors.ts";
import type { SavedOutput } from "../../commands/background/saved-output.ts";
import type { SavedOutputs } from "../../commands/background/saved-outputs.ts";
import type { InputRequests, InputResponses } from "../../protocol/input-request.ts";
import type { SavedFile, ServiceRequest } from "../../tools/services.ts";
import type { AfterDelivery } from "../../tools/tool.ts";
import type { WorkplaceReply } from "../../tools/web-services.ts";
import type { JobEnd, ServiceCall, ServiceReply } from "../../tools/workers/messages.ts";
import { carriedReply, InputNeeded } from "../ask-client.ts";
import type { CallRequest, ClientContext } from "../call.ts";
import { resultUri } from "../own-uri.ts";
import {
  isStateCall,
  performStateCall,
  type StateServices,
  workspaceDirOf,
} from "../state-calls.ts";
import {
  BackgroundCalls,
  type BackgroundParts,
  type CopiedFile,
  type FileToCopy,
  isBackgroundCall,
} from "./background-calls.ts";
import { type DistantServices, PageTurn, performDistantCall } from "./distant-calls.ts";

/**
 * Asks the client for a job. `hasActed`: its handler has had something done before, of which the next round,
 * in which the handler runs from its start, would not know: then only immediate answers are used.
 * @throws the errors of `AskClient.ask`; AppError `usage` when the handler asked too late
 */
export async function askForJob(
  { ask, name }: CallRequest,
  requests: InputRequests,
  hasActed: boolean,
): Promise<InputResponses> {
  if (ask === undefined) throw new AppError("unsupported", "There is no client that can be asked.");
  try {
    return await ask.ask(requests);
  } catch (error) {
    if (!(error instanceof InputNeeded) || !hasActed) throw error;
    const message =
      `${name} asked the client after it had done something else, which cannot be taken up again ` +
      `when the client has answered. A tool must ask before anything else.`;
    throw new AppError("usage", message);
  }
}

/** How a job ends by an error of `ask` that its handler cannot answer for; undefined for all other errors. */
export function jobEndOf(error: unknown): JobEnd | undefined {
  const ended = carriedReply(error);
  return ended === undefined ? undefined : { ended };
}

export interface HostParts extends DistantServices, BackgroundParts {
  readonly savedOutputs: SavedOutputs;
  readonly state: StateServices;
  /** Whose pages and searches are cached apart from others'; absent or empty: there is one principal. */
  readonly cacheOwnerOf?: ((client: ClientContext) => string) | undefined;
}

/** The services on the main thread, as one call uses them. */
export class JobHost {
  readonly #parts: HostParts;
  readonly #request: CallRequest;
  readonly #background: BackgroundCalls;
  /** Made with the first page. */
  #pageTurn: PageTurn | undefined;
  readonly #copies: CopiedFile[] = [];
  #isSettled = false;
  /** True when the handler has had something done that must not be done twice. */
  #hasActed = false;

  constructor(parts: HostParts, request: CallRequest) {
    this.#parts = parts;
    this.#request = request;
    this.#background = new BackgroundCalls(parts, request);
  }

  /** Answers one service call; a failure becomes a reply, and a question that needs a round ends the job. */
  async serve(call: ServiceCall, acts: boolean): Promise<ServiceReply | JobEnd> {
    try {
      assertNotAborted(this.#request.cancellation);
      return { ok: true, value: await this.#perform(call, acts) };
    } catch (error) {
      return jobEndOf(error) ?? { ok: false, ...failureOf(error) };
    }
  }

  /** The result is on its way to the client. */
  delivered(afterDelivery: AfterDelivery): void {
    this.#background.delivered(afterDelivery);
  }

  /** The call is over: its holdings are released. */
  settle(): void {
    this.#isSettled = true;
    for (const copy of this.#copies.splice(0)) void copy.release();
    this.#background.settle();
    this.#pageTurn?.[Symbol.dispose]();
  }

  #perform(call: ServiceCall, acts: boolean): Promise<unknown> {
    const hasActed = this.#hasActed;
    if (acts) this.#hasActed = true;
    if (isBackgroundCall(call)) return this.#background.perform(call);
    if (isStateCall(call)) {
      const asked = this.#request;
      const asking = { call: asked, answerAt: asked.answerAt, hasActed };
      return performStateCall(this.#parts.state, call, asking);
    }
    switch (call.method) {
      case "results.create":
        return this.#createResult().then((saved) => (saved === null ? null : { path: saved.path }));
      case "results.addOutput":
        return this.#addOutput(call.request);
      case "web.fetchPage":
      case "web.renderPage":
        return this.#loadPage(this.#owned(call));
      case "web.search":
        return performDistantCall(this.#parts, this.#owned(call), this.#request.cancellation);
      case "images.convert":
      case "documents.readPdf":
        return performDistantCall(this.#parts, call, this.#request.cancellation);
      case "workspace.place":
        return this.#place();
      case "workspace.file":
        return this.#copyFile(call.request);
      case "client.ask":
        return askForJob(this.#request, call.request, hasActed);
    }
  }

  /** Where several principals are served, what is cached for one is not found by another. */
  #owned<Call extends ServiceRequest<"web.fetchPage" | "web.renderPage" | "web.search">>(
    call: Call,
  ): Call {
    const cacheOwner = this.#parts.cacheOwnerOf?.(this.#request.client) ?? "";
    return cacheOwner === "" ? call : { ...call, request: { ...call.request, cacheOwner } };
  }

  async #loadPage(call: ServiceRequest<"web.fetchPage" | "web.renderPage">): Promise<unknown> {
    const { cancellation } = this.#request;
    const turn = (this.#pageTurn ??= new PageTurn());
    return turn.await(await performDistantCall(this.#parts, call, cancellation), cancellation);
  }

  async #place(): Promise<WorkplaceReply> {
    const { client } = this.#request;
    const folder = await workspaceDirOf(client);
    return client.ownPlace?.() === undefined ? { folder } : { folder, isApart: true };
  }

  async #copyFile(file: FileToCopy): Promise<string> {
    const copy = await this.#parts.confinements.copyFor(this.#request, file);
    if (this.#isSettled) void copy.release();
    else this.#copies.push(copy);
    return copy.path;
  }

  async #createResult(): Promise<SavedOutput | null> {
    const saved = this.#parts.savedOutputs.create(this.#request.client.id);
    await saved?.finish();
    return saved ?? null;
  }

  async #addOutput(part: {
    from: number;
    bytes: number;
  }): Promise<Omit<SavedFile, "problem"> | null> {
    const saved = await this.#createResult();
    if (saved === null) return null;
    const { name: title, client } = this.#request;
    const { id: resultId, path } = saved;
    const taskId = this.#parts.supervisor
      .tasksOf(client.id)
      .addOutput({ resultId, path, title, ...part });
    return { path, uri: resultUri(resultId), taskId };
  }
}
