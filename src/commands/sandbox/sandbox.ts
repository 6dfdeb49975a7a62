import { lstat, realpath } from "node:fs/promises";

import { AppError } from "../../base/errors.ts";
import type { Confinement } from "../background/command-launcher.ts";
import type { Backend, Backends } from "./backends.ts";
import { type Bounds, noShield, type SandboxMode } from "./backend-arguments.ts";
import {
  type Applied,
  notesOf,
  planNotesOf,
  reasonsOf,
  refusalOf,
  type SandboxSettings,
  stateOf,
  unheldNote,
  unheldState,
} from "./notes.ts";
import {
  findOwnSecrets,
  makeTemporaryFolder,
  openFolders,
  removePrivateFolder,
} from "./sandbox-folders.ts";
import { assertProtectable, findShield, type OwnFolders } from "./shield.ts";
import type { KeptName, StandIns } from "./stand-ins.ts";

export interface SandboxParts {
  readonly settings: SandboxSettings;
  readonly backends: Backends;
  readonly standIns: StandIns;
  readonly own: OwnFolders;
  readonly tmpDir: string;
}

/** One command that is to be confined. */
export interface SandboxRequest {
  readonly cwd: string;
  /** Plan mode is on, with this file: then nothing else may be written. */
  readonly plan: { readonly planFile: string } | undefined;
  /** The command outlives this process. */
  readonly isKept?: boolean;
}

/** Puts commands within the bounds that the user, or plan mode, wants. */
export class Sandbox {
  readonly #parts: SandboxParts;

  constructor(parts: SandboxParts) {
    this.#parts = parts;
  }

  /**
   * @throws AppError `refused` when the user's choice cannot be enforced here; `system` when there is no room for
   * temporary files
   */
  async confine({ cwd, plan, isKept }: SandboxRequest): Promise<Confinement | undefined> {
    const { settings, backends } = this.#parts;
    const { hasNetwork } = settings;
    const mode = plan === undefined ? settings.mode : "read-only";
    if (mode === "off" && hasNetwork) return undefined;
    const chosen = await backends.choose(settings.backend, hasNetwork);
    if ("name" in chosen) return this.#within(chosen, mode, { cwd, plan, isKept: isKept ?? false });
    const reasons = reasonsOf(chosen);
    if (this.#isChosen) throw new AppError("refused", refusalOf(settings, reasons));
    return unconfined(unheldNote(reasons));
  }

  /** The sandbox in which a command would run now, as a clause; undefined = none. */
  async stateFor(plan: SandboxRequest["plan"]): Promise<string | undefined> {
    const { settings, backends } = this.#parts;
    const { hasNetwork } = settings;
    const mode = plan === undefined ? settings.mode : "read-only";
    if (mode === "off" && hasNetwork) return undefined;
    const chosen = await backends.choose(settings.backend, hasNetwork);
    if (!("name" in chosen)) return unheldState(this.#isChosen);
    return stateOf({ backend: chosen.name, mode, hasNetwork, plan });
  }

  /** The rules that plan mode will and will not enforce here. */
  async planNotes(): Promise<readonly string[]> {
    const { settings, backends } = this.#parts;
    const { hasNetwork } = settings;
    const chosen = await backends.choose(settings.backend, hasNetwork);
    if ("name" in chosen) return planNotesOf(chosen.name, hasNetwork);
    const reasons = reasonsOf(chosen);
    return [this.#isChosen ? refusalOf(settings, reasons) : unheldNote(reasons)];
  }

  /** The user wants a sandbox, be there plan mode or not. */
  get #isChosen(): boolean {
    const { mode, hasNetwork } = this.#parts.settings;
    return mode !== "off" || !hasNetwork;
  }

  async #within(
    backend: Backend,
    mode: SandboxMode,
    { cwd, plan, isKept }: Required<SandboxRequest>,
  ): Promise<Confinement> {
    const { settings, own } = this.#parts;
    const { hasNetwork } = settings;
    const wanted = mode === "workspace-write" ? [cwd, ...settings.writable] : [];
    const folders = await openFolders(wanted);
    assertProtectable(folders, own, backend.name);
    const planFile = plan === undefined ? undefined : await regularFile(plan.planFile);
    const hidden = await findOwnSecrets(own.scorpioxDir);
    const made = await this.#prepare(folders, backend.name === "bubblewrap", isKept);
    const writable = [...folders, made.tmpDir, ...(planFile === undefined ? [] : [planFile])];
    const bounds: Bounds = { mode, hasNetwork, cwd, writable, shield: made.shield, hidden };
    const { command, data } = backend.start(bounds);
    const applied: Applied = {
      backend: backend.name,
      mode,
      hasNetwork,
      opensMore: folders.length > 1,
      plan: plan === undefined ? undefined : { planFile },
    };
    return {
      wrap: (argv) => [...command, ...argv],
      env: { TMPDIR: made.tmpDir, TMP: made.tmpDir, TEMP: made.tmpDir },
      ...(data === undefined ? {} : { data }),
      isOverseen: backend.name === "bubblewrap",
      notes: notesOf(applied),
      release: made.release,
      ...(isKept ? { holdings: made.holdings, handOver: made.handOver } : {}),
    };
  }

  /** The resources that must exist before the command starts, and go with it. */
  async #prepare(
    folders: readonly string[],
    isMounted: boolean,
    isKept: boolean,
  ): Promise<Prepared> {
    const { own: ownFolders, standIns } = this.#parts;
    const found = folders.length === 0 ? undefined : await findShield(folders, ownFolders);
    const tmpDir = await makeTemporaryFolder(this.#parts.tmpDir, isKept);
    const held: KeptName[] = [];
    const handOver = async (): Promise<void> => {
      await Promise.all(held.map(({ path }) => standIns.release(path)));
    };
    const release = async (): Promise<void> => {
      await Promise.all([removePrivateFolder(tmpDir), handOver()]);
    };
    const own = { tmpDir, release, handOver, holdings: { tmpDir, standIns: held } };
    if (found === undefined) return { ...own, shield: noShield };
    const { pinned } = found;
    const names = [...found.closed, ...found.missing];
    // Where names are forbidden by rule, nothing needs to be there.
    if (!isMounted) {
      return { ...own, shield: { pinned, closed: names.map(({ path }) => path) } };
    }
    const closed: string[] = [];
    // An existing entry may be a stand-in that its last user removes right now, so a stand-in is requested for it as
    // well.
    const holdings = await Promise.allSettled(names.map((name) => standIns.hold(name)));
    for (const [index, holding] of holdings.entries()) {
      const name = names[index];
      if (holding.status !== "fulfilled" || name === undefined) continue;
      if (holding.value === "held") held.push(name);
      if (holding.value !== "impossible") closed.push(name.path);
    }
    const failed = holdings.find(({ status }) => status === "rejected");
    if (failed?.status === "rejected") {
      await release();
      throw failed.reason;
    }
    return { ...own, shield: { pinned, closed } };
  }
}

/** The resources of one command. */
interface Prepared extends Required<Pick<Confinement, "release" | "holdings" | "handOver">> {
  readonly tmpDir: string;
  readonly shield: Bounds["shield"];
}

/** Undefined for a path that is missing, is not a file, or has further hard links: then it is not opened. */
async function regularFile(path: string): Promise<string | undefined> {
  try {
    // It was kept as a real path: another one is a link that somebody has put in its place.
    if ((await realpath(path)) !== path) return undefined;
    const stats = await lstat(path);
    return stats.isFile() && stats.nlink === 1 ? path : undefined;
  } catch {
    return undefined;
  }
}

function unconfined(note: string): Confinement {
  return {
    wrap: (argv) => argv,
    env: {},
    notes: [note],
    release: () => Promise.resolve(),
  };
}
