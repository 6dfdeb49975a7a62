import { randomHex } from "../../base/digests.ts";
import { loginPageCharsMax } from "../../base/upstream-limits.ts";
import type { Authorizer } from "../../server/auth/authorizer.ts";
import type { RequestGuard } from "../../server/transport/http/request-guard.ts";
import {
  loginPagesPath,
  type LoginPageReply,
  type LoginPageRequest,
  ownLoginsPath,
} from "../../upstream/login-page.ts";

export interface LoginPagesParts {
  /** The origin at which browsers reach this server; undefined: nobody can log in. */
  readonly origin: () => string | undefined;
  readonly guard: Pick<RequestGuard, "checkPage">;
  readonly authorizer: Pick<Authorizer, "authorize">;
  /** Undefined where no entry has logins of principals. */
  readonly answer: (request: LoginPageRequest) => Promise<LoginPageReply | undefined>;
}

const cookieName = "scorpiox_login";
/** Longer than any login takes, in seconds. */
const cookieMaxAgeS = 1800;

/** The pages of this server for browsers, on which a principal logs in to an upstream server (TM2). */
export class LoginPages {
  readonly #parts: LoginPagesParts;

  constructor(parts: LoginPagesParts) {
    this.#parts = parts;
  }

  /** Never rejects. */
  async answer(request: Request, path: string): Promise<Response> {
    const kind = kindOf(request.method, path);
    return kind === undefined ? nothing() : this.#answer(kind, request);
  }

  async #answer(kind: LoginPageRequest["kind"], request: Request): Promise<Response> {
    const origin = this.#parts.origin();
    if (origin === undefined) return nothing();
    const refused = this.#parts.guard.checkPage(request, origin);
    if (refused !== undefined) return refused;
    const isForm = kind === "begin" || kind === "own";
    const fields = isForm ? await formOf(request) : new URL(request.url).search;
    if (fields === undefined || fields.length > loginPageCharsMax) {
      return plain(413, "This is not the form of a login.");
    }
    const known = browserOf(request);
    const browser = known ?? (kind === "show" ? randomHex(32) : "");
    const proof = isForm ? await this.#proof(fields) : { fields };
    const reply = await this.#parts.answer({ kind, browser, ...proof }).catch(() => undefined);
    if (reply === undefined) return nothing();
    const headers = new Headers(pageHeaders);
    if (reply.location !== undefined) headers.set("location", reply.location);
    if (kind === "show" && known === undefined) {
      const secure = origin.startsWith("https:") ? "; Secure" : "";
      const cookie = `${cookieName}=${browser}; Path=${loginPagesPath}; Max-Age=${cookieMaxAgeS}; HttpOnly; SameSite=Lax${secure}`;
      headers.set("set-cookie", cookie);
    }
    return new Response(reply.html, { status: reply.status, headers });
  }

  /** Takes the token out of the form: only whose it is goes on from here. */
  async #proof(text: string): Promise<Pick<LoginPageRequest, "fields" | "proven" | "servers">> {
    const form = new URLSearchParams(text);
    const token = form.get("token");
    form.delete("token");
    const fields = form.toString();
    if (token === null || token === "") return { fields };
    const headers = {
      get: (name: string) => (name === "authorization" ? `Bearer ${token.trim()}` : null),
    };
    const authorization = await this.#parts.authorizer.authorize({ url: loginPagesPath, headers });
    if (authorization.kind !== "ok") return { fields };
    const { id, servers } = authorization.principal;
    return { fields, proven: id, ...(servers !== undefined && { servers: [...servers] }) };
  }
}

function kindOf(method: string, path: string): LoginPageRequest["kind"] | undefined {
  if (method !== "GET" && method !== "POST") return undefined;
  switch (path) {
    case `${loginPagesPath}/callback`:
      return method === "GET" ? "callback" : undefined;
    case `${loginPagesPath}/login`:
      return method === "GET" ? "show" : "begin";
    case ownLoginsPath:
      return method === "GET" ? "logins" : "own";
    default:
      return undefined;
  }
}

/** Undefined for a body of another kind, or of unknown length. */
async function formOf(request: Request): Promise<string | undefined> {
  const isForm = request.headers
    .get("content-type")
    ?.startsWith("application/x-www-form-urlencoded");
  const length = Number(request.headers.get("content-length") ?? Number.NaN);
  if (isForm !== true || !(length <= loginPageCharsMax)) return undefined;
  return request.text().catch(() => undefined);
}

function browserOf(request: Request): string | undefined {
  const cookies = request.headers.get("cookie") ?? "";
  return new RegExp(`(?:^|; )${cookieName}=([0-9a-f]{64})(?:;|$)`).exec(cookies)?.[1];
}

const pageHeaders = {
  "content-type": "text/html; charset=utf-8",
  "content-security-policy":
    "default-src 'none'; style-src 'unsafe-inline'; base-uri 'none'; frame-ancestors 'none'",
  "cache-control": "no-store",
  // Secrets are in its addresses. With no referrer at all, browsers would not say where a form comes from either.
  "referrer-policy": "same-origin",
  "x-content-type-options": "nosniff",
} as const;

function nothing(): Response {
  return plain(404, "There is nothing here.");
}

function plain(status: number, text: string): Response {
  return new Response(`${text}\n`, { status, headers: { "cache-control": "no-store" } });
}
