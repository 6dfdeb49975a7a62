import { AppError } from "../base/errors.ts";

/** The paths of HTTP+SSE: its stream, and its messages. */
export interface SsePairPaths {
  readonly stream: string;
  readonly messages: string;
}

/** @throws AppError `usage` for an invalid path, or one that the server already uses */
export function parsePath(path: string, hasMetrics: boolean): string {
  if (!isPath(path))
    throw new AppError("usage", `--path ${path} is not a path: write it like /mcp.`);
  const owner = ownerOf(path, hasMetrics);
  if (owner === undefined) return path;
  throw new AppError(
    "usage",
    `--path ${path} is taken by ${owner}: use another path, such as /mcp.`,
  );
}

function isPath(path: string): boolean {
  // Clients take dots out before they send.
  const hasDots = path.split("/").some((part) => part === "." || part === "..");
  return /^\/[\w\-./~]*$/.test(path) && !path.includes("//") && !hasDots;
}

function ownerOf(path: string, hasMetrics: boolean): string | undefined {
  if (path === "/healthz" || path === "/readyz") return "the health check";
  if (path === "/metrics" && hasMetrics) return "--metrics";
  if (`${path}/`.startsWith("/.well-known/")) return "the documents for authorization";
  return undefined;
}

/**
 * The paths of `--sse`, in the folder of `path`.
 * @throws AppError `usage` when one of them is `path`
 */
export function pairBeside(path: string): SsePairPaths {
  const folder = path.slice(0, path.lastIndexOf("/") + 1);
  const pair = { stream: `${folder}sse`, messages: `${folder}messages` };
  if (path !== pair.stream && path !== pair.messages) return pair;
  throw new AppError(
    "usage",
    `--path ${path} is served by --sse: use another path, or drop --sse.`,
  );
}
