import { AppError } from "../../base/errors.ts";
import { ownValue } from "../../base/own-value.ts";
import type { InputKind } from "../../protocol/input-request.ts";
import { hasLinks } from "../../protocol/result-codec.ts";
import {
  type BackgroundService,
  type ClientService,
  recordedMethods,
  type ResultsService,
  type ServiceReplyTo,
  type ServiceRequest,
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
      run: (request) => this.#call({ method: "background.run", request }),
      start: (request) => this.#call({ method: "background.start", request }),
      read: (request) => this.#call({ method: "background.read", request }),
      readKept: (request) => this.#call({ method: "background.readKept", request }),
      kill: (request) => this.#call({ method: "background.kill", request }),
    };
  }

  get results(): ResultsService {
    return {
      create: () => this.#call({ method: "results.create", request: {} }),
      keep: (request) => this.#call({ method: "results.keep", request }),
    };
  }

  get client(): ClientService {
    return {
      can: (kind) => this.#canAsk.includes(kind),
      ask: (requests) => this.#call({ method: "client.ask", request: requests }),
    };
  }

  get web(): WebService {
    return {
      fetchPage: (request) => this.#call({ method: "web.fetchPage", request }),
      renderPage: (request) => this.#call({ method: "web.renderPage", request }),
      search: (request) => this.#call({ method: "web.search", request }),
    };
  }

  get images(): ImagesService {
    return { convert: (request) => this.#call({ method: "images.convert", request }) };
  }

  get documents(): DocumentsService {
    return { readPdf: (request) => this.#call({ method: "documents.readPdf", request }) };
  }

  get workspace(): WorkspaceService {
    return { folder: () => this.#call({ method: "workspace.folder", request: {} }) };
  }

  get tasks(): TasksService {
    return { perform: (request) => this.#call({ method: "tasks.perform", request }) };
  }

  get plan(): PlanService {
    return {
      status: () => this.#call({ method: "plan.status", request: {} }),
      read: (request) => this.#call({ method: "plan.read", request }),
      change: (request) => this.#call({ method: "plan.change", request }),
    };
  }

  get questions(): QuestionsService {
    return { ask: (request) => this.#call({ method: "questions.ask", request }) };
  }

  get skills(): SkillsService {
    return { load: (request) => this.#call({ method: "skills.load", request }) };
  }

  get callbacks(): CallbacksService {
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
    const recorded = recordedMethods.has(asked.method) ? this.#record[this.#used] : undefined;
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
