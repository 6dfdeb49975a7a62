import { describe, expect, test } from "bun:test";

import { HubLook } from "../../src/compose/hub-look.ts";
import { TempTree } from "../config/temp-tree.ts";
import { FixtureHubs } from "../hub/watch/fixture-hubs.ts";

const envFile = "home/.scorpiox/scorpiox-env.txt";

/** A look at the hub of a home, and hubs that run there. */
class LookHome implements AsyncDisposable {
  readonly #tree = new TempTree({ [envFile]: "" });
  readonly hubs = new FixtureHubs(this.#tree.path("home/.scorpiox"));

  look(lines = ""): HubLook {
    this.#tree.put(envFile, lines);
    const dirs = {
      homeDir: this.#tree.path("home"),
      scorpioxDir: this.#tree.path("home/.scorpiox"),
      executableDir: this.#tree.path("bin"),
      projectDir: undefined,
    };
    return new HubLook({ dirs, config: this.#tree.load() });
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.hubs[Symbol.asyncDispose]();
    this.#tree[Symbol.dispose]();
  }
}

describe.if(process.platform !== "win32")("[HB9] HubLook", () => {
  test("sees hubs come, go and come again", async () => {
    await using home = new LookHome();
    using look = home.look();
    expect(await look.status()).toBeUndefined();
    const first = await home.hubs.start();
    expect((await look.status())?.pid).toBe(first.pid);
    expect((await look.status())?.pid).toBe(first.pid);
    first.kill("SIGKILL");
    await first.exited;
    expect(await look.status()).toBeUndefined();
    const second = await home.hubs.start();
    // The end of the first link may be reported after it was asked.
    await look.status();
    expect((await look.status())?.pid).toBe(second.pid);
  });

  test("looks for none where HUB is off", async () => {
    await using home = new LookHome();
    await home.hubs.start();
    using off = home.look("HUB=off\n");
    expect(await off.status()).toBeUndefined();
    using auto = home.look();
    expect(await auto.status()).toBeDefined();
  });
});
