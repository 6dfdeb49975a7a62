import { nowMs } from "../client/clock.ts";
import { LineBuffer } from "../client/line-buffer.ts";
import { forget, keepTrackOf } from "../client/open-servers.ts";
import { isListening } from "./is-listening.ts";
import { killServer, type Launch, type ServerProcess, spawnServer } from "../client/spawn.ts";

const startMsMax = 30_000;
const lookMs = 1;

/** One HTTP server under measurement: spawned, killed with all that it started. */
export class HttpServer implements Disposable {
  readonly url: string;
  readonly #process: ServerProcess;
  #isClosed = false;

  /**
   * Blocks until the server listens. Throws when it does not say where, or not in time.
   * @param url of a server that is told its port, instead of saying it
   */
  constructor(launch: Launch, url?: string) {
    this.#process = spawnServer(launch);
    keepTrackOf(this);
    const deadlineMs = nowMs() + startMsMax;
    this.url = url ?? this.#readUrl(deadlineMs);
    if (url !== undefined) this.#waitFor(Number(new URL(url).port), deadlineMs);
  }

  get pid(): number {
    return this.#process.pid;
  }

  close(): void {
    if (this.#isClosed) return;
    this.#isClosed = true;
    forget(this);
    killServer(this.#process);
  }

  [Symbol.dispose](): void {
    this.close();
  }

  #waitFor(port: number, deadlineMs: number): void {
    while (!isListening(port)) {
      if (nowMs() > deadlineMs) {
        this.close();
        throw new Error(`the server does not listen at port ${port}`);
      }
      Bun.sleepSync(lookMs);
    }
  }

  #readUrl(deadlineMs: number): string {
    const lines = new LineBuffer();
    while (nowMs() < deadlineMs) {
      if (lines.fill(this.#process.readFd) === 0) break;
      const line = lines.next()?.toString();
      if (line !== undefined) return urlIn(line);
      Bun.sleepSync(lookMs);
    }
    this.close();
    throw new Error("the server did not print where it listens");
  }
}

function urlIn(line: string): string {
  const url = line.slice(line.lastIndexOf(" ") + 1);
  if (URL.canParse(url)) return url;
  throw new Error(`the server printed no URL but ${line.slice(0, 200)}`);
}
