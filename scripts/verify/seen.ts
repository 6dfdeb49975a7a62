import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { seenBy, type ToolResult } from "../../test/e2e/harness/seen-by.ts";
import { realClients } from "../seen/clients.ts";
import { forms } from "../seen/forms.ts";
import { installClient } from "../seen/install-clients.ts";
import { productCalls } from "../seen/product-calls.ts";
import type { ClientRecording } from "../seen/record-all.ts";
import type { Recording } from "../seen/record.ts";
import { unframe } from "../seen/unframe.ts";
import type { Outcome } from "./outcome.ts";
import { hasOwnNetwork, inOwnNetwork } from "./own-network.ts";

const recorder = join(import.meta.dir, "../seen/record-all.ts");

const longChars = 8_000;

/**
 * Real clients call tools of a server that gives results of every form, and tools of the product, as a scripted model on
 * loopback tells them. What they tell that model is held against `seenBy`, which the golden files of test/golden/seen are
 * made with. They run in a network of their own that has nothing but loopback.
 */
export async function checkSeen(): Promise<Outcome> {
  const name = "seen by models";
  if (!hasOwnNetwork()) {
    const figures = "not recorded: `unshare --net` and `ip` are needed to keep clients on loopback";
    return { name, passed: true, figures, faults: [] };
  }
  const installs = realClients.map((client) => ({ client, install: installClient(client) }));
  const there = installs.flatMap(({ client, install }) =>
    "bin" in install ? [`${client.id}=${install.bin}`] : [],
  );
  const recordings = await recordInOwnNetwork(there);
  const details = installs.map(({ client, install }) => {
    const what = `${client.title} ${client.version}`;
    if ("reason" in install) return [what, "not recorded", install.reason] as const;
    const recording = recordings.find(({ id }) => id === client.id);
    const faults = recording === undefined ? ["no recording"] : faultsOf(recording);
    const { clientInfo, version } = recording?.forms ?? {};
    const figures = `clientInfo.name ${String(clientInfo?.["name"])}, revision ${version}`;
    return [what, faults.length === 0 ? "pass" : "FAIL", [figures, ...faults].join("; ")] as const;
  });
  const failed = details.filter(([, result]) => result === "FAIL");
  const calls = forms.length + productCalls.length;
  return {
    name,
    passed: failed.length === 0 && recordings.length > 0,
    figures: `${recordings.length} of ${realClients.length} clients recorded, ${calls} results each`,
    faults: failed.map(([what, , figures]) => `${what}: ${figures}`),
    details,
  };
}

/** Where what a client told its model is not what `seenBy` says. */
function faultsOf({ id, forms: formsRecording, product }: ClientRecording): string[] {
  const named = [
    ...formsRecording.calls.map((call, place) => [forms[place]?.tool.name, call] as const),
    ...product.calls.map((call, place) => [productCalls[place]?.tool, call] as const),
  ];
  const said = [formsRecording, product].flatMap(({ fault }) =>
    fault === undefined ? [] : [fault],
  );
  const isEmpty = product.calls.every(({ given }) => given === undefined);
  if (isEmpty) said.push("no tool of ours was called");
  return [...said, ...named.flatMap(([what, call]) => faultOf(id, String(what), call))];
}

function faultOf(id: string, what: string, { given, told }: Recording["calls"][number]): string[] {
  const client = seenBy.find((each) => each.id === id);
  if (client === undefined) return [`no rule for ${id}`];
  if (told === undefined) return [`${what}: not called`];
  // A tool of the client's own has answered that has the same name.
  if (given === undefined) return [];
  const expected = client.render(given as ToolResult);
  // Each client cuts in a way of its own what is long.
  if (expected.length > longChars) return [];
  const seen = unframe(id, told);
  if (seen.trim() === expected.trim()) return [];
  return [
    `${what}: the model got ${JSON.stringify(seen).slice(0, 300)}, not ${JSON.stringify(expected).slice(0, 300)}`,
  ];
}

async function recordInOwnNetwork(
  installed: readonly string[],
): Promise<readonly ClientRecording[]> {
  const folder = mkdtempSync(join(tmpdir(), "scorpiox-seen-"));
  const out = join(folder, "recordings.json");
  try {
    const command = inOwnNetwork([process.execPath, recorder, out, ...installed]);
    const child = Bun.spawn(command, { stdio: ["ignore", "inherit", "inherit"] });
    if ((await child.exited) !== 0) throw new Error("the recorder failed");
    return JSON.parse(readFileSync(out, "utf8")) as readonly ClientRecording[];
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}
