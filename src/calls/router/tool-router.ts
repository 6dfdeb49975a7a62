import { commandTools } from "../../base/tool-kinds.ts";
import { noClientCapabilities } from "../../protocol/client-capabilities.ts";
import { type InputKind, inputKinds } from "../../protocol/input-request.ts";
import { createFault, errorCodes } from "../../protocol/json-rpc.ts";
import { encodeCallToolResult } from "../../protocol/result-codec.ts";
import type { Snapshots } from "../../tools/tool.ts";
import type { ToolCard } from "../../tools/tool-card.ts";
import type { JobMessageSource, JobOutcome, ServiceCall } from "../../tools/workers/messages.ts";
import type { WorkerPool } from "../../tools/workers/pool.ts";
import type { CallMaker, CallOutcome, CallRequest, ClientContext } from "../call.ts";
import { taskSummary } from "./background-replies.ts";
import { type HostParts, JobHost } from "./job-host.ts";

export interface ToolRouterParts extends HostParts {
  readonly cards: readonly ToolCard[];
  readonly isEnabled: (toolName: string) => boolean;
  /** Whether an enabled tool exists for clients now; absent: each does. */
  readonly isOffered?: ((toolName: string) => boolean) | undefined;
  readonly pool: WorkerPool;
  /** Whether anything but the caller wants the data of this call's result. Absent: no. */
  readonly wantsData?: (request: CallRequest) => boolean;
}

/** Routes calls to own tools: name → card → job in a Worker, with the services at its side. */
export class ToolRouter implements CallMaker {
  readonly #parts: ToolRouterParts;
  readonly #cards: ReadonlyMap<string, ToolCard>;

  constructor(parts: ToolRouterParts) {
    this.#parts = parts;
    const enabled = parts.cards.filter((card) => parts.isEnabled(card.listing.name));
    this.#cards = new Map(enabled.map((card) => [card.listing.name, card]));
  }

  /** The last Worker ends when it is idle: one starts while the stages still check the call. */
  expectCall(): void {
    this.#parts.pool.warm();
  }

  call(request: CallRequest): Promise<CallOutcome> {
    const card = this.#cards.get(request.name);
    if (card === undefined || !this.#isOffered(request.name))
      return Promise.resolve(this.#unknownTool(request.name));
    return new Promise((resolve) => this.#run(card, request, resolve));
  }

  #run(card: ToolCard, request: CallRequest, resolve: (outcome: CallOutcome) => void): void {
    const { cancellation } = request;
    let host: JobHost | undefined;
    const spec = {
      source: () => this.#message(card, request),
      jobMsMax: card.jobMsMax,
      cancellation,
      services: (call: ServiceCall, acts: boolean) => {
        host ??= new JobHost(this.#parts, request);
        return host.serve(call, acts);
      },
    };
    this.#parts.pool.run(spec, (outcome) => {
      if (outcome.kind === "done" && outcome.afterDelivery !== undefined) {
        if (!cancellation.isCancelled) host?.delivered(outcome.afterDelivery);
      }
      host?.settle();
      resolve(callOutcome(outcome, request));
    });
    if (!commandTools.has(request.name)) return;
    // Behind the message to the Worker, which goes out at the end of this turn: both look at the call at the same time.
    queueMicrotask(() => this.#parts.confinements.lookAhead(request));
  }

  #message(card: ToolCard, request: CallRequest): ReturnType<JobMessageSource> {
    const { answerAt } = request;
    const answerMs =
      answerAt === undefined ? null : Math.max(0, Math.round(answerAt - performance.now()));
    const message = {
      tool: request.name,
      args: request.args ?? {},
      version: request.version,
      limits: { resultCharsMax: request.client.limits.resultCharsMax, answerMs },
      snapshots: this.#snapshots(card, request.client),
      canAsk: kindsToAsk(request),
    };
    return this.#wantsData(request) ? { ...message, wantsData: true } : message;
  }

  #wantsData(request: CallRequest): boolean {
    return request.wantsData === true || this.#parts.wantsData?.(request) === true;
  }

  #snapshots(card: ToolCard, client: ClientContext): Partial<Snapshots> {
    if (!card.snapshots.includes("backgroundTasks")) return {};
    const { supervisor, kept } = this.#parts;
    const backgroundTasks = supervisor.tasksOf(client.id).list().map(taskSummary);
    return kept !== undefined && performance.now() >= kept.noneUntil && kept.mayHave(client)
      ? { backgroundTasks, mayHaveKept: true }
      : { backgroundTasks };
  }

  #isOffered(name: string): boolean {
    return this.#parts.isOffered?.(name) !== false;
  }

  #unknownTool(name: string): CallOutcome {
    const names = [...this.#cards.keys()].filter((known) => this.#isOffered(known));
    const known = names.join(", ") || "none";
    const message = `Unknown tool: ${name.slice(0, 100)}. Known tools: ${known}.`;
    const fault = createFault(errorCodes.invalidParams, message);
    return { kind: "fault", fault, refusal: "invalid" };
  }
}

const nothing: readonly InputKind[] = [];

/** The requests that the client can answer. */
function kindsToAsk(request: CallRequest): readonly InputKind[] {
  if (request.capabilities === noClientCapabilities) return nothing;
  const { ask } = request;
  return ask === undefined ? nothing : inputKinds.filter((kind) => ask.can(kind));
}

function refusalOf({ isInvalid }: { readonly isInvalid?: true }): { readonly refusal?: "invalid" } {
  return isInvalid === true ? { refusal: "invalid" } : {};
}

function callOutcome(outcome: JobOutcome, request: CallRequest): CallOutcome {
  switch (outcome.kind) {
    case "done": {
      const { json, dataJson } = outcome;
      if (dataJson === undefined && outcome.isInvalid !== true) return { kind: "result", json };
      const data = dataJson === undefined ? {} : { dataJson };
      return { kind: "result", json, ...data, ...refusalOf(outcome) };
    }
    case "fault":
      return { kind: "fault", fault: outcome.fault, ...refusalOf(outcome) };
    case "input-required":
    case "cancelled":
      return outcome;
    case "lost": {
      const text =
        `${request.name} failed: its Worker was lost: ${outcome.reason}. ` +
        `A new one takes its place; other calls are not affected.`;
      const result = { content: [{ type: "text" as const, text }], isError: true };
      return { kind: "result", json: encodeCallToolResult(result, request.version) };
    }
  }
}
