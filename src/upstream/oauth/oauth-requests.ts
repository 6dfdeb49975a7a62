import { decodeResponse, undecoded } from "../../base/decode-response.ts";
import { messageOf } from "../../base/errors.ts";
import {
  oauthDocumentBytesMax,
  oauthRedirectsMax,
  oauthRequestMsMax,
} from "../../base/upstream-limits.ts";
import { isObject, type Params } from "../../protocol/json-rpc.ts";
import { allowedUrl } from "./allowed-url.ts";
import { refusal } from "./oauth-refusal.ts";

export interface OauthReply {
  readonly status: number;
  readonly headers: Headers;
  /** Undefined: it is no JSON object. */
  readonly body: Params | undefined;
}

/** Requests to authorization servers: to allowed addresses only, and bounded in time and size. */
export class OauthRequests {
  readonly #signal: AbortSignal | undefined;

  /** @param allowsLoopback whether addresses on this machine may be asked: the server is on it too */
  constructor(
    readonly allowsLoopback: boolean,
    signal?: AbortSignal,
  ) {
    this.#signal = signal;
  }

  /** Follows redirects to addresses that are allowed. @throws AppError `refused` */
  async get(address: string, what: string): Promise<OauthReply> {
    let url = allowedUrl(address, this.allowsLoopback, what);
    for (let hops = 0; ; hops += 1) {
      const response = await this.#send(url, { headers: { accept: "application/json" } }, what);
      const location = response.headers.get("location");
      if (response.status < 300 || response.status >= 400 || location === null) {
        return read(response);
      }
      await response.body?.cancel();
      if (hops === oauthRedirectsMax) throw refusal(`${what} is redirected again and again.`);
      url = allowedUrl(URL.parse(location, url.href)?.href, this.allowsLoopback, what);
    }
  }

  /** A redirect of a request with a secret in it is not followed. @throws AppError `refused` */
  async post(
    address: string,
    body: URLSearchParams | Params,
    headers: Readonly<Record<string, string>>,
    what: string,
  ): Promise<OauthReply> {
    const url = allowedUrl(address, this.allowsLoopback, what);
    const isForm = body instanceof URLSearchParams;
    const type = isForm ? "application/x-www-form-urlencoded" : "application/json";
    const init = {
      method: "POST",
      headers: { accept: "application/json", "content-type": type, ...headers },
      body: isForm ? body.toString() : JSON.stringify(body),
    };
    return read(await this.#send(url, init, what));
  }

  /** @throws AppError `refused` */
  async delete(address: string, token: string, what: string): Promise<OauthReply> {
    const url = allowedUrl(address, this.allowsLoopback, what);
    const headers = { authorization: `Bearer ${token}` };
    return read(await this.#send(url, { method: "DELETE", headers }, what));
  }

  async #send(url: URL, init: RequestInit, what: string): Promise<Response> {
    const signals = [AbortSignal.timeout(oauthRequestMsMax)];
    if (this.#signal !== undefined) signals.push(this.#signal);
    try {
      const signal = AbortSignal.any(signals);
      const request = undecoded({ ...init, redirect: "manual", signal });
      return decodeResponse(await fetch(url, request));
    } catch (error) {
      const isLate = signals[0]?.aborted === true;
      const why = isLate ? `no answer within ${oauthRequestMsMax / 1000} s` : messageOf(error);
      throw new OauthUnreachable(`${what} cannot be reached at ${url.host}: ${why}.`);
    }
  }
}

/** Nobody answered; it may be otherwise later. */
class OauthUnreachable extends Error {
  override readonly name = "OauthUnreachable";
}

async function read(response: Response): Promise<OauthReply> {
  const { status, headers } = response;
  if (headers.get("content-type")?.includes("text/event-stream") === true) {
    // An MCP server that wants no login answers so, and may never end.
    await response.body?.cancel();
    return { status, headers, body: undefined };
  }
  return { status, headers, body: parse(await boundedText(response)) };
}

/** Undefined when it is too long. */
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
