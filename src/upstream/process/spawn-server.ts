import { closeSync } from "node:fs";

import { type Libc, loadLibc } from "../../commands/process/libc.ts";
import {
  type CommandExit,
  type LeaderSpec,
  spawnLeader,
} from "../../commands/process/spawn-leader.ts";
import { loadWindowsJobs } from "../../commands/process/windows-job.ts";
import type { ServerDescriptors } from "./descriptor-pipes.ts";

/** What is with the main thread of a server's pipes. */
type SpawnedPipes =
  | { readonly kind: "descriptors"; readonly descriptors: ServerDescriptors; close(): void }
  | { readonly kind: "relayed"; readonly child: RelayedChild };

export type RelayedChild = Bun.Subprocess<"pipe", "pipe", "pipe">;

export interface SpawnedServer {
  readonly pid: number;
  readonly pipes: SpawnedPipes;
  /** When the leader has ended. Never rejects. */
  readonly ended: Promise<CommandExit>;
}

/** Starts a program that leads a process group of its own, with three pipes and no other descriptor. @throws as the system does */
export function spawnServer(spec: LeaderSpec): SpawnedServer {
  const libc = loadLibc();
  return libc === undefined ? spawnRelayed(spec) : spawnOnPipes(spec, libc);
}

function spawnOnPipes(spec: LeaderSpec, libc: Libc): SpawnedServer {
  const open: number[] = [];
  const pipe = (): [number, number] => {
    const ends = libc.createPipe();
    open.push(...ends);
    return ends;
  };
  const exit = Promise.withResolvers<CommandExit>();
  try {
    const [stdin, input] = pipe();
    const [output, stdout] = pipe();
    const [errors, stderr] = pipe();
    const child = spawnLeader(spec, [stdin, stdout, stderr], exit.resolve);
    for (const fd of [stdin, stdout, stderr]) closeSync(fd);
    const pipes = handedDescriptors({ input, output, errors });
    return { pid: child.pid, pipes, ended: exit.promise };
  } catch (error) {
    for (const fd of open) closeSync(fd);
    throw error;
  }
}

function handedDescriptors(descriptors: ServerDescriptors): SpawnedPipes {
  let isOpen = true;
  return {
    kind: "descriptors",
    descriptors,
    close() {
      // Once: the numbers are another's afterwards.
      if (!isOpen) return;
      isOpen = false;
      for (const fd of [descriptors.input, descriptors.output, descriptors.errors]) closeSync(fd);
    },
  };
}

/** Without a C library to make pipes with (Windows): the main thread reads and writes, and passes on. */
export function spawnRelayed(spec: LeaderSpec): SpawnedServer {
  const exit = Promise.withResolvers<CommandExit>();
  const child = spawnLeader(spec, ["pipe", "pipe", "pipe"], exit.resolve) as RelayedChild;
  loadWindowsJobs()?.adopt(child.pid);
  return { pid: child.pid, pipes: { kind: "relayed", child }, ended: exit.promise };
}
