import type { Router } from "../calls/call.ts";
import type { HookEnd } from "../calls/policy/hooks/hook-end.ts";
import type { Hook } from "../calls/policy/hooks/hook.ts";
import type { SandboxReport } from "../commands/sandbox/report.ts";
import type { InstallOutcome } from "../upstream/install-outcome.ts";
import type { ConfiguredServer } from "../upstream/config/server-entry.ts";
import type { TriedServer } from "../upstream/tried-server.ts";
import type { AskedAs, Upstreams } from "../upstream/upstreams.ts";
import type { AskedCatalogue } from "../upstream/trust/asked-catalogue.ts";
import type { ToolListing } from "../protocol/tool-types.ts";
import type { WebSearch } from "../web/search/web-search.ts";
import type { CommandIo } from "./command-io.ts";
import type { HttpSettings } from "./http-flags.ts";
import type { FlagTable, ParsedArguments } from "./flags.ts";
import type { Printer } from "./print.ts";
import type { StartUp } from "./start-up.ts";

/** What commands need from the composition root. */
export interface CliServices {
  readonly version: string;
  /** The tools of our own, those that are switched off too. */
  readonly toolNames: readonly string[];
  /** Serves one client over stdin and stdout; resolves with the exit code when it has gone. */
  serveStdio(options: StartUp): Promise<number>;
  /** Serves clients over HTTP; resolves with the exit code when it was told to end. */
  serveHttp(options: StartUp, http: HttpSettings): Promise<number>;
  /** The tools, without a client. */
  createRouter(options: StartUp): Promise<OpenRouter>;
  /** The search of the web, without a tool around it; whoever asked for it disposes of it. */
  openSearch(options: StartUp): Promise<WebSearch>;
  /** Tries the sandboxes of this machine. */
  probeSandbox(options: StartUp): Promise<SandboxReport>;
  /**
   * Asks other servers what they offer, all at the same time, and leaves them; nothing of it is approved by that. By
   * name. All of `servers` may be started. Absent where this cannot be done.
   */
  upstreamCatalogues?(
    options: StartUp,
    servers: readonly ConfiguredServer[],
    signal: AbortSignal,
    how?: AskedAs,
  ): Promise<ReadonlyMap<string, AskedCatalogue>>;
  /**
   * Starts other servers as a server of ours would, all at the same time, and ends them. By name; a text says why nothing
   * is known of how that went. All of `servers` may be started. Absent where this cannot be done.
   */
  triedUpstreams?(
    options: StartUp,
    servers: readonly ConfiguredServer[],
    signal: AbortSignal,
  ): Promise<ReadonlyMap<string, TriedServer | string>>;
  /**
   * Fetches what other servers are started from, and says by name how that went. All of `servers` may be started. Absent
   * where this cannot be done.
   */
  installUpstreams?(
    options: StartUp,
    servers: readonly ConfiguredServer[],
    signal: AbortSignal,
  ): Promise<ReadonlyMap<string, InstallOutcome>>;
  /** What shows pages to the user of this machine. Absent where nothing can. */
  openPages?(options: StartUp): Promise<PageOpener>;
  /** Hooks, without a server around them; whoever asked for it closes it. */
  openHooks(options: StartUp): Promise<OpenHooks>;
}

export interface PageOpener {
  /** False: there is no screen, or no browser. */
  readonly canOpen: boolean;
  /** Takes addresses of http and https. False: it could not be opened, which may be known late or never. */
  open(url: string): Promise<boolean>;
}

/** Whoever asked for it closes it. */
export interface OpenHooks {
  /** Runs the hooks of an event; resolves when all have ended. `onEnd` is told of each. */
  emit(
    eventName: string,
    data: unknown,
    options: {
      readonly cwd: string;
      readonly signal: AbortSignal;
      readonly onEnd: (hook: Hook, end: HookEnd) => void;
    },
  ): Promise<void>;
  /** Ends what still runs. */
  close(): Promise<void>;
}

export interface UpstreamToolsWanted {
  /** Absent: of all servers. */
  readonly server?: string | undefined;
  /** True: those of servers too that are still being asked, within some time. */
  readonly waits: boolean;
}

/** A tool of another server, under its name here. */
export interface UpstreamTool {
  readonly server: string;
  readonly listing: ToolListing;
}

/** Whoever asked for it closes it. */
export interface OpenRouter {
  readonly router: Router;
  /** All other servers; absent where there can be none. Nothing of it is loaded before it is used. */
  readonly upstreams?: Upstreams & { readonly isWanted: boolean };
  /**
   * The tools of other servers that may be called, hidden ones included, ordered by server and name. Absent where there
   * are none.
   */
  upstreamTools?(wanted: UpstreamToolsWanted): Promise<readonly UpstreamTool[]>;
  /** Ends what calls have started, and the Workers. */
  close(): Promise<void>;
}

export interface CommandContext {
  readonly args: ParsedArguments;
  readonly io: CommandIo;
  readonly print: Printer;
  readonly services: CliServices;
}

/** One command: its file in `commands/` says all of it, its line in `registry.ts` lists it. */
export interface Command {
  /** What follows the command's name in its usage line. */
  readonly usage: string;
  /** What help says below the usage line. */
  readonly description: string;
  readonly flags: FlagTable;
  /** How many arguments there may be, besides flags. */
  readonly arguments: { readonly min: number; readonly max: number };
  /** See `ParseOptions`. */
  beginsCommand?(this: void, positionals: readonly string[]): boolean;
  /** It approves, widens or configures what servers may do, or answers for the user: what a server has started may not. */
  readonly needsPerson?: true;
  /** Resolves with the exit code; an `AppError` is printed and gives the code of its kind. */
  run(context: CommandContext): Promise<number>;
}
