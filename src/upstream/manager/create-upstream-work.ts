import { randomUUID } from "node:crypto";
import { Turns } from "../../base/turns.ts";
import { upstreamStartingMax } from "../../base/upstream-limits.ts";
import { CatalogueCache } from "../cache/catalogue-cache.ts";
import { createExpansion, expandLaunch } from "../config/expand-launch.ts";
import { openConnection } from "../connect/negotiate.ts";
import { Installer } from "../install/installer.ts";
import { loginRoads, LoginStore } from "../oauth/login-store.ts";
import { LoginAsker, openLogin } from "../oauth/open-login.ts";
import { SavedResults } from "../results/saved-results.ts";
import { SchemaChecks } from "../schema/schema-checks.ts";
import { openUserSecrets } from "../secrets/user-secrets.ts";
import { TrustStore } from "../trust/trust-store.ts";
import type { OpenUpstreams } from "../worker/upstream-work.ts";
import { realTime } from "./connection-parts.ts";
import { ConnectionPool } from "./connection-pool.ts";
import { LazyUserLogins } from "./lazy-user-logins.ts";
import { CurrentProject } from "./manager-parts.ts";
import { type OuterParts, UpstreamManager } from "./upstream-manager.ts";

/**
 * Connects the parts of the Worker's work, or of one client's work in the hub. @param others replace the usual parts;
 * with `shared`, connections are shared with the other works that were made with it
 */
export const createUpstreamWork = ((given, host, others: Partial<OuterParts> = {}) => {
  const { shared } = others;
  const project = new CurrentProject(given.dirs);
  project.become(given.dirs.projectDir, given.folders ?? []);
  const options = { ...given, dirs: project.dirs };
  const { dirs, env, resultFolders } = options;
  const { scorpioxDir } = dirs;
  const secrets = openUserSecrets(dirs, env);
  const logins = new LoginStore(scorpioxDir, secrets, loginRoads(env));
  const ending = new AbortController();
  const expansion = createExpansion(dirs, env, secrets, ending.signal);
  const asker = new LoginAsker(logins, expansion, () => performance.now());
  return new UpstreamManager({
    options,
    project,
    host,
    openConnection,
    expand: (server) => expandLaunch(server, expansion),
    loginOf: (server, url) => openLogin(server, url, logins, expansion),
    installer: new Installer({
      scorpioxDir,
      env,
      startProcess: (launch) => host.startProcess(launch),
      log: (server, line) => host.log(server, line),
      ...(shared === undefined ? {} : { turns: shared.installTurns }),
    }),
    trust: new TrustStore(scorpioxDir),
    cache: new CatalogueCache(scorpioxDir),
    results: new SavedResults(resultFolders),
    checks: new SchemaChecks(),
    pool: shared?.pool ?? new ConnectionPool(),
    manager: shared === undefined ? "" : randomUUID(),
    turns: shared?.turns ?? new Turns(upstreamStartingMax),
    ending,
    // The browser returns to this machine, so only its user can log in through a client.
    ...(options.ownUrl === undefined ? { askToLogIn: (...args) => asker.logIn(...args) } : {}),
    ...(options.userLogins === undefined
      ? {}
      : { userLogins: new LazyUserLogins(options, expansion) }),
    connectionTime: realTime,
    ...others,
  });
}) satisfies OpenUpstreams;
