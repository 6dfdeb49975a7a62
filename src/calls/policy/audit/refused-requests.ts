import { auditRefusalsMax, auditRefusalWindowMs } from "../../../base/limits.ts";
import { escapeJson } from "../../../base/unsafe-characters.ts";
import type { AuditLog } from "./audit-log.ts";

/** A request over HTTP that was turned away for its token. */
export interface RefusedRequest {
  /** Of the answer. */
  readonly status: number;
  /** Ours; nothing that the request sent. */
  readonly reason: string;
  /** Where it came from; undefined when that is not known. */
  readonly address: string | undefined;
  /** What it wanted, where the token is good and does not reach that far. */
  readonly tool?: string;
  readonly owner?: string;
}

/** Of tools that do not exist too. */
const toolNameCharsMax = 200;

/**
 * Writes refused tokens into the audit log: each one with a line of its own, up to so many in a minute. What is more is
 * counted, and told in one line when the minute is over; as long as it goes on there is that one line a minute. So whoever
 * sends a flood of bad tokens neither fills the disk nor pushes the lines about calls out of the log.
 */
export class RefusedRequests implements Disposable {
  readonly #log: Pick<AuditLog, "add">;
  readonly #windowMs: number;
  #written = 0;
  #counted = 0;
  /** A minute is being counted, and what it began with. */
  #timer: ReturnType<typeof setTimeout> | undefined;
  #isFlood = false;

  constructor(log: Pick<AuditLog, "add">, windowMs = auditRefusalWindowMs) {
    this.#log = log;
    this.#windowMs = windowMs;
  }

  add({ status, reason, address, tool, owner }: RefusedRequest): void {
    this.#timer ??= setTimeout(() => this.#end(), this.#windowMs);
    this.#timer.unref();
    if (this.#isFlood || this.#written >= auditRefusalsMax) {
      this.#counted += 1;
      return;
    }
    this.#written += 1;
    this.#write({
      ...(address !== undefined && { address }),
      ...(owner !== undefined && { owner }),
      ...(tool !== undefined && { tool: tool.slice(0, toolNameCharsMax) }),
      status,
      reason,
    });
  }

  /** Tells what was only counted. */
  [Symbol.dispose](): void {
    clearTimeout(this.#timer);
    this.#tellCount();
  }

  /** A minute without anything that had to be counted ends a flood. */
  #end(): void {
    this.#timer = undefined;
    this.#isFlood = this.#counted > 0;
    this.#written = 0;
    this.#tellCount();
    if (!this.#isFlood) return;
    this.#timer = setTimeout(() => this.#end(), this.#windowMs);
    this.#timer.unref();
  }

  #tellCount(): void {
    if (this.#counted > 0) this.#write({ more: this.#counted });
    this.#counted = 0;
  }

  #write(fields: Readonly<Record<string, unknown>>): void {
    const time = new Date().toISOString();
    const line = { time, refused: "token", ...fields, decision: "denied", outcome: "refused" };
    this.#log.add(() => escapeJson(JSON.stringify(line)));
  }
}
