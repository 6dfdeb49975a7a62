import { product } from "../../base/product.ts";
import type { ConfiguredServer } from "../server-entry.ts";

/** What the user does about a server that wants a login. */
export function loginAdvice({ entry }: Pick<ConfiguredServer, "entry">): string {
  const { launch, name } = entry;
  const headers = launch.transport === "http" ? Object.keys(launch.headers) : [];
  const hasOwn = headers.some((header) => header.toLowerCase() === "authorization");
  return hasOwn
    ? "Put a valid token into the Authorization header of its entry."
    : `Log in: ${product.name} mcp login ${name}.`;
}
