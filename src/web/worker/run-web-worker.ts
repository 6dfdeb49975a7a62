import { routeConsoleToStderr } from "../../base/console.ts";
import { AppError, messageOf } from "../../base/errors.ts";
import { JsonText } from "../../base/json-text.ts";
import { heavyPageWeight } from "../../base/limits.ts";
import type { Web } from "../web.ts";
import type { WebOptions } from "../web-options.ts";
import {
  decodeToWebWorker,
  encodeFromWebWorker,
  type FromWebWorker,
  performWebCall,
  type ToWebWorker,
} from "./messages.ts";

declare const self: Worker;

/** Makes what the calls are for, when the first one comes. */
export type OpenWeb = (options: WebOptions) => Web | Promise<Web>;

/** The whole of the web Worker: takes calls, which run side by side, and says how each ended. */
export function runWebWorker(openWeb: OpenWeb): void {
  routeConsoleToStderr();
  const worker = new WebWorkerSide(openWeb, (message) =>
    self.postMessage(encodeFromWebWorker(message)),
  );
  self.onmessage = ({ data }: MessageEvent<string>): void =>
    worker.receive(decodeToWebWorker(data));
  // What a library left behind throws: no call is to blame, and none of them suffers.
  const report = (error: unknown): void => worker.report(error);
  process.on("uncaughtException", report);
  process.on("unhandledRejection", report);
}

type CallMessage = Extract<ToWebWorker, { kind: "call" }>;

class WebWorkerSide {
  readonly #openWeb: OpenWeb;
  readonly #send: (message: FromWebWorker) => void;
  readonly #calls = new Map<number, AbortController>();
  #options: WebOptions | undefined;
  #web: Promise<Web> | undefined;

  constructor(openWeb: OpenWeb, send: (message: FromWebWorker) => void) {
    this.#openWeb = openWeb;
    this.#send = send;
  }

  receive(message: ToWebWorker): void {
    switch (message.kind) {
      case "open":
        this.#options = message.options;
        return;
      case "call":
        return void this.#run(message);
      case "cancel":
        return this.#cancel(message.id);
      case "ping":
        return this.#send({ kind: "pong" });
      case "close":
        return void this.#close();
    }
  }

  report(error: unknown): void {
    this.#send({ kind: "mishap", reason: messageOf(error).slice(0, reasonCharsMax) });
  }

  async #run({ id, method, request }: CallMessage): Promise<void> {
    const controller = new AbortController();
    this.#calls.set(id, controller);
    try {
      const web = await this.#opened();
      const value = await performWebCall(web, method, request, controller.signal);
      if (!this.#calls.has(id)) return;
      const json = JSON.stringify(value ?? null);
      this.#send({ kind: "done", id, value: new JsonText(json) });
      // Left alone the runtime keeps four copies of each page until as much again is in use.
      if (json.length > heavyPageWeight) setImmediate(() => Bun.gc(true));
    } catch (error) {
      if (!this.#calls.has(id)) return;
      const code = error instanceof AppError ? error.code : "system";
      this.#send({ kind: "failed", id, code, message: messageOf(error) });
    } finally {
      this.#calls.delete(id);
    }
  }

  /** Nothing is said of it any more: whoever cancelled does not wait for how it ends. */
  #cancel(id: number): void {
    const controller = this.#calls.get(id);
    this.#calls.delete(id);
    controller?.abort();
  }

  /** A failure to open is the failure of the calls that wait for it; the next one tries again. */
  #opened(): Promise<Web> {
    const options = this.#options;
    if (options === undefined) throw new Error("a call came before the options");
    this.#web ??= Promise.resolve(this.#openWeb(options)).catch((error: unknown) => {
      this.#web = undefined;
      throw error;
    });
    return this.#web;
  }

  async #close(): Promise<void> {
    for (const id of this.#calls.keys()) this.#cancel(id);
    try {
      const web = await this.#web;
      await web?.[Symbol.asyncDispose]();
    } catch (error) {
      this.report(error);
    }
    this.#send({ kind: "closed" });
  }
}

/** Of what a library says; more is its stack or its data. */
const reasonCharsMax = 500;
