import { expect } from "bun:test";
import { mkdtempSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { isProcessAlive } from "../../../src/commands/process/processes.ts";
import { ExclusiveServers } from "../../../src/hub/link/exclusive-servers.ts";
import type { ExclusiveHold, HoldExclusive } from "../../../src/upstream/manager/shared-runtime.ts";
import { upstreamLaunch } from "../../fixtures/upstream/launch.ts";
import { posixTest } from "../../e2e/harness/platform.ts";
import { until } from "../../upstream/connect/open-scripted.ts";
import { type Hub, openHub } from "../../upstream/manager/open-hub.ts";
import { type Configured, type Opened, textOfReply } from "../../upstream/manager/open-work.ts";
import { firstLine } from "./hub-yard.ts";

/** The folder of locks of one user and machine, with hubs of several versions. */
class Machine implements Disposable {
  readonly folder = mkdtempSync(join(tmpdir(), "scorpiox-exclusive-"));
  readonly log: string[] = [];
  clients = 2;

  hub(version: string, folder = this.folder): ExclusiveServers {
    const clients = (): number => this.clients;
    return new ExclusiveServers({ folder, version, clients, log: (line) => this.log.push(line) });
  }

  [Symbol.dispose](): void {
    rmSync(this.folder, { recursive: true, force: true });
  }
}

/** Who holds what was refused; undefined when it was granted. */
function holderIn(hold: ExclusiveHold): string | undefined {
  return hold.kind === "refused" ? hold.holder : undefined;
}

/** Ends a hold that was granted. */
function end(hold: ExclusiveHold): void {
  if (hold.kind === "granted") hold.right[Symbol.dispose]();
}

posixTest("HB8: what one hub holds, no other one has, until its last process is gone", () => {
  using machine = new Machine();
  const [old, young] = [machine.hub("1.0"), machine.hub("2.0")];
  const holds = [old.hold("profile"), old.hold("profile")] as const;
  const other = old.hold("port");
  const held = `the hub of version 1.0 (process ${process.pid}) still runs it for 2 clients`;
  expect(holderIn(young.hold("profile"))).toBe(held);
  machine.clients = 1;
  old.retell();
  expect(holderIn(young.hold("profile"))).toBe(held.replace("2 clients", "1 client"));
  end(holds[0]);
  end(holds[0]);
  expect(young.hold("profile").kind).toBe("refused");
  end(holds[1]);
  const taken = young.hold("profile");
  expect([taken.kind, holderIn(old.hold("profile"))]).toEqual([
    "granted",
    expect.stringContaining("2.0"),
  ]);
  end(taken);
  end(other);
  expect([readdirSync(machine.folder), machine.log]).toEqual([[], []]);
});

posixTest("HB8: what is left of a hub that was killed keeps nobody from starting", async () => {
  using machine = new Machine();
  const holder = Bun.spawn(
    [process.execPath, join(import.meta.dir, "fixtures/holder.ts"), machine.folder, "profile"],
    { stdio: ["pipe", "pipe", "inherit"] },
  );
  expect(await firstLine(holder.stdout)).toBe("granted");
  const young = machine.hub("2.0");
  expect(holderIn(young.hold("profile"))).toContain(`version 1.0 (process ${holder.pid})`);
  holder.kill("SIGKILL");
  await holder.exited;
  expect(readdirSync(machine.folder)).toHaveLength(1);
  expect(young.hold("profile").kind).toBe("granted");
});

posixTest("HB8: without a usable folder for locks, a server starts, and the log says so", () => {
  using machine = new Machine();
  writeFileSync(join(machine.folder, "file"), "");
  const hub = machine.hub("1.0", join(machine.folder, "file", "locks"));
  expect(hub.hold("profile").kind).toBe("granted");
  expect(machine.log).toEqual([
    expect.stringMatching(/^A server starts although another hub may run it: .*ENOTDIR/),
  ]);
});

/** A server that the table marks: the last word of its command line names it. */
function database(script: object): Configured {
  return { args: [...upstreamLaunch(script).args, "mcp-server-sqlite"] };
}

const sqlite = database({ tools: ["pid", "echo"] });

/** Two hubs of a machine, each with a client that has no connection so far but knows the server's tools. */
async function twoHubs(
  machine: Machine,
  onLook = (): void => {},
): Promise<readonly [Hub, Hub] & AsyncDisposable> {
  const [first, second] = [machine.hub("1.0"), machine.hub("2.0")];
  const hold: HoldExclusive = (identity) => {
    onLook();
    return second.hold(identity);
  };
  const hubs = [
    await openHub(undefined, undefined, first.hold),
    await openHub(undefined, undefined, hold),
  ] as const;
  for (const hub of hubs) {
    await hub.configure({ one: sqlite });
    const client = await hub.client();
    expect(textOfReply(await client.call("one", "pid"))).toMatch(/^\d+$/);
    await client.work[Symbol.asyncDispose]();
  }
  return Object.assign(hubs, {
    async [Symbol.asyncDispose]() {
      for (const hub of hubs) await hub[Symbol.asyncDispose]();
    },
  });
}

const toolsOf = (client: Opened): readonly string[] =>
  client
    .snapshot()
    .tools.map(({ tool }) => tool)
    .sort();

posixTest("HB8: a server that another hub runs starts when that one has ended it", async () => {
  using machine = new Machine();
  let looks = 0;
  await using hubs = await twoHubs(machine, () => looks++);
  const [old, young] = hubs;
  const first = await old.client();
  const pid = Number(textOfReply(await first.call("one", "pid")));
  const before = young.pids().length;

  const second = await young.client();
  await second.call("one", "echo");
  const { reason } = await second.reach("one", "backoff");
  expect(reason).toBe(
    `the hub of version 1.0 (process ${process.pid}) still runs it for 2 clients, and it writes one database file. It starts here once that hub has ended it`,
  );
  expect(toolsOf(second)).toEqual(["echo", "pid"]);
  for (let calls = 0; calls < 20; calls++) {
    const reply = textOfReply(await second.call("one", "echo", { text: "hello" }));
    expect(reply).toStartWith(`backoff: The server one cannot be reached: ${reason}.`);
  }
  expect([young.pids().length, isProcessAlive(pid)]).toEqual([before, true]);
  // To wait is no failure: it does not happen more and more seldom, and is said once.
  const [said, looked] = [second.logs.length, looks];
  await until(() => looks >= looked + 10);
  expect([second.logs.length, second.info("one")?.starts]).toEqual([said, 0]);

  await first.work[Symbol.asyncDispose]();
  expect(isProcessAlive(pid)).toBe(false);
  await second.reach("one", "ready");
  expect(textOfReply(await second.call("one", "pid"))).toMatch(/^\d+$/);
  // Now it is the other way round.
  const third = await old.client();
  expect(textOfReply(await third.call("one", "pid"))).toContain("the hub of version 2.0 ");
});

posixTest("HB8: a call finds a server that has just become free at once", async () => {
  using machine = new Machine();
  await using hubs = await twoHubs(machine);
  const [old, young] = hubs;
  const first = await old.client();
  await first.call("one", "pid");
  const second = await young.client();
  expect(textOfReply(await second.call("one", "pid"))).toStartWith("backoff: ");
  await first.work[Symbol.asyncDispose]();
  expect(textOfReply(await second.call("one", "pid"))).toMatch(/^\d+$/);
});

posixTest(
  "HB8: one hub runs a process for each of its clients, and lets go with the last",
  async () => {
    using machine = new Machine();
    await using hubs = await twoHubs(machine);
    const [old, young] = hubs;
    await old.configure({ one: { ...sqlite, isolation: "session" } });
    const [first, other] = [await old.client(), await old.client()];
    const pids = await Promise.all([first, other].map((client) => client.call("one", "pid")));
    expect(new Set(pids.map(textOfReply)).size).toBe(2);
    const second = await young.client();
    await first.work[Symbol.asyncDispose]();
    expect(textOfReply(await second.call("one", "pid"))).toStartWith("backoff: ");
    await other.work[Symbol.asyncDispose]();
    expect(textOfReply(await second.call("one", "pid"))).toMatch(/^\d+$/);
  },
);

posixTest(
  "HB8: a server that only one hub may run does not wait for another client of its hub",
  async () => {
    using machine = new Machine();
    await using hub = await openHub(undefined, 3_600_000, machine.hub("1.0").hold);
    await using other = await openHub(undefined, 3_600_000, machine.hub("2.0").hold);
    await other.configure({ one: sqlite });
    await hub.configure({ one: sqlite });
    const client = await hub.client();
    const pid = Number(textOfReply(await client.call("one", "pid")));
    const waiting = await other.client();
    expect(textOfReply(await waiting.call("one", "pid"))).toStartWith("backoff: ");
    await waiting.work[Symbol.asyncDispose]();
    expect([readdirSync(machine.folder).length, other.shared.pool.size]).toEqual([1, 0]);
    await client.work[Symbol.asyncDispose]();
    expect([isProcessAlive(pid), hub.shared.pool.size]).toEqual([false, 0]);
    expect(readdirSync(machine.folder)).toEqual([]);
  },
);
