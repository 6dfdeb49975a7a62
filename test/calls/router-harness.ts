import { Cancellation } from "../../src/base/cancellation.ts";
import type { CallOutcome, CallRequest } from "../../src/calls/call.ts";
import type { KeptCommands } from "../../src/calls/router/kept-commands.ts";
import { ToolRouter } from "../../src/calls/router/tool-router.ts";
import { catalogueCards } from "../../src/tools/catalogue-cards.macro.ts";
import { absentServices, absentState, noConfinements } from "./absent-services.ts";
import { WorkerPool } from "../../src/tools/workers/pool.ts";
import { SupervisorHarness } from "../commands/background/supervisor-harness.ts";

export interface Result {
  readonly content: { type: string; text?: string; uri?: string }[];
  readonly structuredContent: Record<string, unknown>;
  readonly isError: boolean;
}

/** The result with its data, as programs get it. */
export function programResult({
  json,
  dataJson,
}: Extract<CallOutcome, { kind: "result" }>): Result {
  const result = JSON.parse(json) as Result;
  if (dataJson === undefined) return result;
  return { ...result, structuredContent: JSON.parse(dataJson) as Result["structuredContent"] };
}

/** The real router with the real Workers and commands; the client is one of this test's making. */
export class RouterHarness {
  readonly services = new SupervisorHarness();
  readonly pool = new WorkerPool({
    createWorker: () => new Worker(new URL("../../src/worker.ts", import.meta.url).href),
  });
  readonly router: ToolRouter;

  constructor(
    isEnabled: (name: string) => boolean = () => true,
    isStreaming = true,
    kept?: KeptCommands,
  ) {
    const { supervisor, savedOutputs } = this.services;
    const cards = catalogueCards();
    const { pool } = this;
    this.router = new ToolRouter({
      cards,
      isEnabled,
      isStreaming,
      pool,
      supervisor,
      kept,
      savedOutputs,
      ...absentServices,
      state: absentState,
      confinements: noConfinements,
    });
  }

  request(
    name: string,
    args: unknown,
    more: Partial<CallRequest> & { answerMs?: number } = {},
  ): CallRequest {
    const { answerMs = 0, ...rest } = more;
    const limits = { answerMs, resultCharsMax: 30_000 };
    const workspaceDir = (): Promise<string> => Promise.resolve(this.services.folder);
    const client = { id: "client", limits, workspaceDir };
    const answerAt = answerMs === 0 ? undefined : performance.now() + answerMs / 2;
    const call = {
      name,
      args,
      client,
      answerAt,
      cancellation: new Cancellation(),
      wantsData: true,
    };
    return { ...call, version: "2025-11-25", ...rest };
  }

  call(...request: Parameters<RouterHarness["request"]>): Promise<CallOutcome> {
    return this.router.call(this.request(...request));
  }

  /** What a program gets: the data too. */
  async result(...request: Parameters<RouterHarness["request"]>): Promise<Result> {
    const outcome = await this.call(...request);
    if (outcome.kind !== "result") throw new Error(`it is a ${outcome.kind}`);
    return programResult(outcome);
  }

  /** `output` of a read. */
  async read(args: object, more?: Partial<CallRequest>): Promise<string> {
    const { structuredContent } = await this.result("ReadBgOutput", { task_id: 1, ...args }, more);
    return String(structuredContent["output"]);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.pool.close();
    await this.services[Symbol.asyncDispose]();
  }
}
