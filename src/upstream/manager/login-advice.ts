import { product } from "../../base/product.ts";
import type { ConfiguredServer } from "../config/server-entry.ts";

/** The advice to the user for a server that wants a login. */
export function loginAdvice({ entry }: Pick<ConfiguredServer, "entry">): string {
  const { launch, name, options } = entry;
  const headers = launch.transport === "http" ? Object.keys(launch.headers) : [];
  const hasOwn = headers.some((header) => header.toLowerCase() === "authorization");
  if (hasOwn) return "Put a valid token into the Authorization header of its entry.";
  return options.oauth?.service === undefined
    ? `Log in: ${product.name} mcp login ${name}.`
    : `It logs in by itself: correct the oauth table of its entry, then try it: ${product.name} mcp login ${name}.`;
}
