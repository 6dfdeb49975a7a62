import { lstatSync, mkdirSync, realpathSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { AppError, messageOf } from "../base/errors.ts";
import { principalName } from "../base/digests.ts";
import type { Environment } from "../base/values.ts";
import type { CallRequest, ClientContext, OwnPlace } from "../calls/call.ts";
import type { CopiedFile, FileToCopy } from "../calls/router/background-calls.ts";
import type { HttpSettings } from "../cli/http-settings.ts";
import type { StartUp } from "../cli/start-up.ts";
import type { Confinement } from "../commands/background/command-launcher.ts";
import type { Supervisor } from "../commands/background/supervisor.ts";
import type { PrincipalSandbox } from "../commands/sandbox/principal/principal-sandbox.ts";
import type { PrincipalFolders } from "../commands/sandbox/principal/view-arguments.ts";
import { envFileName, profileFolder } from "../config/places.ts";
import type { ToolListing } from "../protocol/tool-types.ts";
import { planFolderParts } from "../state/plan/plan-folder.ts";
import type { ToolCard } from "../tools/tool-card.ts";
import type { Principals } from "../upstream/config/server-entry.ts";
import type { SandboxParts } from "./principal-sandbox.ts";

/** How the commands of several people run. */
type Commands =
  /** One principal is served, or the operator trusts all of them. */
  | { readonly kind: "as-ever" }
  | { readonly kind: "apart"; readonly sandbox: PrincipalSandbox }
  | { readonly kind: "withheld"; readonly reason: string };

type SeparationSettings = Pick<
  HttpSettings,
  "trustsCommands" | "hasCommandNetwork" | "sharesCache" | "tokenFile" | "tlsKey"
>;

interface SeparationParts {
  readonly start: StartUp;
  readonly env: Environment;
  readonly settings: SeparationSettings;
  readonly principals: () => Principals;
  readonly cards: readonly ToolCard[];
}

/** Principals whose folders are known; some hundred bytes each. */
const placesMax = 10_000;

const undecided: Commands = { kind: "withheld", reason: "it is being found out how they can run" };

/** Keeps several principals of one server apart: their commands, the files that are read for them, and their caches. */
export class Separation {
  readonly #parts: SeparationParts;
  /** Tools that run commands or read files by path: not for several people who are one to the operating system. */
  readonly #fileTools: ReadonlySet<string>;
  #commands: Commands = { kind: "as-ever" };
  #hasBegun = false;
  readonly #places = new Map<string, OwnPlace>();
  readonly #offered = new WeakMap<readonly ToolListing[], readonly ToolListing[]>();

  constructor(parts: SeparationParts) {
    this.#parts = parts;
    const fileTools = parts.cards.filter(({ touchesFiles }) => touchesFiles);
    this.#fileTools = new Set(fileTools.map(({ listing }) => listing.name));
  }

  /** Several principals are served, from now on. Nobody is answered before it resolves. */
  async begin(): Promise<void> {
    this.#hasBegun = true;
    if (this.#parts.settings.trustsCommands) return;
    this.#commands = undecided;
    try {
      const { createPrincipalSandbox } = await import("./principal-sandbox.ts");
      const sandbox = createPrincipalSandbox(this.#sandboxParts());
      const reason = await sandbox.problem();
      this.#commands =
        reason === undefined ? { kind: "apart", sandbox } : { kind: "withheld", reason };
    } catch (error) {
      this.#commands = { kind: "withheld", reason: messageOf(error) };
    }
  }

  /** A notice for the operator, when it has begun. */
  notice(): string | undefined {
    if (!this.#hasBegun) return undefined;
    const { hasCommandNetwork } = this.#parts.settings;
    switch (this.#commands.kind) {
      case "as-ever":
        return "commands = trusted: every user of this server is the same person to the operating system.";
      case "apart":
        return hasCommandNetwork
          ? "commands-network: commands of every user reach what listens on this machine, such as databases and /metrics."
          : undefined;
      case "withheld":
        return (
          `Several users are served and their commands cannot be kept apart (${this.#commands.reason}), ` +
          `so ${[...this.#fileTools].join(", ")} are not offered. Make bubblewrap work, or give --commands trusted, ` +
          "with which every user of this server is the same person to the operating system."
        );
    }
  }

  /** From then on no command runs as it did before. */
  get hasBegun(): boolean {
    return this.#hasBegun;
  }

  /** Whether one of the own tools exists for the clients now. */
  readonly isOffered = (toolName: string): boolean =>
    this.#commands.kind !== "withheld" || !this.#fileTools.has(toolName);

  /** The tools of a list that exist now; the same list for the same list. */
  offered(listings: readonly ToolListing[]): readonly ToolListing[] {
    if (!this.hasWithheld) return listings;
    const known = this.#offered.get(listings);
    if (known !== undefined) return known;
    const offered = listings.filter(({ name }) => this.isOffered(name));
    this.#offered.set(listings, offered);
    return offered;
  }

  get hasWithheld(): boolean {
    return this.#commands.kind === "withheld";
  }

  /** The folders of a principal, made with their first use; undefined where clients name folders. */
  placeOf(owner: string): OwnPlace | undefined {
    if (this.#commands.kind === "as-ever") return undefined;
    const known = this.#places.get(owner);
    if (known !== undefined) return known;
    const place = makePlace(this.#parts.start.dirs.scorpioxDir, owner);
    // Looking again costs a tenth of a millisecond.
    if (this.#places.size >= placesMax) this.#places.clear();
    this.#places.set(owner, place);
    return place;
  }

  /** Distinguishes what is cached for this client from that of others. Empty: there are no others. */
  readonly cacheOwnerOf = ({ owner }: ClientContext): string =>
    this.#hasBegun ? (owner ?? "") : "";

  /** Pages that were fetched without credentials may be given to everybody. */
  get sharesCache(): boolean {
    return this.#parts.settings.sharesCache;
  }

  /**
   * Undefined: as the configuration says.
   * @param readOnly plan mode, or the configured sandbox
   * @throws AppError `refused` where commands are withheld
   */
  async confine(
    { owner }: ClientContext,
    cwd: string,
    readOnly?: { readonly planFile: string | undefined },
  ): Promise<Confinement | undefined> {
    const commands = this.#commands;
    if (commands.kind === "as-ever") return undefined;
    if (commands.kind === "withheld" || owner === undefined) throw withheldError();
    const principal = foldersOf(makePlace(this.#parts.start.dirs.scorpioxDir, owner));
    const at = cwd.startsWith(`${principal.work}/`) ? cwd : principal.work;
    return commands.sandbox.confine({ principal, cwd: at, ...(readOnly && { readOnly }) });
  }

  /** As `Confinements.copyFor`. */
  async copyFor(
    call: CallRequest,
    file: FileToCopy,
    supervisor: Pick<Supervisor, "runProgram">,
  ): Promise<CopiedFile> {
    const confinement = await this.confine(call.client, "", { planFile: undefined });
    if (confinement === undefined) throw withheldError();
    const { copyWithin } = await import("./principal-sandbox.ts");
    return copyWithin(confinement, file, { cancellation: call.cancellation, supervisor });
  }

  #sandboxParts(): SandboxParts {
    const { start, env, settings } = this.#parts;
    const { homeDir, scorpioxDir, executableDir } = start.dirs;
    const { tokenFile, tlsKey, hasCommandNetwork } = settings;
    const beside = profileFolder({ level: "executable", dir: executableDir });
    const { configFiles } = start.upstream;
    const secrets = [tokenFile, tlsKey, join(executableDir, envFileName), beside, ...configFiles];
    return {
      start,
      env,
      tmpDir: tmpdir(),
      own: [homeDir, scorpioxDir],
      secrets: secrets.filter((path) => path !== undefined),
      hasNetwork: hasCommandNetwork && start.config.settings.sandbox.hasNetwork,
    };
  }
}

/** The options, with a separation that has decided at the start, and has said what it means. */
export async function withSeparation<Options extends Speaking>(
  options: Options,
  parts: Omit<SeparationParts, "env">,
): Promise<Options & { readonly separation: Separation }> {
  const separation = new Separation({ ...parts, env: options.env });
  if (parts.principals() === "several") await separation.begin();
  const notice = separation.notice();
  if (notice !== undefined) options.warn(notice);
  return { ...options, separation };
}

interface Speaking {
  readonly env: Environment;
  readonly warn: (message: string) => void;
}

function withheldError(): AppError {
  return new AppError(
    "refused",
    "Nothing was run: several users are served, and their commands cannot be kept apart here.",
  );
}

const privateFolder = { recursive: true, mode: 0o700 } as const;

/**
 * Makes the folders of a principal: those that its commands may change are beside what the server keeps for it.
 * @throws AppError `system`
 */
function makePlace(scorpioxDir: string, owner: string): OwnPlace {
  const records = join(scorpioxDir, "workspaces", principalName(owner));
  const work = join(records, "work");
  try {
    for (const folder of [work, join(records, "home"), join(records, ...planFolderParts)]) {
      mkdirSync(folder, privateFolder);
      if (!lstatSync(folder).isDirectory()) throw new Error(`${folder} is not a folder`);
    }
    return { work: realpathSync(work), records: realpathSync(records) };
  } catch (error) {
    const message = `The workspace of this principal cannot be made: ${messageOf(error)}.`;
    throw new AppError("system", message, { cause: error });
  }
}

/** The folders of a principal, as its commands see them. */
function foldersOf({ work, records }: OwnPlace): PrincipalFolders {
  return { work, home: join(records, "home"), plans: join(records, ...planFolderParts) };
}
