import type { ToolProvider } from "../calls/call.ts";
import type { Hook, HookEnd } from "../calls/policy/hooks/hook.ts";
import type { SandboxReport } from "../commands/sandbox/notes.ts";
import type { ToolListing } from "../protocol/tool-types.ts";
import type { RunProgram } from "../install/client-command.ts";
import type { ConfiguredServer } from "../upstream/config/server-entry.ts";
import type {
  InstallOutcome,
  Installing,
  TriedServer,
  AskedCatalogue,
} from "../upstream/server-state.ts";
import type { AskedAs, Upstreams } from "../upstream/upstreams.ts";
import type { WebSearch } from "../web/search/create-search.ts";
import type { CommandIo, ParsedArguments, Printer } from "./command-io.ts";
import type { FlagTable } from "./flags.ts";
import type { HttpSettings } from "./http-settings.ts";
import type { PostgresPlace } from "../state/store/postgres/store-url.ts";
import type { StartUp } from "./start-up.ts";

/** The services that commands need from the composition root. */
export interface CliServices {
  readonly version: string;
  /** How this program starts itself: an absolute path, then arguments. */
  readonly ownCommand: readonly string[];
  /** Runs a program of the user's, found on PATH, and waits for its end. */
  readonly runProgram: RunProgram;
  /**
   * Starts a server as a client would, asks it for its tools, and ends it.
   * @throws {AppError} `system` with the reason when it does not answer
   */
  tryClientEntry(words: readonly string[], how: ServerTrialOptions): Promise<ServerTrial>;
  /** The native tools, including those that are switched off. */
  readonly toolNames: readonly string[];
  /**
   * The engine that keeps tasks and plans; undefined when the file of this user does.
   * @throws {AppError} `config` when STORE_URL cannot be used
   */
  storePlace(): Promise<PostgresPlace | undefined>;
  /** Serves one client over stdin and stdout; resolves with the exit code when it has gone. */
  serveStdio(options: StartUp): Promise<number>;
  /** Serves clients over HTTP; resolves with the exit code when it is stopped. */
  serveHttp(options: StartUp, http: HttpSettings): Promise<number>;
  /** The tools, without a client. */
  openTools(options: StartUp): Promise<OpenTools>;
  /** The web search, without a tool around it; the caller disposes of it. */
  openSearch(options: StartUp): Promise<WebSearch>;
  /** Tries the sandboxes of this machine. */
  probeSandbox(options: StartUp): Promise<SandboxReport>;
  /**
   * Reads the offers of upstream servers, all at the same time, and disconnects; approves nothing. By
   * name. All of `servers` may be started.
   */
  upstreamCatalogues(
    options: StartUp,
    servers: readonly ConfiguredServer[],
    signal: AbortSignal,
    how?: AskedAs & ServerWatch,
  ): Promise<ReadonlyMap<string, AskedCatalogue>>;
  /**
   * Starts upstream servers as a scorpiox-code server would, all at the same time, and ends them. By name; a text is the reason
   * why the outcome is unknown. All of `servers` may be started.
   */
  triedUpstreams(
    options: StartUp,
    servers: readonly ConfiguredServer[],
    signal: AbortSignal,
    watch?: ServerWatch,
  ): Promise<ReadonlyMap<string, TriedServer | string>>;
  /** Fetches the packages of upstream servers and returns the outcomes by name. All of `servers` may be started. */
  installUpstreams(
    options: StartUp,
    servers: readonly ConfiguredServer[],
    signal: AbortSignal,
    watch?: ServerWatch,
  ): Promise<ReadonlyMap<string, InstallOutcome>>;
  /** Opens pages for the user of this machine. */
  openPages(options: StartUp): Promise<PageOpener>;
  /** Hooks, without a server around them; the caller closes it. */
  openHooks(options: StartUp): Promise<OpenHooks>;
}

/** Follows work on several servers. */
export interface ServerWatch {
  /** The package of a server is being fetched. */
  readonly onInstalling?: (server: string, installing: Installing) => void;
  /** The work on one server has ended, well or not. */
  readonly onEnd?: (server: string) => void;
}

/** How a client starts a server and introduces itself. */
export interface ServerTrialOptions {
  readonly env: Readonly<Record<string, string>>;
  readonly clientName: string;
  readonly revision: string;
  /** The capabilities that the client declares. */
  readonly capabilities: Readonly<Record<string, object>>;
}

/** A server as a client sees it. */
export interface ServerTrial {
  /** Milliseconds from the start to the answer, and from there to the list. */
  readonly initializeMs: number;
  readonly listMs: number;
  readonly tools: readonly {
    readonly name: string;
    readonly description?: string;
    readonly _meta?: unknown;
  }[];
  /** Its lines on stderr, a few. */
  readonly stderr: readonly string[];
}

export interface PageOpener {
  /** False: there is no screen, or no browser. */
  readonly canOpen: boolean;
  /** Takes addresses of http and https. False: it could not be opened, which may be known late or never. */
  open(url: string): Promise<boolean>;
}

/** The caller closes it. */
export interface OpenHooks extends AsyncDisposable {
  /** Runs the hooks of an event; resolves when all have ended. `onEnd` is called for each. */
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
  [Symbol.asyncDispose](): Promise<void>;
}

export interface UpstreamToolsWanted {
  /** Absent: all servers. */
  readonly server?: string | undefined;
  /** True: those of servers too that are still being asked, within some time. */
  readonly waits: boolean;
}

/** An upstream tool, under its exposed name. */
export interface UpstreamTool {
  readonly server: string;
  readonly listing: ToolListing;
}

/** The caller closes it. */
export interface OpenTools extends AsyncDisposable {
  readonly tools: ToolProvider;
  /** All upstream servers. Nothing of it is loaded before it is used. */
  readonly upstreams: Upstreams & { readonly isWanted: boolean };
  /** The upstream tools that may be called, hidden ones included, ordered by server and name. */
  upstreamTools(wanted: UpstreamToolsWanted): Promise<readonly UpstreamTool[]>;
  /** Ends the processes that calls have started, and the Workers. */
  [Symbol.asyncDispose](): Promise<void>;
}

export interface CommandContext {
  readonly args: ParsedArguments;
  readonly io: CommandIo;
  readonly print: Printer;
  readonly services: CliServices;
}

/** One command. A file in `commands/` has it, alone or with related ones; its line in `run/registry.ts` lists it. */
export interface Command {
  /** The rest of its usage line after the command's name. */
  readonly usage: string;
  /** The help text below the usage line; help breaks its lines. */
  readonly description: string;
  /** Whole command lines that people type, without the program's name. */
  readonly examples?: readonly string[];
  readonly flags: FlagTable;
  /** How many arguments there may be, besides flags. */
  readonly arguments: { readonly min: number; readonly max: number };
  /** See `ParseOptions`. */
  beginsCommand?(this: void, positionals: readonly string[]): boolean;
  /**
   * It approves, extends or configures the servers' permissions, or answers for the user: a process that a server started may
   * not run it.
   */
  readonly needsPerson: boolean;
  /** Resolves with the exit code; an `AppError` is printed and gives the code of its kind. */
  run(context: CommandContext): Promise<number>;
}

/** A line of the command list. The command itself is loaded when it runs, so that a start loads one. */
export interface CommandListing {
  /** One word or two. */
  readonly name: string;
  /** Its name in other programs or older versions, of as many words. Help does not list it. */
  readonly alias?: string;
  readonly summary: string;
  load(): Promise<Command>;
}

/** The existing commands. */
export interface KnownCommands {
  readonly listings: readonly CommandListing[];
  readonly groups: () => ReadonlySet<string>;
  readonly find: (words: readonly string[]) => CommandListing | undefined;
}
