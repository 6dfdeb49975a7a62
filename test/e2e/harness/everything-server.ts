import { fileURLToPath } from "node:url";

import { answering, freePort } from "./free-port.ts";

export const everythingProgram = fileURLToPath(
  import.meta.resolve("@modelcontextprotocol/server-everything/dist/index.js"),
);

export interface EverythingServer extends AsyncDisposable {
  readonly url: string;
}

/**
 * The protocol's reference server over HTTP, on a port that was free a moment ago.
 * @param form `mcp`, or `sse` for that of 2024-11-05
 */
export async function startEverything(form: "mcp" | "sse"): Promise<EverythingServer> {
  const port = freePort();
  const mode = form === "mcp" ? "streamableHttp" : "sse";
  const child = Bun.spawn([process.execPath, everythingProgram, mode], {
    env: { ...process.env, PORT: String(port) },
    stdio: ["ignore", "ignore", "ignore"],
  });
  const origin = `http://127.0.0.1:${port}`;
  await answering(origin);
  return {
    url: `${origin}/${form}`,
    async [Symbol.asyncDispose]() {
      child.kill("SIGKILL");
      await child.exited;
    },
  };
}
