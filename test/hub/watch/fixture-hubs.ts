import { join } from "node:path";

import { hubPlaceOf } from "../../../src/hub/link/hub-place.ts";
import { status } from "./watch-pair.ts";

/** Hubs of a test in processes of their own, at real sockets. */
export class FixtureHubs implements AsyncDisposable {
  readonly #scorpioxDir: string;
  readonly #children: Bun.Subprocess[] = [];

  constructor(scorpioxDir: string) {
    this.#scorpioxDir = scorpioxDir;
  }

  /** Of this program's build, unless a name is given. Resolves with the process when it listens. */
  async start(given: object = {}, name?: string): Promise<Bun.Subprocess> {
    const child = Bun.spawn(
      [
        process.execPath,
        join(import.meta.dir, "fixture-hub.ts"),
        this.#scorpioxDir,
        name ?? hubPlaceOf(this.#scorpioxDir).name,
        JSON.stringify({ ...status, ...given }),
      ],
      { stdin: "ignore", stdout: "pipe", stderr: "inherit" },
    );
    this.#children.push(child);
    const { done } = await child.stdout.getReader().read();
    if (done) throw new Error("the hub did not start");
    return child;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    for (const child of this.#children) child.kill("SIGKILL");
    await Promise.all(this.#children.map(({ exited }) => exited));
  }
}
