import { readdirSync } from "node:fs";
import { join } from "node:path";

import { root } from "../../test/e2e/harness/binary.ts";
import { TempFolder } from "../../test/e2e/harness/temp-folder.ts";
import { TrustStore } from "../../src/upstream/trust/trust-store.ts";
import type { Outcome } from "./outcome.ts";

const writer = join(root, "test/fixtures/upstream/pin-writer.ts");
/** Twice what one approval takes here: kills fall into all of its steps. */
const lifeMsMax = 15;

/** Approvals of a process that is killed at any moment: the file is whole after each, and what was acknowledged is in it. */
export async function checkTrustKills(runs: number): Promise<Outcome> {
  using home = new TempFolder();
  const store = new TrustStore(home.path);
  const acknowledged: string[] = [];
  const faults: string[] = [];
  for (let run = 0; run < runs; run++) {
    acknowledged.push(...(await pinUntilKilled(home.path, `run${run}-`)));
    const problem = await store.problem();
    if (problem !== undefined) faults.push(`run ${run}: ${problem}`);
  }
  // Whoever writes next removes what the killed ones left.
  await store.approveLaunch("id", home.path);
  const drafts = readdirSync(home.path).filter((name) => name.endsWith(".tmp"));
  if (drafts.length > 0) faults.push(`${drafts.length} drafts were left`);
  const pins = (await store.pinsOf("id"))?.tools ?? new Map();
  const lost = acknowledged.filter((name) => !pins.has(name));
  if (lost.length > 0) faults.push(`${lost.length} acknowledged approvals are gone`);
  return {
    name: "approvals over kills",
    passed: faults.length === 0,
    figures: `${runs} kills, ${acknowledged.length} acknowledged approvals, ${lost.length} lost`,
    faults,
  };
}

/** The names that it had acknowledged by then. */
async function pinUntilKilled(folder: string, name: string): Promise<readonly string[]> {
  const child = Bun.spawn([process.execPath, writer, folder, name, "1000"], {
    stdio: ["ignore", "pipe", "inherit"],
  });
  const decoder = new TextDecoder();
  let text = "";
  let isDoomed = false;
  for await (const chunk of child.stdout) {
    text += decoder.decode(chunk, { stream: true });
    if (!isDoomed) setTimeout(() => child.kill("SIGKILL"), Math.random() * lifeMsMax);
    isDoomed = true;
  }
  // The last line may be cut.
  return text.split("\n").slice(0, -1);
}
