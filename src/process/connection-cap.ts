import { readdirSync } from "node:fs";

import { connectionLookMs, connectionsMax, descriptorsReserve } from "../base/limits.ts";
import { loadLibc } from "./libc.ts";

export interface ConnectionCapParts {
  /** Of the listening socket. */
  readonly port: number;
  /** Closes connections on which no request is under way. */
  readonly closeIdle: () => void;
  readonly connectionsMax?: number;
  readonly lookMs?: number;
}

/**
 * Keeps the number of connections to `port` within bounds: `Bun.serve` takes any number, and a process without
 * free descriptors can start no command. Looks once a second (10 µs): above the bound idle connections are closed,
 * then the newest others. Linux only, where descriptors can be listed. Returns how to stop.
 */
export function capConnections(parts: ConnectionCapParts): () => void {
  const libc = loadLibc();
  if (libc === undefined || process.platform !== "linux") return () => {};
  // At least half of what there is, where descriptors are scarce.
  const descriptors = libc.descriptorsMax();
  const room = Math.max(descriptors - descriptorsReserve, descriptors / 2);
  const max = Math.min(parts.connectionsMax ?? connectionsMax, Math.floor(room));
  const connections = (): number[] =>
    openDescriptors().filter((fd) => libc.connectedPort(fd) === parts.port);
  const look = (): void => {
    if (openDescriptors().length <= max || connections().length <= max) return;
    parts.closeIdle();
    // Descriptors are given out from below: the highest are, by and large, the newest.
    for (const fd of connections().slice(max)) libc.shutDown(fd);
  };
  const timer = setInterval(look, parts.lookMs ?? connectionLookMs).unref();
  return () => clearInterval(timer);
}

/** In rising order. */
function openDescriptors(): number[] {
  return readdirSync("/proc/self/fd")
    .map(Number)
    .sort((a, b) => a - b);
}
