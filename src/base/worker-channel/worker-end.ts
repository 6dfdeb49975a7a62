/** Of an error's line; more is its data. */
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
    const { code } = event as unknown as { code: number };
    tell(`it exited with code ${code}`);
  });
}

/** The message is a report of many lines, of which the last with `error:` names the error. */
function errorText({ message }: ErrorEvent): string {
  const line = message?.split("\n").findLast((text) => /\berror:/i.test(text));
  return (line ?? message?.split("\n")[0] ?? "an error").trim().slice(0, errorCharsMax);
}
