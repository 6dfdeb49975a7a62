import { expect, setDefaultTimeout, test } from "bun:test";
import { existsSync, openSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";

import { hubArgument } from "../../src/base/product.ts";
import { ensureBuilt, productBinary } from "./harness/binary.ts";
import { eventually } from "./harness/conditions.ts";
import { testMsMax } from "./harness/platform.ts";
import { runProduct } from "./harness/run-product.ts";
import { TempFolder } from "./harness/temp-folder.ts";

setDefaultTimeout(testMsMax);
ensureBuilt(productBinary);

const fullDevice = "/dev/full";
const linuxTest = test.skipIf(process.platform !== "linux");

/** A hub whose log is on a full disk. */
function startHub(home: TempFolder): Bun.Subprocess {
  const given = {
    scorpioxDir: home.at(".scorpiox"),
    homeDir: home.path,
    shellPath: null,
    idleS: 60,
  };
  return Bun.spawn([productBinary, hubArgument, JSON.stringify(given)], {
    cwd: "/",
    env: { HOME: home.path, PATH: process.env["PATH"] },
    stdio: ["ignore", "ignore", openSync(fullDevice, "w")],
  });
}

async function socketIn(home: TempFolder): Promise<string> {
  const run = home.at(".scorpiox/run");
  return eventually("a hub that listens", () => {
    const [place = ""] = existsSync(run) ? readdirSync(run) : [];
    const lock = join(run, place, "lock");
    const text = existsSync(lock) ? readFileSync(lock, "utf8") : "";
    return text.includes("socket") ? (JSON.parse(text).socket as string) : undefined;
  });
}

linuxTest("a hub goes on when its log cannot be written", async () => {
  using home = new TempFolder();
  const hub = startHub(home);
  try {
    const socket = await socketIn(home);
    // Refused, which it logs.
    const refused = Promise.withResolvers<string>();
    await Bun.connect({
      unix: socket,
      socket: { data: (_, bytes) => refused.resolve(bytes.toString()), close: () => {} },
    });
    expect(await refused.promise).toContain("it runs another program than the hub");
    const { stdout } = await runProduct(home, ["hub", "status", "--json"]);
    expect(JSON.parse(stdout)).toMatchObject({ hub: { pid: hub.pid }, problem: null });
  } finally {
    hub.kill("SIGKILL");
    await hub.exited;
  }
});

linuxTest("a hub that cannot begin ends", async () => {
  using home = new TempFolder();
  home.write(".scorpiox/run", "not a folder");
  expect(await startHub(home).exited).toBe(1);
});
