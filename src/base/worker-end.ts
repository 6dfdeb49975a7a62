/**
 * Calls `tell` with the reason why a Worker has ended: its error, which is reported nowhere else, or its exit code. A Worker
 * that throws also exits: `tell` is called for both.
 */
export function onWorkerEnd(worker: Worker, tell: (reason: string) => void): void {
  worker.addEventListener("error", (event) => {
    event.preventDefault();
    tell(`it threw: ${event.message || "an error"}`);
  });
  worker.addEventListener("close", (event) => {
    const { code } = event as unknown as { code: number };
    tell(`it exited with code ${code}`);
  });
}
