import { messageOf, systemCodeOf } from "../base/errors.ts";

/** Bun's error codes for failures that a reader can do something about. */
const causes: Readonly<Record<string, string>> = {
  ECONNREFUSED: "the connection was refused",
  ConnectionRefused: "the connection was refused",
  ECONNRESET: "the connection was closed before the answer",
  ConnectionClosed: "the connection was closed before the answer",
  ERR_TLS_CERT_ALTNAME_INVALID: "its certificate is for another name",
  CERT_HAS_EXPIRED: "its certificate has expired",
  DEPTH_ZERO_SELF_SIGNED_CERT: "its certificate is self-signed",
  SELF_SIGNED_CERT_IN_CHAIN: "its certificate is signed by an untrusted authority",
  UNABLE_TO_GET_ISSUER_CERT_LOCALLY: "its certificate is signed by an untrusted authority",
  UNABLE_TO_VERIFY_LEAF_SIGNATURE: "its certificate is signed by an untrusted authority",
  ERR_PROXY_TUNNEL: "the proxy refused to connect (check its address and its credentials)",
  ResponseHeadersTooLarge: "its response headers are too large",
  Malformed_HTTP_Response: "its response is not HTTP",
};

/** The cause of a failed request, as the end of "…: ". */
export function fetchFailure(error: unknown): string {
  const code = systemCodeOf(error);
  const known = code === undefined ? undefined : causes[code];
  // Bun's messages contain the dialled URL, which lacks the host name and could contain a credential.
  return known ?? code ?? messageOf(error).split(/\s(?:fetching|https?:\/\/)/)[0] ?? "no answer";
}
