import { openLinuxLibrary } from "../../base/linux-library.ts";

/** So much within so long is a flood. A build that prints a lot stays below it, and `cat` of a large file does not. */
const floodBytesMin = 256 * 1024;
const floodMsMax = 10;

/** Recognizes a flood by the sizes of its pieces and the clock. */
export class FloodMeter {
  #since = Number.NEGATIVE_INFINITY;
  #bytes = 0;

  /** @returns true when the `bytes` that have come now make it a flood */
  add(bytes: number): boolean {
    const now = performance.now();
    if (now - this.#since > floodMsMax) {
      this.#since = now;
      this.#bytes = 0;
    }
    this.#bytes += bytes;
    return this.#bytes >= floodBytesMin;
  }
}

/** Bytes of one read: fewer cost more reads, and more do not save time. */
const readBytes = 256 * 1024;
/** Room for all that comes during a pause of the reader, which a gigabyte a second fills: the writer need not wait. */
const pipeBytesWanted = 1024 * 1024;
const pipeBytesUsual = 64 * 1024;
const pauseMs = 1;
/** All pipes of a user share 64 MiB, and new ones get a page each when these are used up. */
const widePipesMax = 8;
let widePipes = 0;

/**
 * The means to read a flood with few wake-ups and no garbage: a buffer that is read into over and over, a pipe that is wide
 * while it lasts, and pauses in which that fills up.
 */
export class FloodReader implements Disposable {
  readonly buffer = new Uint8Array(readBytes);
  readonly #fd: number;
  readonly #isWide: boolean;
  #isEnding = false;
  #endPause: (() => void) | undefined;

  /** @param fd the read end of a pipe */
  constructor(fd: number) {
    this.#fd = fd;
    this.#isWide = widePipes < widePipesMax && setPipeBytes(fd, pipeBytesWanted);
    if (this.#isWide) widePipes += 1;
  }

  /** True when it is worth a pause to have more than `bytes` to read the next time. A narrow pipe would hold its writer up. */
  isWorthPause(bytes: number): boolean {
    return this.#isWide && bytes < readBytes / 2;
  }

  /** Lets the pipe fill up, unless its writer has ended. */
  pause(): Promise<void> {
    if (this.#isEnding) return Promise.resolve();
    return new Promise((resolve) => {
      const timer = setTimeout(resolve, pauseMs);
      this.#endPause = () => {
        clearTimeout(timer);
        resolve();
      };
    });
  }

  /** No more pauses. */
  end(): void {
    this.#isEnding = true;
    this.#endPause?.();
  }

  /** The buffer is gone at once: a collector that has little else to do would leave it for long. */
  [Symbol.dispose](): void {
    this.buffer.buffer.transfer(0);
    if (!this.#isWide) return;
    widePipes -= 1;
    setPipeBytes(this.#fd, pipeBytesUsual);
  }
}

type Fcntl = (fd: number, command: number, value: number) => number;
const F_SETPIPE_SZ = 1031;
let fcntl: Fcntl | undefined;

/** Linux only. False where the system or its bounds do not have it. */
function setPipeBytes(fd: number, bytes: number): boolean {
  if (process.platform !== "linux") return false;
  fcntl ??= loadFcntl();
  return fcntl(fd, F_SETPIPE_SZ, bytes) >= bytes;
}

function loadFcntl(): Fcntl {
  // Variadic, which the calling conventions of Linux do not care about.
  return openLinuxLibrary({ fcntl: { args: ["i32", "i32", "i32"], returns: "i32" } }).fcntl;
}
