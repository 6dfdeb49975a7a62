import type { Socket } from "node:net";

/** The reason why the reading of a head ended. */
export type HeadRead =
  | { readonly kind: "head"; readonly text: string; readonly rest: Buffer }
  | { readonly kind: "closed" | "too_large" | "timeout" };

/** An empty line. Servers are read leniently, since old ones end lines by LF alone; clients are not. */
type EmptyLine = "strict" | "lenient";

export interface HeadLimits {
  readonly bytesMax: number;
  readonly msMax: number;
  readonly emptyLine: EmptyLine;
}

/**
 * Takes the bytes up to the first empty line off a socket, however they are cut into packets, and leaves it paused.
 * `rest` is what came after. The text is Latin-1: one character for each byte, as heads are forwarded.
 * @param before bytes that were taken off the socket earlier
 */
export function readHead(socket: Socket, limits: HeadLimits, before?: Buffer): Promise<HeadRead> {
  return new Promise((resolve) => {
    let text = "";
    let isSettled = false;
    const settle = (result: HeadRead): void => {
      isSettled = true;
      clearTimeout(timer);
      socket.pause();
      socket.removeListener("data", take);
      socket.removeListener("end", onEnd);
      socket.removeListener("close", onEnd);
      resolve(result);
    };
    const take = (data: string | Buffer): void => {
      const chunk = typeof data === "string" ? Buffer.from(data, "latin1") : data;
      // The empty line may have begun in the chunk before.
      const from = Math.max(0, text.length - 3);
      text += chunk.toString("latin1");
      const end = endOfHead(text, from, limits.emptyLine);
      if (end === undefined ? text.length > limits.bytesMax : end > limits.bytesMax) {
        settle({ kind: "too_large" });
      } else if (end !== undefined) {
        const rest = Buffer.from(text.slice(end), "latin1");
        settle({ kind: "head", text: text.slice(0, end), rest });
      }
    };
    const onEnd = (): void => settle({ kind: "closed" });
    const timer = setTimeout(() => settle({ kind: "timeout" }), limits.msMax);
    socket.on("data", take);
    socket.once("end", onEnd);
    socket.once("close", onEnd);
    if (before !== undefined && before.length > 0) take(before);
    if (socket.destroyed) onEnd();
    else if (!isSettled) socket.resume();
  });
}

/** The offset behind the first empty line at or after `from`. */
function endOfHead(text: string, from: number, kind: EmptyLine): number | undefined {
  if (kind === "strict") {
    const at = text.indexOf("\r\n\r\n", from);
    return at < 0 ? undefined : at + 4;
  }
  const expression = /\n\r?\n/g;
  expression.lastIndex = from;
  const match = expression.exec(text);
  return match === null ? undefined : match.index + match[0].length;
}
