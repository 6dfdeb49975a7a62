/** The end of a `WorkerChannel` that does the work: a Worker, or a connection to a process. */
export interface ChannelPort {
  /** Called once, before anything is posted. `onEnd` may be called more than once. */
  listen(onText: (text: string) => void, onEnd: (reason: string) => void): void;
  postMessage(text: string): void;
  /** Somebody has stopped its process, which answers nothing until they let it go on. */
  isStopped?(): boolean;
  /** Nothing is heard of it afterwards. */
  terminate(): void;
}

/** A Worker as a port. */
export function workerPort(worker: Worker): ChannelPort {
  return {
    listen(onText, onEnd) {
      worker.onmessage = ({ data }: MessageEvent<string>) => onText(data);
      onWorkerEnd(worker, onEnd);
    },
    postMessage: (text) => worker.postMessage(text),
    terminate: () => worker.terminate(),
  };
}

/** Characters that are kept of an error's line; more is its data. */
const errorCharsMax = 500;

/**
 * Calls `tell` with the reason why a Worker has ended: what it threw, which nobody else reports then, or the code that it
 * exited with. A Worker that throws also exits: `tell` is called for both.
 */
export function onWorkerEnd(worker: Worker, tell: (reason: string) => void): void {
  worker.addEventListener("error", (event) => {
    event.preventDefault();
    tell(`it threw: ${errorText(event)}`);
  });
  worker.addEventListener("close", (event) => {
    tell(`it exited with code ${event.code}`);
  });
}

/** The message is a report of many lines, of which the last with `error:` names the error. */
function errorText({ message }: ErrorEvent): string {
  const line = message?.split("\n").findLast((text) => /\berror:/i.test(text));
  return (line ?? message?.split("\n")[0] ?? "an error").trim().slice(0, errorCharsMax);
}
