import { writeSync } from "node:fs";

import { routeConsoleToStderr } from "../../base/console.ts";
import { messageOf } from "../../base/errors.ts";
import { shutdownDrainMs } from "../../base/limits.ts";
import { ownCommand, product } from "../../base/product.ts";
import { escapeUnsafe } from "../../base/unsafe-characters.ts";
import type { CliServices } from "../../cli/command.ts";
import { createProcessIo } from "../../cli/process-io.ts";
import { runCommandLine } from "../../cli/run/run.ts";
import type { StartUp } from "../../cli/start-up.ts";
import type { PostgresPlace } from "../../state/store/postgres/store-url.ts";
import { hasSecrets } from "../../config/secret-names.ts";
import { warmHandlers } from "../../server/handlers/late.ts";
import { serveConnection } from "../../server/serve-connection.ts";
import { StdioTransport } from "../../server/transport/stdio.ts";
import { createServerContext } from "../create-server-context.ts";
import { runInnerProgram } from "./inner-programs.ts";
import { Application } from "../application.ts";
import { onEndSignal } from "../end-signals.ts";
import {
  limitsFor,
  type ProgramParts,
  type ApplicationOptions,
  workspaceFallback,
} from "../program-parts.ts";

interface CliServicesParts extends Pick<ApplicationOptions, "env" | "warn"> {
  readonly program: ProgramParts;
  readonly cwd: string;
  readonly print: (line: string) => void;
  readonly storePlace: () => Promise<PostgresPlace | undefined>;
}

/** The services of the program for the commands of the command line; each loads its parts when called. */
function createCliServices(services: CliServicesParts): CliServices {
  const { program: parts, env, warn, cwd, print, storePlace } = services;
  return {
    version: product.version,
    ...ownProgram(env),
    get toolNames() {
      return parts.cards.map(({ listing }) => listing.name);
    },
    storePlace,
    serveStdio: async (start) =>
      serveStdio(parts, start, { env, warn, cwd, storePlace: await storePlace() }),
    async serveHttp(start, http) {
      const { serveHttp } = await import("../http/serve-http.ts");
      const options = { env, warn, print, cwd, storePlace: await storePlace() };
      return serveHttp(parts, start, http, options);
    },
    async openTools(start) {
      const options = { start, env, warn, isBrief: true, storePlace: await storePlace() };
      const app = new Application(parts, options);
      return {
        tools: app,
        upstreams: app.upstreams,
        async upstreamTools(wanted) {
          const { upstreamTools } = await import("./ask-upstreams.ts");
          return upstreamTools(app.upstreams, wanted);
        },
        [Symbol.asyncDispose]: () => app[Symbol.asyncDispose](),
      };
    },
    async upstreamCatalogues(start, servers, signal, how) {
      const { askUpstreams } = await import("./ask-upstreams.ts");
      return askUpstreams(parts, { start, env, warn }, servers, { signal, ...(how && { how }) });
    },
    async triedUpstreams(start, servers, signal, watch) {
      const { tryUpstreams } = await import("./ask-upstreams.ts");
      return tryUpstreams(parts, { start, env, warn }, servers, { signal, watch });
    },
    async installUpstreams(start, servers, signal, watch) {
      const { installUpstreams } = await import("./ask-upstreams.ts");
      return installUpstreams(parts, { start, env, warn }, servers, { signal, watch });
    },
    async openPages(start) {
      const { openPages } = await import("../open-pages.ts");
      return openPages(start, env);
    },
    async openHooks(start) {
      const { openHooks } = await import("./open-hooks.ts");
      return openHooks(start, { env, warn });
    },
    async probeSandbox(start) {
      const { probeSandbox } = await import("../sandbox-trials.ts");
      return probeSandbox(start, env);
    },
    async openSearch(start) {
      const { openSearch } = await import("./open-search.ts");
      return openSearch(start, env);
    },
  };
}

/** How commands start this program, and programs of the user. */
function ownProgram(
  env: CliServicesParts["env"],
): Pick<CliServices, "ownCommand" | "runProgram" | "tryClientEntry"> {
  return {
    ownCommand: ownCommand(),
    async runProgram(words) {
      const { runClientProgram } = await import("./run-client-program.ts");
      return runClientProgram(words, env);
    },
    async tryClientEntry(words, how) {
      const { tryClientEntry } = await import("./try-client-entry.ts");
      return tryClientEntry(words, how);
    },
  };
}

/**
 * When the first Worker and the login shell are started if no call has asked for them: after the
 * handshake and the first lists, which would otherwise share the processor with them.
 */
const warmAfterMs = 50;

/** Serves the client on stdin and stdout until it disconnects or a signal comes. */
async function serveStdio(
  parts: ProgramParts,
  start: StartUp,
  options: Omit<ApplicationOptions, "start"> & { readonly cwd: string },
): Promise<number> {
  const transport = new StdioTransport();
  // Before the first Worker or child, either of which might write to descriptor 1.
  const beforeServices = (): Promise<unknown> => transport.claimStdout();
  const app = new Application(parts, { ...options, start, beforeServices, transport: "stdio" });
  const warm = (): void => {
    void warmHandlers();
    // Reads the user's table of clients, whose faults are reported then.
    limitsFor(start, undefined, options.warn);
    app.warm();
  };
  let goneAt: number | undefined;
  const connection = serveConnection({
    transport,
    server: createServerContext(app, start),
    client: {
      id: "stdio",
      limitsFor: (clientName) => limitsFor(start, clientName, options.warn),
      workspaceName: start.workspaceName,
      fallbackDir: start.cwdFlag ?? workspaceFallback(options.cwd, start.dirs.homeDir),
    },
    drainMs: shutdownDrainMs,
    // The time of the last requests is not taken from that for ending processes.
    onInputEnd: () => {
      goneAt = performance.now();
    },
    onFirstInputHandled: () => void setTimeout(warm, warmAfterMs).unref(),
  });
  onEndSignal(() => connection.shutdown());
  await connection.ended;
  await app.endAfter(goneAt);
  return 0;
}

/** The whole program: runs the command line and ends the process with its exit code. */
export async function runProgram(parts: ProgramParts): Promise<never> {
  routeConsoleToStderr();
  await runInnerProgram(process.argv.slice(2));
  const isGivenSecrets = hasSecrets(process.env);
  if (isGivenSecrets) await hideSecrets();
  const startedByServer = async (): Promise<string | undefined> =>
    (await import("./started-by-server.ts")).startedByServer(process.env);
  const io = createProcessIo({ ...parts, startedByServer });
  const { env, cwd } = io;
  // An error of a library or a tool may contain text of a page.
  const warn = (message: string): void =>
    io.stderr.write(`scorpiox-code: ${escapeUnsafe(message)}\n`);
  surviveMistakes(warn);
  if (env["NODE_TLS_REJECT_UNAUTHORIZED"] === "0") warn(uncheckedWarning);
  const print = (line: string): void => io.stdout.write(`${line}\n`);
  const services = createCliServices({
    program: parts,
    env,
    warn,
    cwd,
    print,
    storePlace: isGivenSecrets ? storePlace : async () => undefined,
  });
  process.exit(await runCommandLine(process.argv.slice(2), io, services));
}

/**
 * Where `STORE_URL` says that tasks and plans are kept; undefined without it: in the file of this user.
 * @throws AppError `config` when it cannot be used, `usage` when it is given twice
 */
async function storePlace(): Promise<PostgresPlace | undefined> {
  const { takeSecret } = await import("../../config/take-secret.ts");
  const url = takeSecret("STORE_URL");
  if (url === undefined) return undefined;
  const { readStoreUrl } = await import("../../state/store/postgres/store-url.ts");
  return readStoreUrl(url);
}

/** Before anything is started: what it starts would inherit them, or read them in `/proc`. */
async function hideSecrets(): Promise<void> {
  const [{ removeSecrets }, { wipeEnvironment }] = await Promise.all([
    import("../../config/take-secret.ts"),
    import("../../commands/process/wipe-environment.ts"),
  ]);
  const removed = removeSecrets(process.env);
  if (process.platform === "linux" && !wipeEnvironment(removed)) {
    const text = `${removed.join(", ")} can be read in /proc/${process.pid}/environ by commands. Use the variables with _FILE.`;
    writeSync(2, `scorpiox-code: ${text}\n`);
  }
}

/** Only the environment of the program can set this, and nothing else shows the lost protection. */
const uncheckedWarning =
  "NODE_TLS_REJECT_UNAUTHORIZED=0 is in the environment: no certificate is checked, so anyone on the network path " +
  "can read and change pages, calls of MCP servers and logins. Take it out. An authority of your own is trusted by NODE_EXTRA_CA_CERTS.";

/** A mistake in one call must not end the others: it is reported, and the server goes on. */
function surviveMistakes(warn: (message: string) => void): void {
  const report = (error: unknown): void => warn(`internal error: ${messageOf(error)}`);
  process.on("uncaughtException", report);
  process.on("unhandledRejection", report);
}
