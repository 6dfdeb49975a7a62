import { expect } from "bun:test";
import { chmodSync } from "node:fs";

import type { CliServices, ServerTrial } from "../../src/cli/command.ts";
import { storePathIn } from "../../src/state/store/open-store.ts";
import type { TriedServer } from "../../src/upstream/server-state.ts";
import { TempTree, type TreeEntry } from "../config/temp-tree.ts";
import { type CommandRun, type CommandRunInput, runIn } from "./fake-io.ts";

export interface Case {
  readonly files?: Readonly<Record<string, TreeEntry>>;
  readonly env?: Readonly<Record<string, string>>;
  readonly services?: Partial<CliServices>;
  readonly words?: readonly string[];
  /** The last preparation, with the tree there. */
  readonly prepare?: (tree: TempTree) => void;
}

export const trial: ServerTrial = {
  initializeMs: 12,
  listMs: 3,
  tools: [{ name: "Bash", description: "Runs a command." }],
  stderr: [],
};

export const program = "home/.scorpiox/scorpiox-code";
export const storeFile = storePathIn("home/.scorpiox");

/** A home in which nothing is wrong, but for what the case changes. */
export async function doctor(
  tree: TempTree,
  { env, services, words = [] }: Case,
  input: Partial<CommandRunInput> = {},
): Promise<CommandRun> {
  return runIn(tree, ["doctor", ...words], {
    env: {
      PATH: tree.path("path"),
      TMPDIR: tree.path("temporary"),
      SCORPIOX_CHROME: tree.path(program),
      ...env,
    },
    services: {
      ownCommand: [tree.path(program)],
      tryClientEntry: () => Promise.resolve(trial),
      triedUpstreams: () => Promise.resolve(new Map()),
      probeSandbox: () =>
        Promise.resolve({
          settings: { mode: "off", hasNetwork: true, writable: [], backend: undefined },
          trials: [{ name: "bubblewrap", hasNetwork: true }],
          used: null,
          refusal: null,
          planMode: [],
        } as never),
      ...services,
    },
    ...input,
  });
}

/** A tree that is not below the folder for temporary files, as far as the program knows. */
export function treeOf({ files = {}, prepare }: Case): TempTree {
  const tree = new TempTree({
    [program]: "#!/bin/sh\n",
    "path/x": "",
    "temporary/x": "",
    ...files,
  });
  chmodSync(tree.path(program), 0o755);
  chmodSync(tree.path("home/.scorpiox"), 0o700);
  prepare?.(tree);
  return tree;
}

export const cursor = (entry: unknown): Record<string, TreeEntry> => ({
  "home/.cursor/mcp.json": JSON.stringify({ mcpServers: { "scorpiox-code": entry } }),
});

export function tried(
  changes: Partial<TriedServer["info"]>,
  isUsable = true,
): Partial<CliServices> {
  const info = {
    name: "docs",
    state: "ready",
    reason: null,
    tools: 3,
    blocked: { pending: 0, changed: 0, denied: 0 },
    ...changes,
  };
  return {
    triedUpstreams: () =>
      Promise.resolve(
        new Map([
          [
            "docs",
            {
              info,
              isUsable,
              steps: [{ name: "start", ms: 5, isDone: true }],
            } as unknown as TriedServer,
          ],
        ]),
      ),
  };
}

export const docs = { "home/.scorpiox/config.toml": '[mcp.servers.docs]\ncommand = "docs"\n' };

/** A fault, and what is said of it. */
export type FaultCase = readonly [name: string, fault: Case, text: RegExp, remedy: RegExp];

export interface JsonFinding {
  readonly area: string;
  readonly state: string;
  readonly text: string;
  readonly remedy: string | null;
  readonly facts?: { readonly tools: unknown };
}

/** What `doctor --json` says. */
export async function findingsOf(tree: TempTree, input: Case): Promise<readonly JsonFinding[]> {
  const { stdout } = await doctor(tree, { ...input, words: [...(input.words ?? []), "--json"] });
  return (JSON.parse(stdout) as { findings: readonly JsonFinding[] }).findings;
}

/** The one fault that the case makes: the text it is told by, and a remedy for it and for all that come with it. */
export async function expectFault(fault: Case, text: RegExp, remedy: RegExp): Promise<void> {
  using tree = treeOf(fault);
  const { exitCode, stdout } = await doctor(tree, {
    ...fault,
    words: [...(fault.words ?? []), "--json"],
  });
  const { findings } = JSON.parse(stdout) as { findings: readonly JsonFinding[] };
  const faults = findings.filter(({ state }) => state === "fault");
  const found = faults.filter((one) => text.test(one.text));
  expect({
    exitCode,
    count: found.length,
    unremedied: faults.filter((one) => one.remedy === null),
  }).toEqual({ exitCode: 1, count: 1, unremedied: [] });
  expect(found[0]?.remedy).toMatch(remedy);
}
