import { routeConsoleToStderr } from "../base/console.ts";
import type { AnyTool } from "../tools/tool.ts";
import { JobServices } from "./job-services.ts";
import {
  decodeToWorker,
  encodeFromWorker,
  type FromWorker,
  type JobMessage,
  type ToWorker,
} from "./messages.ts";
import { runJob } from "./run-job.ts";
import { WorkerOutbox } from "./worker-outbox.ts";

declare const self: Worker;

/**
 * The whole of a Worker: takes jobs, runs their handlers, passes service calls on. Several jobs may be
 * waiting for services at the same time; the pool sees to it that only one computes.
 */
export function runWorker(tools: readonly AnyTool[]): void {
  routeConsoleToStderr();
  const byName = new Map(tools.map((tool) => [tool.name, tool]));
  const waiting = new Map<number, JobServices>();
  const outbox = new WorkerOutbox((text) => self.postMessage(text));
  const send = (message: FromWorker): void => outbox.send(encodeFromWorker(message));

  const start = async (job: JobMessage): Promise<void> => {
    const tool = byName.get(job.tool);
    if (tool === undefined) throw new Error(`the Worker has no tool ${job.tool}`);
    const services = new JobServices(job, send);
    waiting.set(job.jobId, services);
    const context = { ...services.api, snapshots: job.snapshots, limits: job.limits };
    const outcome = await runJob(tool, job, context);
    // A dropped job that ran to its end all the same has been answered elsewhere.
    if (waiting.delete(job.jobId)) send(outcome);
  };

  const receive = (message: ToWorker): void => {
    switch (message.kind) {
      case "job":
        void start(message);
        return;
      case "reply":
        waiting.get(message.jobId)?.onReply(message.reply);
        return;
      case "drop":
        waiting.delete(message.jobId);
        return;
    }
  };
  self.onmessage = (event: MessageEvent<string>): void => {
    const messages = decodeToWorker(event.data);
    if (messages.length > 1) outbox.gather();
    for (const message of messages) receive(message);
  };
  send({ kind: "ready" });
}
