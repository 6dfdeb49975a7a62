import { Database } from "bun:sqlite";
import {
  existsSync,
  lstatSync,
  readdirSync,
  rmSync,
  type StatsFs,
  statfsSync,
  statSync,
} from "node:fs";
import { connect } from "node:net";
import { dirname, join } from "node:path";

import { messageOf, systemCodeOf } from "../../base/errors.ts";
import { product } from "../../base/product.ts";
import { upstreamChooser, type UpstreamProxy } from "../../network/route.ts";
import { assertNotNewer } from "../../state/store/migrate.ts";
import { newerVersionCode } from "../../state/store/store-errors.ts";
import { storePathIn } from "../../state/store/open-store.ts";
import { chosenBrowser } from "../../web/browser/chosen-browser.ts";
import { findBrowser } from "../../web/browser/find-browser.ts";
import { readSystemFacts } from "../../web/browser/system-facts.ts";
import type { CommandContext } from "../command.ts";
import type { StartUp } from "../start-up.ts";
import { type Finding, fault, note, ok } from "./finding.ts";

export function browserFindings({ io }: CommandContext, { config }: StartUp): readonly Finding[] {
  const choice = chosenBrowser(io.env, config.settings.web.chromePath);
  const search = findBrowser(readSystemFacts(io.homeDir, io.env), choice);
  switch (search.kind) {
    case "found":
      return [ok("browser", search.path)];
    case "bad-choice":
      return [
        fault(
          "browser",
          `${search.chosen.setting} names ${search.chosen.path}, which ${search.problem}`,
          `${product.name} config unset CHROME_PATH`,
        ),
      ];
    case "missing":
      return [
        note(
          "browser",
          "there is none: ReadDocs reads pages without their scripts",
          `install Chrome, Chromium, Edge or Brave (${product.name} doctor browser lists the places)`,
        ),
      ];
  }
}

/** Nothing is sent to an engine that nobody has asked for. */
export function searchFindings(): readonly Finding[] {
  return [ok("search", `not asked: ${product.name} doctor search sends a query to each engine`)];
}

export async function sandboxFindings(
  { services }: CommandContext,
  start: StartUp,
): Promise<readonly Finding[]> {
  const { settings, trials, used, refusal } = await services.probeSandbox(start);
  const works = trials.filter(({ problem }) => problem === undefined).map(({ name }) => name);
  if (refusal !== null)
    return [
      fault(
        "sandbox",
        `commands are refused: ${refusal.replace(/\.$/, "")}`,
        `${product.name} doctor sandbox`,
      ),
    ];
  if (works.length === 0)
    return [note("sandbox", "none works here: plan mode can only warn", "install bubblewrap")];
  const which = [...new Set(works)].join(", ");
  const now =
    settings.mode === "off"
      ? "commands run outside of it (SANDBOX=off)"
      : `commands run in ${used ?? "it"}`;
  return [ok("sandbox", `${which}; ${now}`)];
}

/** Bytes below which saved outputs and the store may fail. */
const freeBytesMin = 500_000_000;

export function diskFindings({ dirs }: StartUp): readonly Finding[] {
  const { scorpioxDir } = dirs;
  return [
    ...spaceFindings(scorpioxDir),
    ...storeFindings(scorpioxDir),
    ...leftoverFindings(scorpioxDir),
  ];
}

function spaceFindings(folder: string): readonly Finding[] {
  const there = existsSync(folder) ? folder : dirname(folder);
  if (!existsSync(there)) return [];
  return [spaceFinding(there, statfsSync(there))];
}

/** Files below whose number nothing more may be created; small files fill a disk that has bytes left. */
const freeFilesMin = 1_000;

export function spaceFinding(
  folder: string,
  { bavail, bsize, files, ffree }: Pick<StatsFs, "bavail" | "bsize" | "files" | "ffree">,
): Finding {
  const free = bavail * bsize;
  const text = `${(free / 1e9).toFixed(1)} GB free in ${folder}`;
  if (free < freeBytesMin)
    return fault("disk", text, "free some space: outputs and tasks may not be saved");
  // Some file systems do not count files.
  if (files > 0 && ffree < freeFilesMin)
    return fault(
      "disk",
      `${text}, but for ${ffree} more files`,
      "remove small files you do not need (df -i)",
    );
  return ok("disk", text);
}

function storeFindings(scorpioxDir: string): readonly Finding[] {
  const path = storePathIn(scorpioxDir);
  const stats = statSync(path, { throwIfNoEntry: false });
  if (stats === undefined) return [ok("disk", "no tasks are kept yet")];
  // Opening a pipe in its place would block.
  if (!stats.isFile()) return [damaged(path, "it is not a file")];
  try {
    using store = new Database(path, { readonly: true });
    const [row] = store.query<{ quick_check: string }, []>("PRAGMA quick_check(1)").all();
    if (isNewer(store)) {
      const text = `the tasks in ${path} were written by a newer version, and are not used by this one`;
      return [fault("disk", text, `${product.name} update`)];
    }
    if (row?.quick_check === "ok") return [ok("disk", `the tasks in ${path} are whole`)];
    return [damaged(path, row?.quick_check ?? "no answer")];
  } catch (error) {
    if (/^SQLITE_(?:BUSY|LOCKED)/.test(systemCodeOf(error) ?? "")) {
      return [note("disk", `the tasks in ${path} are in use, and were not examined`)];
    }
    return [damaged(path, messageOf(error))];
  }
}

function isNewer(store: Database): boolean {
  try {
    assertNotNewer(store);
    return false;
  } catch (error) {
    if (systemCodeOf(error) === newerVersionCode) return true;
    throw error;
  }
}

function damaged(path: string, why: string): Finding {
  return fault(
    "disk",
    `the tasks in ${path} cannot be read (${why})`,
    "start a client: it sets the damaged file aside and keeps every task that can be read",
  );
}

/** Files that killed processes have left: drafts of files that were being written. */
function leftoverFindings(scorpioxDir: string): readonly Finding[] {
  if (!existsSync(scorpioxDir)) return [];
  const drafts = readdirSync(scorpioxDir).filter(
    (name) => /^\..+\.[0-9a-f-]{36}\.tmp$/.test(name) && isLeft(join(scorpioxDir, name)),
  );
  if (drafts.length === 0) return [];
  const remove = (): void => {
    for (const name of drafts) rmSync(join(scorpioxDir, name), { force: true });
  };
  return [
    fault(
      "disk",
      `${drafts.length} files of killed processes are left in ${scorpioxDir}`,
      `${product.name} doctor --fix`,
      remove,
    ),
  ];
}

/** Longer than any file is being written. */
const draftMsMax = 60_000;

function isLeft(draft: string): boolean {
  const stats = lstatSync(draft, { throwIfNoEntry: false });
  return stats?.isFile() === true && Date.now() - stats.mtimeMs > draftMsMax;
}

/** Longer than any proxy takes that is there. */
const proxyMsMax = 3_000;

/** Any host that is not this machine. */
const anywhere = { host: "example.com", port: 443 };

/** The proxy of this shell, which is connected to and asked for nothing. */
export async function proxyFindings(
  env: Readonly<Record<string, string | undefined>>,
  clientEnv: Readonly<Record<string, string | undefined>>,
): Promise<readonly Finding[]> {
  let proxy: UpstreamProxy | undefined;
  try {
    proxy = upstreamChooser(env)("https:", anywhere);
  } catch (error) {
    return [fault("network", messageOf(error).replace(/\.$/, ""), "correct the variable")];
  }
  if (proxy === undefined) return [ok("network", "no proxy is set in this shell")];
  const { origin } = proxy;
  const problem = await connectProblem(proxy);
  if (problem !== undefined) {
    const remedy = "correct HTTPS_PROXY, or start the proxy";
    return [fault("network", `the proxy ${origin} cannot be reached (${problem})`, remedy)];
  }
  const reached = ok("network", `the proxy ${origin} takes connections`);
  if (upstreamChooser(clientEnv)("https:", anywhere) !== undefined) return [reached];
  const text = `the client does not pass the proxy ${origin} on: pages and searches go without it there`;
  return [reached, note("network", text, 'set HTTPS_PROXY in the "env" of the client\'s entry')];
}

function connectProblem({ host, port }: UpstreamProxy): Promise<string | undefined> {
  return new Promise((resolve) => {
    const socket = connect({ host, port, timeout: proxyMsMax });
    const end = (problem?: string): void => {
      socket.destroy();
      resolve(problem);
    };
    socket.once("connect", () => end());
    socket.once("timeout", () => end("no answer"));
    socket.once("error", (error) => end(messageOf(error)));
  });
}
