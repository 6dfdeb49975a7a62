/** The methods of `console` that write to stdout and take the arguments of `console.log`. */
const loggingMethods = [
  "log",
  "info",
  "debug",
  "dir",
  "dirxml",
  "group",
  "groupCollapsed",
] as const;

/**
 * Sends what our code or a dependency prints with `console` to stderr, because stdout carries
 * nothing but protocol messages (docs/spec/modern.md#stdio). Call it first on the main thread and in each Worker.
 */
export function routeConsoleToStderr(): void {
  const target = globalThis.console;
  const toStderr = target.error.bind(target);
  for (const method of loggingMethods) target[method] = toStderr;
  target.table = (...data: unknown[]): void => toStderr(...data);
  target.count = toStderr;
  target.trace = (...data: unknown[]): void => toStderr(...data, new Error("Trace").stack);
  target.timeEnd = toStderr;
  target.timeLog = toStderr;
  target.write = (...data): number => {
    for (const part of data) process.stderr.write(typeof part === "string" ? part : asBytes(part));
    return data.length;
  };
}

function asBytes(data: ArrayBufferView | ArrayBuffer): Uint8Array {
  return ArrayBuffer.isView(data)
    ? new Uint8Array(data.buffer, data.byteOffset, data.byteLength)
    : new Uint8Array(data);
}
