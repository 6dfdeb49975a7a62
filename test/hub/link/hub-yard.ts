import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

import type { HubLink, HubPurpose } from "../../../src/hub/link/hub-link.ts";
import { type HubPlace, hubPlaceOf } from "../../../src/hub/link/hub-place.ts";
import { factsOf } from "../../../src/hub/link/process-facts.ts";
import { type ReachOptions, reachHub } from "../../../src/hub/link/reach-hub.ts";
import type { HubStart } from "../../../src/hub/link/start-hub.ts";
import { until } from "../../commands/process/until.ts";

const hubFixture = join(import.meta.dir, "fixtures/hub.ts");

const clientFixture = join(import.meta.dir, "fixtures/client.ts");

/** A client of the hub, and all that it has heard. */
export interface TestClient {
  readonly link: HubLink;
  readonly pid: number;
  readonly generation: number;
  readonly heard: readonly string[];
  readonly closed: Promise<string>;
  /** Sends a text and gives the answer to it. */
  ask(text: string): Promise<string>;
}

/** A client process of its own. */
interface ClientProcess {
  readonly hub: Promise<string>;
  end(): Promise<void>;
  kill(): Promise<void>;
}

/** A place for hubs of the fixture, which ends with the test. */
export class HubYard implements AsyncDisposable {
  readonly #folder = mkdtempSync(join(tmpdir(), "scorpiox-hub-"));
  readonly scorpioxDir: string;
  readonly place: HubPlace;
  /** Hubs that were seen; each runs until the end at the latest. */
  readonly #hubs = new Map<number, string>();

  /** @param below folders in which the data are */
  constructor(below = "data") {
    this.scorpioxDir = join(this.#folder, below);
    mkdirSync(this.scorpioxDir);
    this.place = hubPlaceOf(this.scorpioxDir);
  }

  /** How the fixture is started, which does what `what` says. */
  start(what = "", env: HubStart["env"] = { PATH: process.env["PATH"] }): HubStart {
    return {
      env,
      user: { name: "user", homeDir: "/home/user", shell: null },
      args: [this.scorpioxDir, this.place.name, what],
      command: [process.execPath, hubFixture],
    };
  }

  async reach(options: Partial<ReachOptions> = {}): Promise<TestClient> {
    const client = await this.tryToReach({ start: this.start(), ...options });
    if (client === undefined) throw new Error("there is no hub");
    return client;
  }

  async tryToReach(options: Partial<ReachOptions> = {}): Promise<TestClient | undefined> {
    const heard: string[] = [];
    const closed = Promise.withResolvers<string>();
    const purpose: HubPurpose = "watch";
    const reached = await reachHub(this.place, {
      purpose,
      clientKey: "test-client",
      signal: new AbortController().signal,
      handlers: { onText: (text) => heard.push(text), onClosed: closed.resolve },
      ...options,
    });
    if (reached === undefined) return undefined;
    const { link, pid, generation } = reached;
    this.#see(pid);
    return {
      link,
      pid,
      generation,
      heard,
      closed: closed.promise,
      async ask(text) {
        const wanted = `${pid}:${generation}:${text}`;
        link.send(text);
        await until(() => heard.includes(wanted));
        return wanted;
      },
    };
  }

  /** Client processes that start at once, and the hub that each has reached as `pid generation`. */
  startClients(count: number): readonly ClientProcess[] {
    const words = JSON.stringify(this.start());
    return Array.from({ length: count }, () => {
      const child = Bun.spawn([process.execPath, clientFixture, this.place.name, words], {
        stdio: ["pipe", "pipe", "inherit"],
      });
      const hub = firstLine(child.stdout).then((line) => {
        this.#see(Number(line.split(" ")[0]));
        return line;
      });
      return {
        hub,
        async end(): Promise<void> {
          await child.stdin.end();
          await child.exited;
        },
        async kill(): Promise<void> {
          child.kill("SIGKILL");
          await child.exited;
        },
      };
    });
  }

  /** The lines of the hub's log. */
  get log(): readonly string[] {
    const { logFile } = this.place;
    return existsSync(logFile) ? readFileSync(logFile, "utf8").split("\n") : [];
  }

  #see(pid: number): void {
    const start = factsOf(pid)?.start;
    if (pid !== process.pid && start !== undefined) this.#hubs.set(pid, start);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    for (const [pid, start] of this.#hubs) {
      if (factsOf(pid)?.start === start) process.kill(pid, "SIGKILL");
      await until(() => factsOf(pid)?.start !== start || factsOf(pid)?.state === "ended");
    }
    rmSync(this.#folder, { recursive: true, force: true });
  }
}

/** What a process writes up to its first line end, or its end. */
export async function firstLine(stream: ReadableStream<Uint8Array>): Promise<string> {
  let text = "";
  for await (const chunk of stream) {
    text += Buffer.from(chunk).toString();
    if (text.includes("\n")) break;
  }
  return text.split("\n")[0] ?? "";
}
