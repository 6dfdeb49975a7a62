import { closeSync } from "node:fs";

import { type CommandExit, type LeaderSpec, spawnLeader } from "../../commands/process/command.ts";
import { type Libc, loadLibc } from "../../commands/process/libc.ts";
import { loadWindowsJobs } from "../../commands/process/signals.ts";
import type { ByteReader, ServerPipes } from "./upstream-process.ts";

/** The main thread's ends of a server's pipes. */
type SpawnedPipes =
  | ({ readonly kind: "descriptors"; readonly descriptors: ServerDescriptors } & Disposable)
  | { readonly kind: "relayed"; readonly child: RelayedChild };

export type RelayedChild = Bun.Subprocess<"pipe", "pipe", "pipe">;

export interface SpawnedServer {
  readonly pid: number;
  readonly pipes: SpawnedPipes;
  /** Resolves when the leader has ended. Never rejects. */
  readonly ended: Promise<CommandExit>;
}

/**
 * Starts a program that leads a process group of its own, with three pipes and no other descriptor.
 * @throws the system's error
 */
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
    [Symbol.dispose]() {
      // Only once: the numbers may be reused afterwards.
      if (!isOpen) return;
      isOpen = false;
      for (const fd of [descriptors.input, descriptors.output, descriptors.errors]) closeSync(fd);
    },
  };
}

/** Spawns without a C library that makes pipes (Windows): the main thread relays their bytes. */
export function spawnRelayed(spec: LeaderSpec): SpawnedServer {
  const exit = Promise.withResolvers<CommandExit>();
  const child = spawnLeader(spec, ["pipe", "pipe", "pipe"], exit.resolve) as RelayedChild;
  loadWindowsJobs()?.adopt(child.pid);
  return { pid: child.pid, pipes: { kind: "relayed", child }, ended: exit.promise };
}

/** Descriptors of this process that lead to a server. */
interface ServerDescriptors {
  readonly input: number;
  readonly output: number;
  readonly errors: number;
}

/**
 * Opens the pipes of a server. Before this returns, the runtime makes copies of the descriptors, which end with this
 * thread; the owner of the originals can then close them.
 */
export function openDescriptorPipes(descriptors: ServerDescriptors): ServerPipes {
  const output = readerOf(descriptors.output);
  const errors = readerOf(descriptors.errors);
  const sink = Bun.file(descriptors.input).writer();
  let isEnded = false;
  return {
    // Every answer comes this way: a stream around the stream would cost each of them several promises.
    output: { getReader: () => output.reader },
    errors: streamOf(errors),
    write(text) {
      if (isEnded) return Promise.reject(new Error("its input is closed"));
      try {
        const [written, flushed] = [sink.write(text), sink.flush()];
        if (typeof written === "number" && typeof flushed === "number") return undefined;
        return Promise.all([written, flushed]).then(() => undefined);
      } catch (error) {
        return Promise.reject(error);
      }
    },
    endInput() {
      if (isEnded) return;
      isEnded = true;
      // Unread input is dropped on purpose; the process may be gone as well.
      Promise.resolve(sink.end()).catch(() => {});
    },
    release() {
      this.endInput();
      output.cancel();
      errors.cancel();
    },
  };
}

interface Opened {
  readonly reader: ByteReader;
  cancel(): void;
}

function readerOf(descriptor: number): Opened {
  const reader = Bun.file(descriptor).stream().getReader();
  // The first read makes the copy.
  let first: ReturnType<typeof reader.read> | undefined = reader.read();
  first.catch(() => {});
  return {
    reader: {
      read() {
        const reading = first ?? reader.read();
        first = undefined;
        return reading;
      },
      cancel: () => reader.cancel(),
    },
    cancel: () => void reader.cancel().catch(() => {}),
  };
}

function streamOf({ reader }: Opened): ReadableStream<Uint8Array> {
  return new ReadableStream<Uint8Array>(
    {
      async pull(controller) {
        const { done, value } = await reader.read();
        if (done || value === undefined) controller.close();
        else controller.enqueue(value);
      },
      cancel: () => reader.cancel(),
    },
    { highWaterMark: 0 },
  );
}
