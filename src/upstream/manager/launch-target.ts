import { product } from "../../base/product.ts";
import { hideTokens } from "../../base/secrets.ts";
import type { AppSupport } from "../../protocol/client-capabilities.ts";
import { cleanText } from "../adapters/text-of.ts";
import { isolationOf } from "../config/isolation.ts";
import { redactSecrets } from "../config/redact-secrets.ts";
import type {
  ConfiguredServer,
  GivenRoots,
  Isolation,
  ServerLaunch,
  StdioLaunch,
} from "../config/server-entry.ts";
import {
  ConnectionError,
  type ConnectionEvents,
  type ConnectOptions,
  type Endpoint,
  type Era,
} from "../connect/connection.ts";
import type { Prepared } from "../install/installer.ts";
import type { ProcessLaunch, UpstreamProcess } from "../process/upstream-process.ts";
import type { Installing } from "../server-state.ts";
import type { LentStart, OpenedConnection, OpeningEvents } from "./connection-parts.ts";
import type { ManagerParts } from "./manager-parts.ts";
import {
  givenRoots,
  isPersonal,
  launchFor,
  type PrincipalParts,
  rootsOffer,
} from "./principal-launch.ts";
import {
  processLaunchOf,
  stopProcesses,
  type TargetFacts,
  targetKey,
  triedEra,
} from "./target-facts.ts";

/** Where one server is, with everything that its connections need. */
export class LaunchTarget {
  readonly #parts: ManagerParts;
  readonly #facts: TargetFacts;
  readonly #principal: PrincipalParts;
  /** Both processes of the last attempt ended, that which was asked one way and that which was asked the other. */
  #diesAtOnce = false;
  /** Who shares a connection, as it was when this was made. */
  readonly isolation: Isolation;

  /** @param launch filled in, with the `secrets` that are in it. Never rejects. */
  static async of(
    configured: ConfiguredServer,
    launch: ServerLaunch,
    secrets: readonly string[],
    parts: ManagerParts,
  ): Promise<LaunchTarget> {
    const login =
      launch.transport === "http" ? await parts.loginOf(configured, launch.url) : undefined;
    const roots = await givenRoots(configured.entry, launch, parts.options.dirs);
    const apps = parts.apps();
    const { projectDir } = parts.options.dirs;
    const facts = { configured, launch, projectDir, secrets, login, roots, apps };
    return new LaunchTarget(facts, parts);
  }

  private constructor(facts: TargetFacts, parts: ManagerParts) {
    this.#facts = facts;
    this.#parts = parts;
    const principals = parts.principals();
    this.isolation = isolationOf(facts.configured.entry, principals);
    const { scorpioxDir } = parts.options.dirs;
    this.#principal = { scorpioxDir, principals, isolation: this.isolation };
  }

  get configured(): ConfiguredServer {
    return this.#facts.configured;
  }

  get launch(): ServerLaunch {
    return this.#facts.launch;
  }

  get apps(): AppSupport | undefined {
    return this.#facts.apps;
  }

  get roots(): GivenRoots {
    return this.#facts.roots;
  }

  /**
   * Its lists are those of a connection that belongs to nobody, so that none shows what another has stored; also where
   * its processes are started differently for each.
   */
  get keepsListsApart(): boolean {
    return this.isolation === "user" || isPersonal(this.configured, this.#principal);
  }

  /** The same for clients that show apps, or do not. */
  showing(apps: AppSupport | undefined): LaunchTarget {
    const target = new LaunchTarget({ ...this.#facts, apps }, this.#parts);
    target.follow(this);
    return target;
  }

  /** It is the same launch as `before` by other settings: what was seen of that counts. */
  follow(before: LaunchTarget): void {
    this.#diesAtOnce = before.#diesAtOnce;
  }

  /** What its login was for, as `mcp.lock` has it. Never rejects. */
  scopes(): Promise<readonly string[] | undefined> {
    return this.#facts.login?.scopes() ?? Promise.resolve(undefined);
  }

  /** Equal for those who may share a connection (IS5). */
  get key(): string {
    return targetKey(this.#facts, this.isolation);
  }

  /** What it gets may depend on who asks. */
  get hasCredentials(): boolean {
    const { launch, configured } = this;
    const hasHeaders = launch.transport === "http" && Object.keys(launch.headers).length > 0;
    const hasLogin =
      configured.entry.options.oauth !== undefined || this.#facts.login?.id !== undefined;
    return this.#facts.secrets.length > 0 || hasHeaders || hasLogin;
  }

  /** Whether a person can log in to it: it has no `Authorization` header of its own, and no login by itself. */
  get takesLogin(): boolean {
    return (
      this.#facts.login !== undefined && this.configured.entry.options.oauth?.service === undefined
    );
  }

  /** Text of the server or about it, fit to be shown. */
  readonly clean = (text: string): string => {
    const cleaned = redactSecrets(cleanText(text), this.#facts.secrets);
    return this.#facts.login === undefined
      ? cleaned
      : redactSecrets(cleaned, this.#facts.login.secrets());
  };

  /** As `clean`, for what is read in logs and status: there no token belongs, whoever's it is. */
  readonly cleanTalk = (text: string): string => hideTokens(this.clean(text));

  /**
   * Sees to it that what its process is started from is here (CN10a).
   * @param owner the principal whose it is
   * @returns undefined for a server that has no process
   * @throws ConnectionError, AppError
   */
  async prepare(
    signal: AbortSignal,
    tell: (installing: Installing) => void,
    owner?: string,
  ): Promise<Prepared | undefined> {
    const launch = launchFor(this.configured, this.launch, owner, this.#principal);
    if (launch.transport === "http") return undefined;
    const { launcher } = this.configured.entry.options;
    const wish = { launch: this.#processOf(launch), launcher };
    const prepared = await this.#parts.installer.prepare(wish, signal, tell);
    const { startedAs } = prepared;
    return startedAs === undefined ? prepared : { ...prepared, startedAs: this.clean(startedAs) };
  }

  /** Opens one connection. @param lent the principal whose it is, and what is started for it @throws ConnectionError, AppError */
  async open(
    knownEra: Era | undefined,
    events: ConnectionEvents,
    signal: AbortSignal,
    opening: OpeningEvents,
    { owner, prepared }: LentStart = {},
  ): Promise<OpenedConnection> {
    const processes: UpstreamProcess[] = [];
    const endpoint = this.#endpoint(
      (process) => {
        processes.push(process);
        opening.onProcess(process);
        opening.onBegun();
      },
      launchFor(this.configured, this.launch, owner, this.#principal),
      prepared,
    );
    if (endpoint.transport === "http") opening.onBegun();
    try {
      const era = triedEra(knownEra, this.#diesAtOnce);
      const options = { ...this.#options(endpoint), ...era };
      const connection = await this.#parts.openConnection(options, events, signal);
      this.#diesAtOnce = false;
      opening.onEnding(stopProcesses(processes.filter(({ pid }) => pid !== connection.pid)));
      return {
        connection,
        async [Symbol.asyncDispose]() {
          await connection[Symbol.asyncDispose]().catch(() => {});
          await stopProcesses(processes);
        },
      };
    } catch (error) {
      opening.onEnding(stopProcesses(processes));
      const isLost = error instanceof ConnectionError && error.failure === "lost";
      this.#diesAtOnce = isLost && (this.#diesAtOnce || processes.length > 1);
      throw error;
    }
  }

  #options(endpoint: Endpoint): ConnectOptions {
    const { era, initTimeoutMs, sampling, elicitation } = this.configured.entry.options;
    const { version } = this.#parts.options;
    const roots = rootsOffer(this.roots, this.#parts.project);
    return {
      server: this.configured.entry.name,
      endpoint,
      era,
      initTimeoutMs,
      mayAsk: { sampling: sampling !== "deny", elicitation: elicitation !== "deny" },
      ...(roots === undefined ? {} : { roots }),
      product: { name: product.name, version },
      ...(this.apps === undefined ? {} : { apps: this.apps }),
      listApps: this.#parts.apps,
    };
  }

  #endpoint(
    onProcess: (process: UpstreamProcess) => void,
    launch: ServerLaunch,
    prepared: Prepared | undefined,
  ): Endpoint {
    if (launch.transport === "http") {
      const auth = this.#facts.login?.auth;
      const { url, headers } = launch;
      return { transport: "http", url, headers, ...(auth === undefined ? {} : { auth }) };
    }
    const started = prepared?.launch ?? this.#processOf(launch);
    const spawn = async (): Promise<UpstreamProcess> => {
      const process = await this.#parts.host.startProcess(started);
      onProcess(process);
      return process;
    };
    return { transport: "stdio", spawn, isInstalled: prepared?.isInstalled ?? false };
  }

  #processOf(launch: StdioLaunch): ProcessLaunch {
    const { homeDir } = this.#parts.options.dirs;
    return processLaunchOf(this.configured, launch, { homeDir, redact: this.cleanTalk });
  }
}
