import { createFault, encodeError, errorCodes } from "../../protocol/json-rpc.ts";

/** The complete HTTP answer to a request that may not pass. */
export interface AuthorizationRefusal {
  readonly kind: "refused";
  readonly status: 400 | 401 | 403 | 503;
  readonly headers: Readonly<Record<string, string>>;
  /** A JSON-RPC error without id: the request was not looked at. */
  readonly body: string;
}

/** @param message what happened and what to do next; never anything that the request sent */
export function createRefusal(
  status: AuthorizationRefusal["status"],
  message: string,
  headers: Readonly<Record<string, string>> = {},
): AuthorizationRefusal {
  const code = status === 503 ? errorCodes.internalError : errorCodes.invalidRequest;
  return {
    kind: "refused",
    status,
    headers: { "content-type": "application/json", "cache-control": "no-store", ...headers },
    body: encodeError(undefined, createFault(code, message)),
  };
}
