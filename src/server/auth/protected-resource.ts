import { AppError } from "../../base/errors.ts";
import { product } from "../../base/product.ts";

const wellKnown = "/.well-known/oauth-protected-resource";

/** The document that tells clients where to get tokens (RFC 9728 section 2). */
export interface ProtectedResourceMetadata {
  readonly resource: string;
  readonly authorization_servers: readonly string[];
  readonly scopes_supported?: readonly string[];
  readonly bearer_methods_supported: readonly ["header"];
  readonly resource_name: string;
}

/**
 * Brings the URL of our endpoint, as clients write it, into its canonical form: lower-case scheme and host, no
 * trailing slash after the host (2026-07-28 authorization, Canonical Server URI).
 * @throws AppError "usage"
 */
export function parseResource(text: string): string {
  const url = URL.parse(text);
  const fail = (what: string): never => {
    const example = "write it like https://mcp.example.com/mcp";
    throw new AppError("usage", `The URL of this server "${text}" ${what}: ${example}.`);
  };
  if (url === null || !["https:", "http:"].includes(url.protocol))
    return fail("is not an http(s) URL");
  if (url.username !== "" || url.password !== "" || /[?#]/.test(text))
    return fail("has more than a host and a path");
  return url.pathname === "/" ? url.origin : url.href;
}

/**
 * The accepted values of `aud`. Without a path the resource has two spellings, and clients that pass it through a
 * URL parser ask for the one with a slash.
 * @param resource of `parseResource`
 */
export function audiencesOf(resource: string): readonly string[] {
  return new URL(resource).pathname === "/" ? [resource, `${resource}/`] : [resource];
}

/** Where the document of `resource` is: its path follows the well-known one (RFC 9728 section 3.1). */
export function resourceMetadataUrl(resource: string): string {
  const { origin, pathname } = new URL(resource);
  return `${origin}${wellKnown}${pathname === "/" ? "" : pathname}`;
}

/** The paths at which to serve the document: at the root, and with the path of the endpoint after it. */
export function resourceMetadataPaths(resource: string): readonly string[] {
  return [...new Set([wellKnown, new URL(resourceMetadataUrl(resource)).pathname])];
}

/**
 * @param resource of `parseResource`
 * @param issuers the authorization servers, at least one
 * @param scopes none: the member is left out, and clients ask for no scope
 */
export function createResourceMetadata(
  resource: string,
  issuers: readonly string[],
  scopes: readonly string[],
): ProtectedResourceMetadata {
  return {
    resource,
    authorization_servers: issuers,
    ...(scopes.length > 0 && { scopes_supported: scopes }),
    bearer_methods_supported: ["header"],
    resource_name: product.title,
  };
}
