import { AppError, type AppErrorCode } from "../../base/errors.ts";
import { hasLinks } from "../../protocol/content-codec.ts";
import type { InputKind } from "../../protocol/input-request.ts";
import {
  type BackgroundService,
  type ClientService,
  recordedMethods,
  type ResultsService,
  type ServiceMethod,
  type ServiceMethods,
} from "../services.ts";
import type {
  CallbacksService,
  PlanService,
  QuestionsService,
  SkillsService,
} from "../state-services.ts";
import type { TasksService } from "../task-service.ts";
import type { Snapshots, ToolContext, ToolLimits } from "../tool.ts";
import type {
  DocumentsService,
  ImagesService,
  WebService,
  WorkspaceService,
} from "../web-services.ts";
import type { JobMessage, ServiceCall, ServiceReply } from "./messages.ts";

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

  get background(): BackgroundService {
    return {
      run: (request) => this.#call("background.run", request),
      start: (request) => this.#call("background.start", request),
      read: (request) => this.#call("background.read", request),
      readKept: (request) => this.#call("background.readKept", request),
      kill: (request) => this.#call("background.kill", request),
    };
  }

  get results(): ResultsService {
    return {
      create: () => this.#call("results.create", {}),
      keep: (request) => this.#call("results.keep", request),
    };
  }

  get client(): ClientService {
    return {
      can: (kind) => this.#canAsk.includes(kind),
      ask: (requests) => this.#call("client.ask", requests),
    };
  }

  get web(): WebService {
    return {
      fetchPage: (request) => this.#call("web.fetchPage", request),
      renderPage: (request) => this.#call("web.renderPage", request),
      search: (request) => this.#call("web.search", request),
    };
  }

  get images(): ImagesService {
    return { convert: (request) => this.#call("images.convert", request) };
  }

  get documents(): DocumentsService {
    return { readPdf: (request) => this.#call("documents.readPdf", request) };
  }

  get workspace(): WorkspaceService {
    return { folder: () => this.#call("workspace.folder", {}) };
  }

  get tasks(): TasksService {
    return { perform: (request) => this.#call("tasks.perform", request) };
  }

  get plan(): PlanService {
    return {
      status: () => this.#call("plan.status", {}),
      read: (request) => this.#call("plan.read", request),
      change: (request) => this.#call("plan.change", request),
    };
  }

  get questions(): QuestionsService {
    return { ask: (request) => this.#call("questions.ask", request) };
  }

  get skills(): SkillsService {
    return { load: (request) => this.#call("skills.load", request) };
  }

  get callbacks(): CallbacksService {
    return { perform: (request) => this.#call("callbacks.perform", request) };
  }

  /** The main thread's answer to the call that is waiting. */
  onReply(reply: ServiceReply): void {
    const settle = this.#waiting;
    this.#waiting = undefined;
    settle?.(reply);
  }

  #call<Method extends ServiceMethod>(
    method: Method,
    request: unknown,
  ): ReturnType<ServiceMethods[Method]> {
    return this.#reply(method, request).then(unwrap) as ReturnType<ServiceMethods[Method]>;
  }

  #reply(method: ServiceMethod, request: unknown): Promise<ServiceReply> {
    const recorded = recordedMethods.has(method) ? this.#record[this.#used] : undefined;
    if (recorded !== undefined) {
      this.#used++;
      return Promise.resolve(recorded);
    }
    if (this.#waiting !== undefined)
      throw new Error("a handler may wait for one service at a time");
    const { promise, resolve } = Promise.withResolvers<ServiceReply>();
    this.#waiting = resolve;
    this.#send({ kind: "call", jobId: this.#jobId, method, request });
    return promise;
  }
}

function unwrap(reply: ServiceReply): unknown {
  if (reply.ok) return reply.value;
  throw new AppError(reply.code as AppErrorCode, reply.message);
}
