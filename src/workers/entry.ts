import { routeConsoleToStderr } from "../base/console.ts";
import type { AnyTool } from "../tools/tool.ts";
import { JobContext } from "./job-context.ts";
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
  const waiting = new Map<number, JobContext>();
  const outbox = new WorkerOutbox((text) => self.postMessage(text));
  const send = (message: FromWorker): void => outbox.send(encodeFromWorker(message));

  const start = (job: JobMessage): void => {
    const tool = byName.get(job.tool);
    if (tool === undefined) throw new Error(`the Worker has no tool ${job.tool}`);
    const context = new JobContext(job, send);
    const outcome = runJob(tool, job, context);
    if (!(outcome instanceof Promise)) return send(outcome);
    waiting.set(job.jobId, context);
    void outcome.then((finished) => {
      // A dropped job that ran to its end all the same has been answered elsewhere.
      if (waiting.delete(job.jobId)) send(finished);
    });
  };

  const receive = (message: ToWorker): void => {
    switch (message.kind) {
      case "job":
        return start(message);
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
