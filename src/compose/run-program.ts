import { writeSync } from "node:fs";

import { routeConsoleToStderr } from "../base/console.ts";
import { messageOf } from "../base/errors.ts";
import { product } from "../base/product.ts";
import type { CliServices } from "../cli/command.ts";
import { escapeUnsafe } from "../base/unsafe-characters.ts";
import { createProcessIo } from "../cli/process-io.ts";
import { runCommandLine } from "../cli/run/run.ts";
import { decoderArgument } from "../tools/images/decoder-argument.ts";
import { sandboxArgument } from "../commands/sandbox/sandbox-argument.ts";
import { huntArgument } from "../commands/process/hunt-argument.ts";
import { pdfReaderArgument } from "../web/documents/pdf-reader-argument.ts";
import { LazyRouter } from "./lazy-router.ts";
import type { ProgramParts } from "./program-parts.ts";
import { serveStdio } from "./serve-stdio.ts";

/** The whole program: runs the command line and ends the process with its exit code. */
export async function runProgram(parts: ProgramParts): Promise<never> {
  routeConsoleToStderr();
  if (process.argv[2] === decoderArgument) {
    const { runDecoder } = await import("../tools/images/decode/run-decoder.ts");
    process.exit(await runDecoder(process.argv[3], process.env["PATH"] ?? ""));
  }
  if (process.argv[2] === pdfReaderArgument) {
    const { runPdfReader } = await import("../web/documents/run-pdf-reader.ts");
    process.exit(await runPdfReader(process.argv[3]));
  }
  if (process.argv[2] === huntArgument) {
    const { huntMarked } = await import("../commands/process/hunt-marked.ts");
    huntMarked(process.argv[3] ?? "");
    process.exit(0);
  }
  if (process.argv[2] === sandboxArgument) {
    const { runRestricted } = await import("../commands/sandbox/restrict/run-restricted.ts");
    const { limitOwnDescriptors } = await import("../commands/process/command-limits.ts");
    const [, , , rules, ...argv] = process.argv;
    const report = (message: string): void => void writeSync(2, `${message}\n`);
    limitOwnDescriptors();
    process.exit(runRestricted(rules, argv, process.env, report));
  }
  const startedByServer = async (): Promise<string | undefined> =>
    (await import("./started-by-server.ts")).startedByServer(process.env);
  const io = createProcessIo({ ...parts, startedByServer });
  // What a library or a tool threw may have text of a page in it.
  const warn = (message: string): void =>
    io.stderr.write(`scorpiox-code: ${escapeUnsafe(message)}\n`);
  surviveMistakes(warn);
  const { env } = io;
  if (env["NODE_TLS_REJECT_UNAUTHORIZED"] === "0") warn(uncheckedWarning);
  const services: CliServices = {
    version: product.version,
    get toolNames() {
      return parts.cards.map(({ listing }) => listing.name);
    },
    serveStdio: (start) => serveStdio(parts, start, { env, warn, cwd: io.cwd }),
    async serveHttp(start, http) {
      const { serveHttp } = await import("./serve-http.ts");
      const print = (line: string): void => io.stdout.write(`${line}\n`);
      return serveHttp(parts, start, http, { env, warn, print, cwd: io.cwd });
    },
    async createRouter(start) {
      const router = new LazyRouter(parts, { start, env, warn, isBrief: true });
      return {
        router,
        upstreams: router.upstreams,
        async upstreamTools(wanted) {
          const { upstreamTools } = await import("./upstream-tools.ts");
          return upstreamTools(router.upstreams, wanted);
        },
        close: () => router.close(),
      };
    },
    async upstreamCatalogues(start, servers, signal, how) {
      const { askUpstreams } = await import("./ask-upstreams.ts");
      return askUpstreams(parts, { start, env, warn }, servers, { signal, how });
    },
    async triedUpstreams(start, servers, signal) {
      const { tryUpstreams } = await import("./ask-upstreams.ts");
      return tryUpstreams(parts, { start, env, warn }, servers, signal);
    },
    async installUpstreams(start, servers, signal) {
      const { installUpstreams } = await import("./ask-upstreams.ts");
      return installUpstreams(parts, { start, env, warn }, servers, signal);
    },
    async openPages(start) {
      const { openPages } = await import("./open-pages.ts");
      return openPages(start, env);
    },
    async openHooks(start) {
      const { openHooks } = await import("./open-hooks.ts");
      return openHooks(start, { env, warn });
    },
    async probeSandbox(start) {
      const { probeSandbox } = await import("./probe-sandbox.ts");
      return probeSandbox(start, env);
    },
    async openSearch(start) {
      const { openSearch } = await import("./open-search.ts");
      return openSearch(start, env);
    },
  };
  const exitCode = await runCommandLine(process.argv.slice(2), io, services);
  process.exit(exitCode);
}

/** Only whoever starts the program can say so, and what is then lost is not seen anywhere else. */
const uncheckedWarning =
  "NODE_TLS_REJECT_UNAUTHORIZED=0 is in the environment: no certificate is checked, so who is on the way can read and " +
  "change pages, other MCP servers and logins. Take it out. An authority of your own is trusted by NODE_EXTRA_CA_CERTS.";

/** A mistake in one call must not end the others: it is reported, and the server goes on. */
function surviveMistakes(warn: (message: string) => void): void {
  const report = (error: unknown): void => warn(`internal error: ${messageOf(error)}`);
  process.on("uncaughtException", report);
  process.on("unhandledRejection", report);
}
