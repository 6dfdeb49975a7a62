import {
  connectionCloseLookMs,
  connectionLookMs,
  connectionsMax,
  descriptorsLookedAtMax,
  descriptorsReserve,
  descriptorsScarce,
} from "../../base/limits.ts";
import { type Libc, loadLibc } from "./libc.ts";
import { OpenDescriptors } from "./open-descriptors.ts";

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
 * free descriptors can start no command. Looks once a second (10 µs), more often when descriptors run short: above
 * the bound idle connections are closed, then the newest others. Linux only. Returns how to stop.
 */
export function capConnections(parts: ConnectionCapParts): () => void {
  const libc = loadLibc();
  if (libc === undefined || process.platform !== "linux") return () => {};
  const look = createLook(libc, parts);
  let timer: ReturnType<typeof setTimeout>;
  const lookAfter = (ms: number): void => {
    timer = setTimeout(() => lookAfter(look()), ms).unref();
  };
  lookAfter(parts.lookMs ?? connectionLookMs);
  return () => clearTimeout(timer);
}

/** Closes connections above the limit; returns the time of the next check. */
function createLook(libc: Libc, parts: ConnectionCapParts): () => number {
  const { port, closeIdle, lookMs = connectionLookMs } = parts;
  const descriptors = libc.descriptorsMax();
  // At least half of what there is, where descriptors are scarce.
  const room = Math.max(descriptors - descriptorsReserve, descriptors / 2);
  const max = Math.min(parts.connectionsMax ?? connectionsMax, Math.floor(room));
  const open = new OpenDescriptors(libc, Math.min(descriptors, descriptorsLookedAtMax));
  const connections = (): number[] => open.list().filter((fd) => libc.connectedPort(fd) === port);
  return () => {
    const { length } = open.list();
    if (length > max && connections().length > max) {
      closeIdle();
      // Descriptors are given out from below: the highest are, by and large, the newest.
      for (const fd of connections().slice(max)) libc.shutDown(fd);
    }
    const isScarce = descriptors - length < descriptorsScarce;
    return isScarce && length > max / 2 ? Math.min(lookMs, connectionCloseLookMs) : lookMs;
  };
}
