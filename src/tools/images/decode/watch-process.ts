export interface ProcessBounds {
  readonly residentBytesMax: number;
  readonly msMax: number;
  /** The text written to stdout before a process that is too large ends. */
  readonly tooLarge: string;
}

/**
 * Ends this process when it holds too much memory or takes too long, even in the middle of a computation: decoders run for seconds
 * without yielding their thread, so the watch has a thread of its own.
 * @returns a function that ends the watch
 */
export function watchProcess(bounds: ProcessBounds): () => void {
  const source = `(${watch.toString()})(${JSON.stringify(bounds)})`;
  const url = URL.createObjectURL(new Blob([source], { type: "text/javascript" }));
  const worker = new Worker(url);
  worker.unref();
  return () => worker.terminate();
}

/** Runs in the other thread, as text: it can use its argument only. */
function watch({ residentBytesMax, msMax, tooLarge }: ProcessBounds): void {
  const lookMs = 25;
  const end = (): void => void process.kill(process.pid, "SIGKILL");
  setInterval(() => {
    if (process.memoryUsage.rss() <= residentBytesMax) return;
    process.getBuiltinModule("node:fs").writeSync(1, tooLarge);
    end();
  }, lookMs);
  setTimeout(end, msMax);
}
