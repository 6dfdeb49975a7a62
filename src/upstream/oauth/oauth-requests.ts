import { AppError, messageOf } from "../../base/errors.ts";
import {
  oauthDocumentBytesMax,
  oauthRedirectsMax,
  oauthRequestMsMax,
} from "../../base/upstream-limits.ts";
import { isObject } from "../../base/values.ts";
import { GuardedFetch, type PlainRequest } from "../../network/guarded-fetch.ts";
import type { Destination, HostAccess } from "../../network/judge-host.ts";
import type { Roads } from "../../network/route.ts";
import type { Params } from "../../protocol/json-rpc.ts";
import { allowedUrl, type LoginPlace, OauthReach, refusal } from "./oauth-reach.ts";

export interface OauthReply {
  readonly status: number;
  readonly headers: Headers;
  /** Undefined when it is not a JSON object. */
  readonly body: Params | undefined;
}

/**
 * Sends requests to authorization servers: judges their destination, dials the judged address, and bounds time and
 * size.
 */
export class OauthRequests {
  readonly #fetcher: GuardedFetch;
  readonly #reach: OauthReach;
  readonly #signal: AbortSignal | undefined;

  /** @param place the target of the login */
  constructor(place: LoginPlace, roads: Roads, signal?: AbortSignal) {
    this.#fetcher = new GuardedFetch(roads);
    this.#reach = new OauthReach(place, async (url) => {
      const response = await this.#send({ url }, "The server");
      await response.body?.cancel();
    });
    this.#signal = signal;
  }

  /** Checks an address that the user's browser will open. @throws AppError `refused` */
  async assertAllowed(address: string, what: string): Promise<void> {
    const url = allowedUrl(address, what);
    try {
      await this.#fetcher.judge(url, this.#hostAccess, this.#bounded().signal);
    } catch (error) {
      // The browser may run elsewhere and find a name that this machine does not.
      if (isRefused(error)) throw refusal(`${what}: ${error.message}`);
    }
  }

  /** Follows redirects to allowed addresses. @throws AppError `refused` */
  async get(address: string, what: string): Promise<OauthReply> {
    let url = allowedUrl(address, what);
    const headers = { accept: "application/json" };
    for (let hops = 0; ; hops += 1) {
      const response = await this.#send({ url, headers }, what);
      const location = response.headers.get("location");
      if (response.status < 300 || response.status >= 400 || location === null) {
        return read(response);
      }
      await response.body?.cancel();
      if (hops === oauthRedirectsMax) throw refusal(`${what} is redirected too often.`);
      url = allowedUrl(URL.parse(location, url.href)?.href, what);
    }
  }

  /** Does not follow redirects, since the request may contain a secret. @throws AppError `refused` */
  async post(
    address: string,
    body: URLSearchParams | Params,
    headers: Readonly<Record<string, string>>,
    what: string,
  ): Promise<OauthReply> {
    const url = allowedUrl(address, what);
    const isForm = body instanceof URLSearchParams;
    const type = isForm ? "application/x-www-form-urlencoded" : "application/json";
    const request = {
      url,
      method: "POST" as const,
      headers: { accept: "application/json", "content-type": type, ...headers },
      body: isForm ? body.toString() : JSON.stringify(body),
    };
    return read(await this.#send(request, what));
  }

  /** @throws AppError `refused` */
  async delete(address: string, token: string, what: string): Promise<OauthReply> {
    const url = allowedUrl(address, what);
    const headers = { authorization: `Bearer ${token}` };
    return read(await this.#send({ url, method: "DELETE", headers }, what));
  }

  readonly #hostAccess = (to: Destination): HostAccess => this.#reach.hostAccessOf(to);

  #bounded(): { readonly late: AbortSignal; readonly signal: AbortSignal } {
    const late = AbortSignal.timeout(oauthRequestMsMax);
    return { late, signal: AbortSignal.any([late, ...(this.#signal ? [this.#signal] : [])]) };
  }

  async #send(request: Omit<PlainRequest, "signal">, what: string): Promise<Response> {
    const { late, signal } = this.#bounded();
    const { url } = request;
    try {
      const answer = await this.#fetcher.fetch({ ...request, signal }, this.#hostAccess);
      this.#reach.heard(url, answer.address);
      return answer.response;
    } catch (error) {
      if (isRefused(error)) throw refusal(`${what}: ${error.message}`);
      const why = late.aborted
        ? `no answer within ${oauthRequestMsMax / 1000} s`
        : messageOf(error);
      throw new OauthUnreachable(`${what} cannot be reached at ${url.host}: ${why}.`);
    }
  }
}

function isRefused(error: unknown): error is AppError {
  return error instanceof AppError && error.code === "refused";
}

/** There was no answer; a later request may get one. */
class OauthUnreachable extends Error {
  override readonly name = "OauthUnreachable";
}

async function read(response: Response): Promise<OauthReply> {
  const { status, headers } = response;
  if (headers.get("content-type")?.includes("text/event-stream") === true) {
    // An MCP server without a login answers so, with a stream that may never end.
    await response.body?.cancel();
    return { status, headers, body: undefined };
  }
  return { status, headers, body: parse(await boundedText(response)) };
}

/** The body as text; undefined when it is too long. */
async function boundedText(response: Response): Promise<string | undefined> {
  const chunks: Uint8Array[] = [];
  let bytes = 0;
  try {
    for await (const chunk of response.body ?? []) {
      bytes += chunk.byteLength;
      if (bytes > oauthDocumentBytesMax) return undefined;
      chunks.push(chunk);
    }
  } catch (error) {
    throw new OauthUnreachable(`The answer broke off: ${messageOf(error)}.`);
  }
  return Buffer.concat(chunks).toString();
}

function parse(text: string | undefined): Params | undefined {
  try {
    const value: unknown = JSON.parse(text ?? "");
    return isObject(value) ? value : undefined;
  } catch {
    return undefined;
  }
}
