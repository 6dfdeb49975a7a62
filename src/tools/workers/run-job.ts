import { AppError, messageOf } from "../../base/errors.ts";
import { structuredBytesMax } from "../../base/limits.ts";
import { ownValue } from "../../base/values.ts";
import type { InputKind } from "../../protocol/input-request.ts";
import { isAtLeast } from "../../protocol/message.ts";
import {
  badArguments,
  encodeCallToolResult,
  hasLinks,
  tooLongForData,
} from "../../protocol/result-codec.ts";
import type { CallToolResult, ContentBlock, ResourceLink } from "../../protocol/tool-types.ts";
import { serviceEffects, type ServiceReplyTo, type ServiceRequest } from "../services.ts";
import { fitText, savedLinks } from "../shown-output.ts";
import type { AnyTool, Snapshots, ToolContext, ToolLimits, ToolOutput } from "../tool.ts";
import { describeIssues, type Issue } from "./argument-errors.ts";
import type { FromToolWorker, JobMessage, ServiceCall, ServiceReply } from "./messages.ts";

/**
 * Checks the arguments, runs the handler and shapes its result. Never rejects or throws. Answers
 * at once when the handler does: each promise on the way costs a tenth of a cheap call.
 */
export function runJob(
  tool: AnyTool,
  job: JobMessage,
  context: ToolContext,
): FromToolWorker | Promise<FromToolWorker> {
  const parsed = tool.input.safeParse(job.args ?? {}, { reportInput: true });
  if (!parsed.success) return refuse(tool, job, parsed.error.issues);
  try {
    const output = tool.handler(parsed.data, context);
    if (!(output instanceof Promise) && isShort(output.text, context.limits.resultCharsMax)) {
      return done(tool, job, output, output.text, []);
    }
    return finish(tool, job, output, context);
  } catch (error) {
    return failed(tool, job, error);
  }
}

/** True for a text that surely fits into a result; most do, and need no further look. */
function isShort(text: string, resultCharsMax: number): boolean {
  return text.length * 3 <= resultCharsMax;
}

async function finish(
  tool: AnyTool,
  job: JobMessage,
  pending: ToolOutput | Promise<ToolOutput>,
  context: ToolContext,
): Promise<FromToolWorker> {
  try {
    const output = await pending;
    const { text, saved } = await fitText(output.text, context);
    return done(tool, job, output, text, savedLinks(saved, context.limits));
  } catch (error) {
    return failed(tool, job, error);
  }
}

function refuse(tool: AnyTool, job: JobMessage, issues: readonly Issue[]): FromToolWorker {
  const faults = describeIssues(issues, Object.keys(tool.input.shape));
  const refused = badArguments(job.version, `Invalid arguments for ${tool.name}: ${faults}`);
  const { jobId } = job;
  return refused.kind === "fault"
    ? { jobId, ...refused, isInvalid: true }
    : { jobId, kind: "done", json: refused.json, isInvalid: true };
}

/** The result within its bounds, so that nothing huge ever crosses to the main thread. */
function done(
  tool: AnyTool,
  job: JobMessage,
  output: ToolOutput,
  text: string,
  links: readonly ResourceLink[],
): FromToolWorker {
  const { jobId, wantsData } = job;
  const content: ContentBlock[] = [
    ...(output.images ?? []),
    { type: "text", text: text.toWellFormed() },
    ...(output.links ?? []),
    ...links,
  ];
  const { afterDelivery, isError = false } = output;
  const data = tool.output === undefined ? undefined : output.structured;
  const result = { content, isError };
  return {
    kind: "done",
    jobId,
    json:
      tool.answersInJson === true && data !== undefined
        ? withData(job, result, data)
        : encodeCallToolResult(result, job.version),
    ...(wantsData === true ? dataFor(data) : {}),
    ...(afterDelivery === undefined ? {} : { afterDelivery }),
  };
}

/**
 * Data is never cut: data longer than the client's limit is left out, although the tool has promised it. Nothing huge is
 * measured twice: most results are shorter as a whole.
 */
function withData(
  { version, limits, wantsData }: JobMessage,
  result: CallToolResult,
  structuredContent: NonNullable<ToolOutput["structured"]>,
): string {
  if (!isAtLeast(version, "2025-06-18")) return encodeCallToolResult(result, version);
  const json = encodeCallToolResult({ ...result, structuredContent }, version);
  const charsMax = limits.resultCharsMax;
  if (json.length <= charsMax || JSON.stringify(structuredContent).length <= charsMax) return json;
  if (wantsData === true) return encodeCallToolResult(result, version);
  const said = { type: "text" as const, text: `${tooLongForData}\n` };
  const told = { content: [said, ...result.content], isError: true };
  return encodeCallToolResult(told, version);
}

/** For programs, within the bound of structured results. */
function dataFor(data: ToolOutput["structured"]): { readonly dataJson?: string } {
  const dataJson = JSON.stringify(data) as string | undefined;
  return dataJson === undefined || dataJson.length > structuredBytesMax ? {} : { dataJson };
}

function failed(tool: AnyTool, { jobId, version }: JobMessage, error: unknown): FromToolWorker {
  const isExpected = error instanceof AppError;
  const text = isExpected ? error.message : `${tool.name} failed: ${messageOf(error)}`;
  const content = [{ type: "text" as const, text: text.slice(0, 4_000).toWellFormed() }];
  return { kind: "done", jobId, json: encodeCallToolResult({ content, isError: true }, version) };
}

/**
 * The context of one job's handler inside a Worker. Services are asked on the main thread, one call
 * at a time, or answered from the record of an earlier Worker.
 */
export class JobContext implements ToolContext {
  readonly snapshots: Partial<Snapshots>;
  readonly limits: ToolLimits;
  readonly #jobId: number;
  readonly #canAsk: readonly InputKind[];
  readonly #record: readonly ServiceReply[];
  readonly #send: (call: ServiceCall) => void;
  #used = 0;
  #waiting: ((reply: ServiceReply) => void) | undefined;

  constructor(
    job: Pick<JobMessage, "jobId" | "record" | "snapshots" | "limits" | "version" | "canAsk">,
    send: (call: ServiceCall) => void,
  ) {
    this.snapshots = job.snapshots;
    this.limits = hasLinks(job.version) ? job.limits : { ...job.limits, linksAsText: true };
    this.#jobId = job.jobId;
    this.#canAsk = job.canAsk ?? [];
    this.#record = job.record;
    this.#send = send;
  }

  get background(): ToolContext["background"] {
    return {
      run: (request) => this.#call({ method: "background.run", request }),
      start: (request) => this.#call({ method: "background.start", request }),
      listKept: () => this.#call({ method: "background.listKept", request: {} }),
      read: (request) => this.#call({ method: "background.read", request }),
      readSaved: (request) => this.#call({ method: "background.readSaved", request }),
      kill: (request) => this.#call({ method: "background.kill", request }),
    };
  }

  get results(): ToolContext["results"] {
    return {
      create: () => this.#call({ method: "results.create", request: {} }),
      addOutput: (request) => this.#call({ method: "results.addOutput", request }),
    };
  }

  get client(): ToolContext["client"] {
    return {
      can: (kind) => this.#canAsk.includes(kind),
      ask: (requests) => this.#call({ method: "client.ask", request: requests }),
    };
  }

  get web(): ToolContext["web"] {
    return {
      fetchPage: (request) => this.#call({ method: "web.fetchPage", request }),
      renderPage: (request) => this.#call({ method: "web.renderPage", request }),
      search: (request) => this.#call({ method: "web.search", request }),
    };
  }

  get images(): ToolContext["images"] {
    return { convert: (request) => this.#call({ method: "images.convert", request }) };
  }

  get documents(): ToolContext["documents"] {
    return { readPdf: (request) => this.#call({ method: "documents.readPdf", request }) };
  }

  get workspace(): ToolContext["workspace"] {
    return {
      place: () => this.#call({ method: "workspace.place", request: {} }),
      file: (request) => this.#call({ method: "workspace.file", request }),
    };
  }

  get tasks(): ToolContext["tasks"] {
    return { perform: (request) => this.#call({ method: "tasks.perform", request }) };
  }

  get plan(): ToolContext["plan"] {
    return {
      status: () => this.#call({ method: "plan.status", request: {} }),
      read: (request) => this.#call({ method: "plan.read", request }),
      change: (request) => this.#call({ method: "plan.change", request }),
    };
  }

  get questions(): ToolContext["questions"] {
    return { ask: (request) => this.#call({ method: "questions.ask", request }) };
  }

  get skills(): ToolContext["skills"] {
    return { load: (request) => this.#call({ method: "skills.load", request }) };
  }

  get callbacks(): ToolContext["callbacks"] {
    return { perform: (request) => this.#call({ method: "callbacks.perform", request }) };
  }

  /** The main thread's answer to the call that is waiting. */
  onReply(reply: ServiceReply): void {
    const settle = this.#waiting;
    this.#waiting = undefined;
    settle?.(reply);
  }

  #call<Asked extends ServiceRequest>(asked: Asked): Promise<ServiceReplyTo<Asked["method"]>> {
    return this.#reply(asked).then((reply) => ownValue(unwrap(reply)));
  }

  #reply(asked: ServiceRequest): Promise<ServiceReply> {
    const recorded =
      serviceEffects[asked.method] !== "reads" ? this.#record[this.#used] : undefined;
    if (recorded !== undefined) {
      this.#used++;
      return Promise.resolve(recorded);
    }
    if (this.#waiting !== undefined)
      throw new Error("a handler may wait for one service at a time");
    const { promise, resolve } = Promise.withResolvers<ServiceReply>();
    this.#waiting = resolve;
    this.#send({ kind: "call", jobId: this.#jobId, ...asked });
    return promise;
  }
}

function unwrap(reply: ServiceReply): unknown {
  if (reply.ok) return reply.value;
  throw new AppError(reply.code, reply.message);
}
