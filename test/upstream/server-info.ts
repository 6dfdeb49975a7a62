import type { ServerInfo } from "../../src/upstream/server-state.ts";

/** A server that is connected and offers nothing yet, but for what a test is about. */
export function serverInfo(name: string, more: Partial<ServerInfo> = {}): ServerInfo {
  return {
    name,
    state: "ready",
    reason: null,
    transport: "stdio",
    scope: "global",
    pid: null,
    era: "legacy",
    protocolVersion: "2025-11-25",
    serverVersion: "1",
    tools: 0,
    resources: 0,
    prompts: 0,
    blocked: { pending: 0, changed: 0, denied: 0 },
    starts: 0,
    calls: 0,
    failures: 0,
    resultBytes: 0,
    p50Ms: null,
    p95Ms: null,
    retryInMs: null,
    dropped: 0,
    stderr: [],
    ...more,
  };
}
