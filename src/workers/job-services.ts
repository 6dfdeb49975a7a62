import { AppError, type AppErrorCode } from "../base/errors.ts";
import { recordedMethods, type ServiceMethod, type ServiceMethods } from "../tools/services.ts";
import type { ToolContext } from "../tools/tool.ts";
import type { JobMessage, ServiceCall, ServiceReply } from "./messages.ts";

/**
 * The services as one job sees them, from inside a Worker. Asks the main thread, one call at a time,
 * or answers from the record of an earlier Worker.
 */
export class JobServices {
  readonly #jobId: number;
  readonly #record: readonly ServiceReply[];
  readonly #send: (call: ServiceCall) => void;
  #used = 0;
  #waiting: ((reply: ServiceReply) => void) | undefined;

  constructor(job: Pick<JobMessage, "jobId" | "record">, send: (call: ServiceCall) => void) {
    this.#jobId = job.jobId;
    this.#record = job.record;
    this.#send = send;
  }

  /** The services in the form that handlers use. */
  get api(): Pick<ToolContext, "background" | "results"> {
    return {
      background: {
        run: (request) => this.#call("background.run", request),
        start: (request) => this.#call("background.start", request),
        read: (request) => this.#call("background.read", request),
        kill: (request) => this.#call("background.kill", request),
      },
      results: { create: () => this.#call("results.create", {}) },
    };
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
