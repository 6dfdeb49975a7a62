import { expect, test } from "bun:test";

import { signalBelow } from "../../../src/commands/process/family.ts";
import { until } from "./until.ts";

/** An overseer, its first process, and below that what is asked: two shells that say so. */
const tree = `sh -c 'sh -c "$ASKED" & sh -c "$ASKED" & wait' & wait; echo overseer lives`;
const env = { ASKED: "trap 'echo asked; exit' TERM; echo up; while :; do sleep 0.01; done" };

test.skipIf(process.platform !== "linux")(
  "signalBelow() asks what an overseer runs and not the overseer",
  async () => {
    const overseer = Bun.spawn(["sh", "-c", tree], {
      env: { ...process.env, ...env },
      stdout: "pipe",
      stderr: "ignore",
    });
    let said = "";
    const reading = (async () => {
      for await (const chunk of overseer.stdout) said += new TextDecoder().decode(chunk);
    })();
    await until(() => said === "up\nup\n");
    expect(signalBelow(overseer.pid, "SIGTERM")).toBe(true);
    await reading;
    expect(said).toBe("up\nup\nasked\nasked\noverseer lives\n");
    await overseer.exited;
    expect(signalBelow(overseer.pid, "SIGTERM")).toBe(false);
  },
);
