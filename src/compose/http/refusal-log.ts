import { join } from "node:path";

import { Lazy } from "../../base/lazy.ts";
import { parseOwnJson } from "../../base/values.ts";
import type { AuditLog } from "../../calls/policy/audit/audit-log.ts";
import type { RefusedRequest, RefusedRequests } from "../../calls/policy/audit/refused-requests.ts";
import { type Authorization, hasTokenInQuery } from "../../server/auth/authorizer.ts";

interface OpenLog {
  readonly log: AuditLog;
  readonly refused: RefusedRequests;
}

interface RefusalLogParts {
  readonly scorpioxDir: string;
  /** The audit log is switched on. */
  readonly isOn: boolean;
  readonly warn: (message: string) => void;
  readonly addressOf: (request: Request) => string | undefined;
}

/** Has requests that were turned away for their token written into the audit log; loaded with the first of them. */
export class RefusalLog implements AsyncDisposable {
  readonly #parts: RefusalLogParts;
  readonly #open: Lazy<OpenLog> = new Lazy(() => this.#make());

  constructor(parts: RefusalLogParts) {
    this.#parts = parts;
  }

  /** `authorization` itself. A request without a token is how clients find out that they need one: nothing to write. */
  watch(
    request: Request,
    authorization: Authorization | Promise<Authorization>,
  ): Authorization | Promise<Authorization> {
    if (!this.#parts.isOn) return authorization;
    if (authorization instanceof Promise) {
      return authorization.then((settled) => this.#seen(request, settled));
    }
    return this.#seen(request, authorization);
  }

  /** Never waits and never fails. */
  add(request: Omit<RefusedRequest, "address">, address?: string): void {
    if (!this.#parts.isOn) return;
    const add = ({ refused }: OpenLog): void => refused.add({ ...request, address });
    const { made } = this.#open;
    if (made !== undefined) return add(made);
    this.#open.get().then(add, () => {});
  }

  /** Writes pending lines. */
  async [Symbol.asyncDispose](): Promise<void> {
    const made = await this.#open.making?.catch(() => undefined);
    made?.refused[Symbol.dispose]();
    await made?.log.flush();
  }

  #seen(request: Request, authorization: Authorization): Authorization {
    if (authorization.kind === "ok") return authorization;
    const { status, body, log } = authorization;
    if (status === 401 && !hasToken(request)) return authorization;
    const about = log ?? { reason: messageIn(body) };
    this.add({ status, ...about }, this.#parts.addressOf(request));
    return authorization;
  }

  async #make(): Promise<OpenLog> {
    const [{ AuditFile }, { AuditLog: Log }, { RefusedRequests: Refused }] = await Promise.all([
      import("../../calls/policy/audit/audit-file.ts"),
      import("../../calls/policy/audit/audit-log.ts"),
      import("../../calls/policy/audit/refused-requests.ts"),
    ]);
    const { scorpioxDir, warn } = this.#parts;
    const log = new Log(new AuditFile(join(scorpioxDir, "audit")), warn);
    return { log, refused: new Refused(log) };
  }
}

function hasToken({ headers, url }: Request): boolean {
  return headers.has("authorization") || hasTokenInQuery(url);
}

/** The message in an own answer. */
function messageIn(body: string): string {
  return parseOwnJson<{ readonly error: { readonly message: string } }>(body).error.message;
}
