import type { AppErrorCode } from "../errors.ts";
import { parseOwnJson } from "../values.ts";
import { JsonText } from "../weight.ts";

/** The messages between the main thread and a Worker. All of them travel as strings: cloning objects costs more. */

export type ToWorker<Options, Call, Post> =
  /** The first message. */
  | { readonly kind: "open"; readonly options: Options }
  | { readonly kind: "call"; readonly id: number; readonly call: Call }
  /** Nobody waits for this call any more. */
  | { readonly kind: "cancel"; readonly id: number }
  /** Has no reply. */
  | { readonly kind: "post"; readonly post: Post }
  /** Answered at once by a Worker that does not hang. */
  | { readonly kind: "ping" }
  /** The Worker ends everything that it has started, then sends `closed`. */
  | { readonly kind: "close" };

export type FromWorker<Post> =
  /** A value that is `JsonText` is passed on without being parsed. */
  | { readonly kind: "done"; readonly id: number; readonly value?: unknown }
  | {
      readonly kind: "failed";
      readonly id: number;
      readonly code: AppErrorCode;
      readonly message: string;
    }
  | { readonly kind: "post"; readonly post: Post }
  | { readonly kind: "pong" }
  | { readonly kind: "closed" }
  /** An error outside of any call; the Worker goes on. */
  | { readonly kind: "mishap"; readonly reason: string };

export function encodeToWorker(message: ToWorker<unknown, unknown, unknown>): string {
  return JSON.stringify(message);
}

export function decodeToWorker<Options, Call, Post>(text: string): ToWorker<Options, Call, Post> {
  return parseOwnJson(text);
}

/** As few texts as keep the order: those with `JsonText` are `5 {…}`, the id and the JSON; others go together. */
export function encodeFromWorker(messages: readonly FromWorker<unknown>[]): string[] {
  const texts: string[] = [];
  let together: FromWorker<unknown>[] = [];
  const flush = (): void => {
    if (together.length > 0) texts.push(JSON.stringify(together));
    together = [];
  };
  for (const message of messages) {
    if (message.kind === "done" && message.value instanceof JsonText) {
      flush();
      texts.push(`${message.id} ${message.value.json}`);
    } else together.push(message);
  }
  flush();
  return texts;
}

const openingBracket = 0x5b;

export function decodeFromWorker<Post>(text: string): FromWorker<Post>[] {
  if (text.charCodeAt(0) === openingBracket) return parseOwnJson(text);
  const blank = text.indexOf(" ");
  const value = new JsonText(text.slice(blank + 1));
  return [{ kind: "done", id: Number(text.slice(0, blank)), value }];
}
