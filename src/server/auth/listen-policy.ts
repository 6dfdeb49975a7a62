/** The address to listen on, and the protection in front of it. */
export interface ListenWish {
  /** The address or name to listen on, for instance `127.0.0.1` or `0.0.0.0`. */
  readonly host: string;
  /** There is a file of static tokens. */
  readonly hasTokens: boolean;
  /** There are keys to check signed tokens with. */
  readonly hasKeySet: boolean;
  /** The server itself speaks TLS. */
  readonly hasTls: boolean;
}

export type ListenDecision =
  | { readonly kind: "allowed"; readonly warnings: readonly string[] }
  | { readonly kind: "refused"; readonly reason: string };

/**
 * Whether we may listen there. The loopback interface needs nothing; every other address needs tokens or keys,
 * because anybody who reaches it can run commands (threats: a bind without authentication).
 */
export function decideListening({
  host,
  hasTokens,
  hasKeySet,
  hasTls,
}: ListenWish): ListenDecision {
  if (isLoopbackHost(host)) return { kind: "allowed", warnings: [] };
  if (!hasTokens && !hasKeySet) return { kind: "refused", reason: refusalText(host) };
  return { kind: "allowed", warnings: hasTls ? [] : [plainTextWarning(host)] };
}

function refusalText(host: string): string {
  return (
    `Listening on "${host}" without authentication is refused: anyone who reaches it could run commands here. ` +
    "Give --token-file or --jwks, make tokens with token add, or listen on 127.0.0.1."
  );
}

function plainTextWarning(host: string): string {
  return (
    `Listening on "${host}" without TLS: tokens and results can be read on the way. ` +
    "Put a TLS proxy in front, or listen on 127.0.0.1."
  );
}

const octet = "(?:25[0-5]|2[0-4]\\d|1?\\d?\\d)";
const loopbackIpv4 = new RegExp(`^127(?:\\.${octet}){3}$`);

/**
 * Whether `host` can only mean this machine: `localhost`, 127.0.0.0/8 in four numbers, or `::1` in any spelling,
 * with or without brackets. Other spellings (`127.1`, `0x7f000001`) are not recognised, which is the safe side.
 */
export function isLoopbackHost(host: string): boolean {
  const name = host.toLowerCase();
  return name === "localhost" || loopbackIpv4.test(name) || isLoopbackIpv6(name);
}

function isLoopbackIpv6(name: string): boolean {
  const address = name.startsWith("[") && name.endsWith("]") ? name.slice(1, -1) : name;
  // Only what looks like an address goes into the URL, where anything else could mean something.
  return /^[0-9a-f:.]+$/.test(address) && URL.parse(`http://[${address}]`)?.hostname === "[::1]";
}
