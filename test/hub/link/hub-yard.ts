import { existsSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

import type { HubLink, HubPurpose } from "../../../src/hub/link/hub-link.ts";
import { type HubPlace, hubPlaceOf } from "../../../src/hub/link/hub-place.ts";
import { factsOf } from "../../../src/hub/link/process-facts.ts";
import { type ReachOptions, reachHub } from "../../../src/hub/link/reach-hub.ts";
import type { HubStart } from "../../../src/hub/link/start-hub.ts";
import { until } from "../../commands/process/until.ts";

const hubFixture = join(import.meta.dir, "fixtures/hub.ts");

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

/** A place for hubs of the fixture, which ends with the test. */
export class HubYard implements AsyncDisposable {
  readonly scorpioxDir = mkdtempSync(join(tmpdir(), "scorpiox-hub-"));
  readonly place: HubPlace = hubPlaceOf(this.scorpioxDir);
  /** Hubs that were seen; each runs until the end at the latest. */
  readonly #hubs = new Map<number, string>();

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
    this.#hubs.set(pid, factsOf(pid)?.start ?? "");
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

  /** The lines of the hub's log. */
  get log(): readonly string[] {
    const { logFile } = this.place;
    return existsSync(logFile) ? readFileSync(logFile, "utf8").split("\n") : [];
  }

  async [Symbol.asyncDispose](): Promise<void> {
    for (const [pid, start] of this.#hubs) {
      if (factsOf(pid)?.start === start) process.kill(pid, "SIGKILL");
      await until(() => factsOf(pid)?.start !== start || factsOf(pid)?.state === "ended");
    }
    rmSync(this.scorpioxDir, { recursive: true, force: true });
  }
}
