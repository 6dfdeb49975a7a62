/**
 * Has `tell` told why a Worker has ended: what it threw, which nobody else hears of then, or the code that it exited with.
 * Who throws exits too: it is told of both.
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
