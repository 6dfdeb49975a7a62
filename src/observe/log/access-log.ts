import { constants, write } from "node:fs";
import { open } from "node:fs/promises";

import { AppError, messageOf, systemCodeOf } from "../../base/errors.ts";
import { Flood } from "../../base/flood.ts";
import {
  accessLogEndMsMax,
  accessLogFlushMs,
  accessLogLinesWaitingMax,
  accessLogRefusalsMax,
  auditRefusalWindowMs,
  shownNameCharsMax,
} from "../../base/limits.ts";
import { type LineFile, LineLog } from "../../base/line-log.ts";
import { escapeJson } from "../../base/unsafe-characters.ts";
import type {
  CallObserver,
  ObservedRequest,
  RefusedHttpRequest,
  RequestEnd,
} from "../../calls/call-observer.ts";
import { parseTraceparent } from "../../protocol/headers.ts";

/** Writes a JSON line about every request and every refusal; nothing of arguments and results. Refusals are bounded in rate. */
export class AccessLog implements CallObserver, AsyncDisposable {
  readonly #log: LineLog;
  readonly #refusals: Flood;

  /** @param warn told once that nothing can be written */
  constructor(file: LineFile, warn: (message: string) => void) {
    this.#log = new LineLog({
      file,
      warn,
      name: "access log",
      flushMs: accessLogFlushMs,
      linesWaitingMax: accessLogLinesWaitingMax,
    });
    this.#refusals = new Flood({
      max: accessLogRefusalsMax,
      windowMs: auditRefusalWindowMs,
      onMore: (more) => this.#add({ time: timeText(Date.now()), outcome: "refused", more }),
    });
  }

  /** Lines that could not be written. */
  get lost(): number {
    return this.#log.lostInAll;
  }

  began(): void {}

  ended(request: ObservedRequest, { outcome, ms, bytes }: RequestEnd): void {
    const { facts, begunAt, server } = request;
    const { principal, clientName, address, method, name } = facts;
    const isCall = method === "tools/call";
    this.#add({
      time: timeText(begunAt),
      principal,
      client: shown(clientName),
      address,
      method: shown(method),
      tool: isCall ? shown(request.tool ?? name) : undefined,
      server,
      replica: request.replica,
      outcome,
      ms: Math.round(ms * 10) / 10,
      bytes,
      trace: traceIdOf(request),
    });
  }

  refused({ status, address, principal, tool }: RefusedHttpRequest): void {
    if (!this.#refusals.take()) return;
    const time = timeText(Date.now());
    this.#add({ time, principal, address, tool: shown(tool), outcome: `refused:${status}` });
  }

  /** Writes pending lines, but does not wait long for a disk or a pipe that does not answer. */
  async [Symbol.asyncDispose](): Promise<void> {
    this.#refusals[Symbol.dispose]();
    const { promise, resolve } = Promise.withResolvers<void>();
    const timer = setTimeout(resolve, accessLogEndMsMax);
    await Promise.race([this.#log.flush(), promise]);
    clearTimeout(timer);
  }

  #add(fields: Readonly<Record<string, unknown>>): void {
    this.#log.add(() => escapeJson(JSON.stringify(fields)));
  }
}

function timeText(ms: number): string {
  return new Date(ms).toISOString();
}

/** A text of a client or an MCP server. */
function shown(text: string | undefined): string | undefined {
  return text?.slice(0, shownNameCharsMax);
}

/** The trace id of the own span, else the one that the client brought. */
function traceIdOf({ ownTraceparent, facts }: ObservedRequest): string | undefined {
  const { traceparent, outerTraceparent } = facts;
  const context =
    parseTraceparent(ownTraceparent) ??
    parseTraceparent(traceparent) ??
    parseTraceparent(outerTraceparent);
  return context?.traceId;
}

// Windows has no O_NONBLOCK.
const known: Partial<typeof constants> = constants;
const { O_APPEND = 0, O_CREAT = 0, O_WRONLY = 0, O_NONBLOCK = 0 } = known;

/**
 * Appends lines to a file, which each write opens by its path: after a rotation has renamed it there is a new one, and one that was
 * truncated begins again.
 */
export class AppendFile implements LineFile {
  readonly #path: string;

  constructor(path: string) {
    this.#path = path;
  }

  /** @throws AppError `system` for a path that is not a file, or cannot be written */
  async check(): Promise<void> {
    try {
      await this.append("");
    } catch (error) {
      const reason = messageOf(error);
      throw new AppError("system", `The file of --access-log cannot be written: ${reason}`, {
        cause: error,
      });
    }
  }

  async append(lines: string): Promise<void> {
    // O_NONBLOCK: a pipe without a reader would be waited for.
    const flags = O_APPEND | O_CREAT | O_WRONLY | O_NONBLOCK;
    await using file = await open(this.#path, flags, 0o600);
    if (!(await file.stat()).isFile()) {
      throw new AppError("system", `${this.#path} is not a file; "-" writes to stdout.`);
    }
    if (lines !== "") await file.appendFile(lines);
  }
}

const stdoutFd = 1;
/** How soon a pipe that is full is tried again, in ms. */
const fullPipeMs = 20;

/** Lines to stdout. A reader that is slow is waited for, in another thread. */
export class StdoutFile implements LineFile {
  async append(lines: string): Promise<void> {
    let rest = Buffer.from(lines);
    while (rest.length > 0) {
      const written = await writeSome(rest);
      if (written === 0) await Bun.sleep(fullPipeMs);
      rest = rest.subarray(written);
    }
  }
}

/** Bytes of `data` that were written; 0 when the pipe is full. */
function writeSome(data: Uint8Array): Promise<number> {
  return new Promise((resolve, reject) => {
    write(stdoutFd, data, (error, written) => {
      if (error === null) resolve(written);
      else if (systemCodeOf(error) === "EAGAIN") resolve(0);
      else reject(error);
    });
  });
}
