import { Flood } from "../../../base/flood.ts";
import { auditRefusalsMax, auditRefusalWindowMs } from "../../../base/limits.ts";
import { escapeJson } from "../../../base/unsafe-characters.ts";
import type { AuditLog } from "./audit-log.ts";

/** A request over HTTP that was turned away for its token. */
export interface RefusedRequest {
  /** The HTTP status of the answer. */
  readonly status: number;
  /** Ours; nothing that the request sent. */
  readonly reason: string;
  /** Where it came from; undefined when that is not known. */
  readonly address: string | undefined;
  /** The tool that was requested, where the token is valid and lacks the scope for it. */
  readonly tool?: string;
  readonly owner?: string;
}

/** Characters that are kept of a tool's name; the tool need not exist. */
const toolNameCharsMax = 200;

/**
 * Writes refused tokens into the audit log: each one with a line of its own, up to a limit for each minute. Those beyond it are
 * counted, and the number is logged when the minute is over, one line for each minute. So an attacker who
 * sends a flood of bad tokens neither fills the disk nor pushes the lines about calls out of the log.
 */
export class RefusedRequests implements Disposable {
  readonly #log: Pick<AuditLog, "add">;
  readonly #flood: Flood;

  constructor(log: Pick<AuditLog, "add">, windowMs = auditRefusalWindowMs) {
    this.#log = log;
    const onMore = (more: number): void => this.#write({ more });
    this.#flood = new Flood({ max: auditRefusalsMax, windowMs, onMore });
  }

  add({ status, reason, address, tool, owner }: RefusedRequest): void {
    if (!this.#flood.take()) return;
    this.#write({
      ...(address !== undefined && { address }),
      ...(owner !== undefined && { owner }),
      ...(tool !== undefined && { tool: tool.slice(0, toolNameCharsMax) }),
      status,
      reason,
    });
  }

  /** Logs the number of those that were only counted. */
  [Symbol.dispose](): void {
    this.#flood[Symbol.dispose]();
  }

  #write(fields: Readonly<Record<string, unknown>>): void {
    const time = new Date().toISOString();
    const line = { time, refused: "token", ...fields, decision: "denied", outcome: "refused" };
    this.#log.add(() => escapeJson(JSON.stringify(line)));
  }
}
