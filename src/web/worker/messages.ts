import { JsonText } from "../../base/json-text.ts";
import type { Web } from "../web.ts";
import type { WebOptions } from "../web-options.ts";

/** What crosses between the main thread and the web Worker. All of it travels as strings, as to the Workers of tools. */

export type WebMethod = "fetchPage" | "renderPage" | "search";

export type ToWebWorker =
  /** The first message. */
  | { readonly kind: "open"; readonly options: WebOptions }
  | {
      readonly kind: "call";
      readonly id: number;
      readonly method: WebMethod;
      readonly request: unknown;
    }
  /** Nobody waits for it any more. */
  | { readonly kind: "cancel"; readonly id: number }
  /** Answered at once by a Worker that does not hang. */
  | { readonly kind: "ping" }
  /** Everything is ended, the browser first; then comes `closed`. */
  | { readonly kind: "close" };

export type FromWebWorker =
  | { readonly kind: "done"; readonly id: number; readonly value: JsonText }
  | {
      readonly kind: "failed";
      readonly id: number;
      readonly code: string;
      readonly message: string;
    }
  | { readonly kind: "pong" }
  | { readonly kind: "closed" }
  /** Something threw outside of any call's reach; the Worker goes on. */
  | { readonly kind: "mishap"; readonly reason: string };

export function encodeToWebWorker(message: ToWebWorker): string {
  return JSON.stringify(message);
}

export function decodeToWebWorker(text: string): ToWebWorker {
  return JSON.parse(text) as ToWebWorker;
}

/** What a method returns is its call's number and JSON (`5 {…}`), which the main thread passes on as it is. */
export function encodeFromWebWorker(message: FromWebWorker): string {
  return message.kind === "done" ? `${message.id} ${message.value.json}` : JSON.stringify(message);
}

const openingBrace = 0x7b;

export function decodeFromWebWorker(text: string): FromWebWorker {
  if (text.charCodeAt(0) === openingBrace) return JSON.parse(text) as FromWebWorker;
  const blank = text.indexOf(" ");
  const value = new JsonText(text.slice(blank + 1));
  return { kind: "done", id: Number(text.slice(0, blank)), value };
}

/** Has `web` do what a call asks for. */
export function performWebCall(
  web: Web,
  method: WebMethod,
  request: unknown,
  signal: AbortSignal,
): Promise<unknown> {
  switch (method) {
    case "fetchPage":
      return web.fetchPage(request as Parameters<Web["fetchPage"]>[0], signal);
    case "renderPage":
      return web.renderPage(request as Parameters<Web["renderPage"]>[0], signal);
    case "search":
      return web.search(request as Parameters<Web["search"]>[0], signal);
  }
}
