import { product } from "../../base/product.ts";
import { hideTokens } from "../../base/secrets.ts";
import type { AppSupport } from "../../protocol/client-capabilities.ts";
import { cleanText, redactSecrets } from "../adapters/text-of.ts";
import { isolationOf, isPerUser } from "../config/entry-options.ts";
import { givenRoots } from "../config/given-roots.ts";
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
  type ServerAuth,
} from "../connect/connection.ts";
import type { Prepared } from "../install/installer.ts";
import type { ProcessLaunch, UpstreamProcess } from "../process/upstream-process.ts";
import type { Installing } from "../server-state.ts";
import type { OwnedServer } from "../user-logins/owned-server.ts";
import type {
  ConnectionStarter,
  Hold,
  LentStart,
  OpenedConnection,
  OpeningEvents,
} from "./connection-parts.ts";
import type { ServerUserLogins } from "./lazy-user-logins.ts";
import type { ManagerParts } from "./manager-parts.ts";
import { isPersonal, launchFor, type PrincipalParts } from "./principal-launch.ts";
import { rootsOffer } from "./roots-offer.ts";
import {
  processLaunchOf,
  type ClientFacts,
  sharingFacts,
  stopProcesses,
  type TargetFacts,
  triedEra,
} from "./target-facts.ts";

/** One server's launch with everything that its connections need. */
export class LaunchTarget implements ConnectionStarter {
  readonly #parts: ManagerParts;
  readonly #facts: TargetFacts;
  readonly #principal: PrincipalParts;
  /** Both processes of the last attempt exited, the one for each era. */
  #diesAtOnce = false;
  readonly configured: ConfiguredServer;
  readonly launch: ServerLaunch;
  readonly apps: AppSupport | undefined;
  readonly roots: GivenRoots;
  /** Which callers share a connection; fixed when this object is made. */
  readonly isolation: Isolation;
  /**
   * Its lists come from a connection without an owner, so that no principal sees data of another; also when its
   * processes are started differently for each principal.
   */
  readonly keepsListsApart: boolean;
  /** Each principal has a login of its own. */
  readonly isPerUser: boolean;
  /** The logins of its principals; undefined where there are none. */
  readonly userLogins: ServerUserLogins | undefined;
  /** Its connections may serve clients that know nothing of each other. */
  readonly servesSeveral: boolean;
  /** Cleans text of or about the server for display. */
  readonly clean: (text: string) => string;

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
    const isOwn = isPerUser(configured.entry, parts.principals());
    const opened = isOwn ? await parts.userLogins?.open(configured.entry) : undefined;
    const userLogins = typeof opened === "string" ? undefined : opened;
    const facts = { configured, launch, projectDir, secrets, login, roots, apps, userLogins };
    const { shared } = parts;
    return new LaunchTarget(
      shared === undefined ? facts : await shared.withClient(facts, parts),
      parts,
    );
  }

  private constructor(facts: TargetFacts, parts: ManagerParts) {
    this.#facts = facts;
    this.#parts = parts;
    const { configured, launch, apps, roots, secrets, login } = facts;
    this.configured = configured;
    this.launch = launch;
    this.apps = apps;
    this.roots = roots;
    const hasNone = secrets.length === 0 && login === undefined;
    this.clean = hasNone ? cleanText : (text) => this.#redacted(text);
    const principals = parts.principals();
    this.isolation = facts.client?.isolation ?? isolationOf(configured.entry, principals);
    const { scorpioxDir } = parts.options.dirs;
    this.#principal = { scorpioxDir, principals, isolation: this.isolation };
    this.isPerUser = isPerUser(configured.entry, principals);
    this.userLogins = facts.userLogins;
    this.servesSeveral = facts.client?.sharing !== undefined;
    // The connection for the lists has the operator's login.
    this.keepsListsApart =
      this.isolation === "user" || this.isPerUser || isPersonal(configured, this.#principal);
  }

  /** The server as one principal sees it; undefined where principals have no logins of their own. */
  ownedBy(owner: string | undefined): OwnedServer | undefined {
    if (!this.isPerUser || owner === undefined) return undefined;
    const launch = launchFor(this.configured, this.launch, owner, this.#principal);
    if (launch.transport !== "http") return undefined;
    return { configured: this.configured, url: launch.url, owner };
  }

  /** As `clean`, for text in answers to a principal. */
  cleanFor(owner: string | undefined): (text: string) => string {
    const owned = this.ownedBy(owner);
    const { userLogins } = this;
    if (owned === undefined || userLogins === undefined) return this.clean;
    return (text) => redactSecrets(this.clean(text), userLogins.secrets(owned));
  }

  /** Its lists are read with the operator's login, and the resources in them are the operator's. */
  get hidesResources(): boolean {
    return this.isPerUser && this.#facts.login?.id !== undefined;
  }

  /** This target for clients that show apps, or do not. */
  showing(apps: AppSupport | undefined): LaunchTarget {
    const target = new LaunchTarget({ ...this.#facts, apps }, this.#parts);
    target.follow(this);
    return target;
  }

  /** Takes over observations from `before`, the same launch with other settings. */
  follow(before: LaunchTarget): void {
    this.#diesAtOnce = before.#diesAtOnce;
  }

  /** The scopes of its login for `mcp.lock`. Never rejects. */
  scopes(): Promise<readonly string[] | undefined> {
    return this.#facts.login?.scopes() ?? Promise.resolve(undefined);
  }

  /** This target, with a connection for each client. */
  separate(): LaunchTarget {
    const { client } = this.#facts;
    if (client === undefined) return this;
    const { sharing: _sharing, ...own } = client;
    const separate: ClientFacts = { ...own, isolation: "session" };
    const target = new LaunchTarget({ ...this.#facts, client: separate }, this.#parts);
    target.follow(this);
    return target;
  }

  /** Equal for targets that may share a connection (IS5, HB3). */
  get key(): string {
    return this.nameOf("");
  }

  /** The name of a connection of this target. @param scope the callers that share it; empty: all */
  nameOf(scope: string): string {
    return this.#parts.pool.nameOf(scope + sharingFacts(this.#facts, this.isolation));
  }

  /** Its connections may have other users. */
  get isShared(): boolean {
    if (this.isolation === "shared") return true;
    return this.servesSeveral && this.isolation === "workspace";
  }

  /** Which clients share it, as people call it. */
  get sharing(): Isolation {
    const isOfPlace = this.#facts.client?.sharing?.isOfPlace === true;
    return isOfPlace && this.isolation === "shared" ? "workspace" : this.isolation;
  }

  /** The server is known to ask clients in a way that does not say which. */
  get asks(): boolean {
    return this.#facts.client?.asks === true;
  }

  /** Its answers may depend on credentials. */
  get hasCredentials(): boolean {
    const { launch, configured } = this;
    const hasHeaders = launch.transport === "http" && Object.keys(launch.headers).length > 0;
    const hasLogin =
      configured.entry.options.oauth !== undefined || this.#facts.login?.id !== undefined;
    return this.#facts.secrets.length > 0 || hasHeaders || hasLogin;
  }

  /** Whether a person can log in to it: it has no `Authorization` header and no automatic login. */
  get takesLogin(): boolean {
    const isForPersons = this.configured.entry.options.oauth?.service === undefined;
    return this.#facts.login !== undefined && isForPersons && !this.isPerUser;
  }

  #redacted(text: string): string {
    const { secrets, login } = this.#facts;
    const redacted = redactSecrets(cleanText(text), secrets);
    return login === undefined ? redacted : redactSecrets(redacted, login.secrets());
  }

  /** As `clean`, for logs and status, which must not contain any token. */
  readonly cleanTalk = (text: string): string => hideTokens(this.clean(text));

  hold(): Hold {
    return this.#parts.shared?.holdExclusive(this.#facts) ?? { kind: "not_needed" };
  }

  /**
   * Makes sure that the package of its process is installed (CN10a). @param owner the principal of the connection
   * @returns undefined for a server without a process
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

  /**
   * Opens one connection. @param lent the principal of the connection, and its prepared launch
   * @throws ConnectionError, AppError
   */
  async open(
    knownEra: Era | undefined,
    events: ConnectionEvents,
    signal: AbortSignal,
    opening: OpeningEvents,
    { owner, prepared, now = () => this }: LentStart = {},
  ): Promise<OpenedConnection> {
    const processes: UpstreamProcess[] = [];
    const endpoint = this.#endpoint(
      (process) => {
        processes.push(process);
        opening.onProcess(process);
        opening.onBegun();
      },
      launchFor(this.configured, this.launch, owner, this.#principal),
      { prepared, now, owner },
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
    const { place } = this.#facts.client?.sharing ?? {};
    const roots = rootsOffer(this.roots, place ?? this.#parts.project);
    return {
      server: this.configured.entry.name,
      endpoint,
      era,
      initTimeoutMs,
      mayAsk: { sampling: sampling !== "deny", elicitation: elicitation !== "deny" },
      ...(roots === undefined ? {} : { roots }),
      product: { name: product.name, version },
      ...(this.apps === undefined ? {} : { apps: this.apps }),
      ...(place === undefined
        ? { listApps: this.#parts.apps }
        : { listApps: () => this.apps, servesSeveral: true }),
    };
  }

  #endpoint(
    onProcess: (process: UpstreamProcess) => void,
    launch: ServerLaunch,
    { prepared, owner, now }: LentStart & Required<Pick<LentStart, "now">>,
  ): Endpoint {
    if (launch.transport === "http") {
      const auth = this.authOf(owner) === undefined ? undefined : currentAuth(now, owner);
      const { url, headers } = launch;
      const { proxyOf } = this.#facts.client ?? {};
      return {
        transport: "http",
        url,
        headers,
        ...(auth === undefined ? {} : { auth }),
        ...(proxyOf === undefined ? {} : { proxyOf }),
      };
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
    const base = this.#facts.client?.base;
    return processLaunchOf(this.configured, launch, { homeDir, redact: this.cleanTalk, base });
  }

  authOf(owner: string | undefined): ServerAuth | undefined {
    const owned = this.ownedBy(owner);
    return owned === undefined ? this.#facts.login?.auth : (this.userLogins?.auth(owned) ?? noAuth);
  }
}

/** A principal whose login cannot be kept has none; the operator's is never used in its place. */
const noAuth: ServerAuth = {
  token: () => Promise.resolve(undefined),
  refused: () => Promise.resolve(false),
};

/** The login of the target that the connection belongs to now: the one that opened it may have gone. */
function currentAuth(now: NonNullable<LentStart["now"]>, owner: string | undefined): ServerAuth {
  const auth = (): ServerAuth => now().authOf(owner) ?? noAuth;
  return {
    token: (target) => auth().token(target),
    refused: (response, used) => auth().refused(response, used),
  };
}
