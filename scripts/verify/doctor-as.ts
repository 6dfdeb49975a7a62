import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { root } from "../../test/e2e/harness/binary.ts";
import { code, pageTable } from "../docs/markdown.ts";
import { replaceBlock } from "../docs/marked-block.ts";
import { realClients } from "../seen/clients.ts";
import { differencesOf, isSeen } from "../seen/compare-doctor.ts";
import { installClient } from "../seen/install-clients.ts";
import { plainClients } from "../seen/plain-clients.ts";
import { type DoctorRecording, doctorSubjects, shell } from "../seen/record-doctor.ts";
import type { Outcome } from "./outcome.ts";
import { hasOwnNetwork, inOwnNetwork } from "./own-network.ts";

const recorder = join(import.meta.dir, "../seen/record-doctor.ts");
const page = join(root, "docs/internals/doctor-as.md");
const clientsMin = 5;

/**
 * Real clients start the product with a server of 150 tools behind it, and show their models what they will: `doctor --as` must
 * have said the same of each. Writes docs/internals/doctor-as.md.
 */
export async function checkDoctorAs(): Promise<Outcome> {
  const name = "doctor --as beside real clients";
  if (!hasOwnNetwork()) {
    const figures = "not recorded: `unshare --net` and `ip` are needed to keep clients on loopback";
    return { name, passed: true, figures, faults: [] };
  }
  const installed = await installs();
  const recordings = await recordAll(installed);
  const rows = doctorSubjects.map(({ title, client }) => {
    const { version, missing } = installed.get(client) ?? { version: "", missing: "unknown" };
    const recording = recordings.find((each) => each.title === title);
    if (recording === undefined)
      return { title, version, missing: missing ?? "not recorded", differences: [] };
    const { seen, facts } = recording;
    const said = seen.fault === undefined ? [] : [seen.fault.slice(0, 400)];
    const differences = [...said, ...differencesOf(facts, seen, [...Object.keys(shell), "HOME"])];
    return { title, version, recording, differences };
  });
  const recorded = rows.filter(({ recording }) => recording !== undefined);
  const failed = rows.filter(({ differences }) => differences.length > 0);
  const passed = failed.length === 0 && recorded.length >= clientsMin;
  if (passed) {
    const cells = rows.flatMap(({ version, recording }) =>
      recording === undefined ? [] : [rowOf(version, recording)],
    );
    const text = readFileSync(page, "utf8");
    await Bun.write(page, replaceBlock(text, "doctor-as", pageTable(headings, cells), page));
  }
  return {
    name,
    passed,
    figures: `${recorded.length - failed.length} of ${recorded.length} clients as doctor says; not available: ${
      rows
        .filter(({ missing }) => missing !== undefined)
        .map(({ title }) => title)
        .join(", ") || "none"
    }`,
    faults: failed.flatMap(({ title, differences }) =>
      differences.slice(0, 8).map((difference) => `${title}: ${difference}`),
    ),
    details: rows.map(({ title, version, missing, differences }) => [
      `${title} ${version}`,
      missing === undefined ? (differences.length === 0 ? "pass" : "FAIL") : "not recorded",
      missing ?? `${differences.length} differences`,
    ]),
  };
}

interface Installed {
  readonly version: string;
  readonly bin?: string;
  readonly missing?: string;
}

async function installs(): Promise<ReadonlyMap<string, Installed>> {
  const plain = (await plainClients()).map(
    ({ id, version, missing }) =>
      [id, { version, bin: "", ...(missing !== undefined && { missing }) }] as const,
  );
  const real = realClients.map((client) => {
    const install = installClient(client);
    const { version } = client;
    return [
      client.id,
      "bin" in install ? { version, bin: install.bin } : { version, missing: install.reason },
    ] as const;
  });
  return new Map<string, Installed>([...plain, ...real]);
}

async function recordAll(
  installed: ReadonlyMap<string, Installed>,
): Promise<readonly DoctorRecording[]> {
  const folder = mkdtempSync(join(tmpdir(), "scorpiox-doctor-as-"));
  const out = join(folder, "recordings.json");
  const there = [...installed].flatMap(([id, { bin, missing }]) =>
    bin === undefined || missing !== undefined ? [] : [`${id}=${bin}`],
  );
  try {
    const command = inOwnNetwork([process.execPath, recorder, out, ...there]);
    const child = Bun.spawn(command, { stdio: ["ignore", "inherit", "inherit"] });
    if ((await child.exited) !== 0) throw new Error("the recorder failed");
    return JSON.parse(readFileSync(out, "utf8")) as readonly DoctorRecording[];
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

const headings = [
  "client",
  "`--as`",
  "revision",
  "declares",
  "Bash is shown as",
  "shown of the tools listed",
  "longest name",
  "longest description",
  "variables passed on",
];

function rowOf(version: string, { title, facts, seen }: DoctorRecording): readonly string[] {
  const names = seen.offered.map(({ name, namespace }) =>
    namespace === undefined ? name : `${namespace}/${name}`,
  );
  const shown = facts.tools.filter(
    (tool) => tool.shown !== null && names.some((each) => isSeen(each, tool.name, tool.shown)),
  );
  const missing = Object.keys(shell).filter((variable) => !(variable in seen.environment));
  const longest = Math.max(0, ...shown.map(({ descriptionChars }) => descriptionChars));
  return [
    `${title}, ${version}`,
    code(doctorSubjects.find((each) => each.title === title)?.as ?? ""),
    seen.version,
    Object.keys(seen.capabilities).toSorted().join(", ") || "nothing",
    code(shown.find((tool) => tool.name === "Bash")?.shown ?? ""),
    `${shown.length} of ${facts.tools.length}`,
    String(Math.max(0, ...names.map((name) => name.length))),
    longest.toLocaleString("en"),
    variablesOf(missing),
  ];
}

/** Whichever is shorter: those that the client passes on, or those that it does not. */
function variablesOf(missing: readonly string[]): string {
  if (missing.length === 0) return "all";
  const passed = [...Object.keys(shell), "HOME"].filter((name) => !missing.includes(name));
  const list = (names: readonly string[]): string => names.toSorted().map(code).join(", ");
  return passed.length < missing.length ? list(passed) : `all but ${list(missing)}`;
}
