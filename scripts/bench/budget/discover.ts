import { quantile } from "../stats.ts";

const version = "2026-07-28";
const meta = {
  "io.modelcontextprotocol/protocolVersion": version,
  "io.modelcontextprotocol/clientInfo": { name: "bench", version: "1" },
  "io.modelcontextprotocol/clientCapabilities": {},
};
const request = {
  method: "POST",
  headers: {
    "Content-Type": "application/json",
    Accept: "application/json, text/event-stream",
    "MCP-Protocol-Version": version,
    "Mcp-Method": "server/discover",
  },
  body: JSON.stringify({
    jsonrpc: "2.0",
    id: 1,
    method: "server/discover",
    params: { _meta: meta },
  }),
};

/** Median ms of `count` requests, one after the other over one connection. */
export async function discoverOverHttp(url: string, count: number): Promise<number> {
  const times: number[] = [];
  for (let done = 0; done < count; done++) {
    const startedAt = performance.now();
    const response = await fetch(url, request);
    await response.text();
    if (response.status !== 200) throw new Error(`${url} answered ${response.status}`);
    times.push(performance.now() - startedAt);
  }
  return quantile(times, 0.5);
}
