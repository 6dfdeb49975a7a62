import { toolCallName, toolSearchName } from "../../base/tool-kinds.ts";
import { upstreamListWaitMs, upstreamNameWaitMs } from "../../base/upstream-limits.ts";
import { type NameResolution, nameStarts, NameTable } from "../../upstream/catalogue/name-table.ts";
import { parseCallArguments } from "../../upstream/search/gateway-tools.ts";
import {
  installingText,
  isComing,
  type ServerInfo,
  type ServerState,
} from "../../upstream/server-state.ts";
import {
  type BlockedTool,
  type ServerRights,
  type ToolEntry,
  unheardSnapshot,
  type UpstreamSnapshot,
} from "../../upstream/snapshot.ts";
import type { Upstreams } from "../../upstream/upstreams.ts";
import { resolvedCall } from "../resolved-call.ts";
import type { CallRequest } from "../call.ts";
import type { CallTarget } from "../call-target.ts";

export interface CallResolverParts {
  readonly upstreams: Pick<Upstreams, "snapshot" | "settled">;
  /** Names of all built-in tools, also of those that are switched off: no upstream tool can have these names. */
  readonly builtInNames: readonly string[];
  /** Names of the built-in tools that can be called. */
  readonly enabledNames: readonly string[];
  /** The key under which clients have this server. */
  readonly ownKey: string;
}

/** The meaning of the name of a call (NM6), and of the arguments of `tool_call`. */
interface Meant {
  readonly name: string;
  readonly args: unknown;
  readonly isWrapped: boolean;
}

/**
 * From a call as the client made it to the call as it is meant: under the tool's own name, whatever alias or wrapper was
 * used, so that all that comes after sees one and the same call.
 */
export class CallResolver {
  readonly #parts: CallResolverParts;
  readonly #reserved: readonly string[];
  readonly #enabled: ReadonlySet<string>;
  /** With the tools that are for apps alone, and without. */
  #table:
    | {
        readonly snapshot: UpstreamSnapshot;
        readonly all: NameTable;
        readonly forModels: NameTable;
        /** Targets of tools that were called by their own names: each call gets the same object. */
        readonly targets: Map<ToolEntry, CallTarget>;
      }
    | undefined;

  constructor(parts: CallResolverParts) {
    this.#parts = parts;
    this.#reserved = [...parts.builtInNames, toolSearchName, toolCallName];
    this.#enabled = new Set(parts.enabledNames);
  }

  /** At once for own tools; other names may have to wait for servers of which nothing is known yet. */
  readonly resolve = (call: CallRequest): CallRequest | Promise<CallRequest> => {
    if (call.name === toolSearchName) return resolvedCall(call, { ...call, target: search });
    if (this.#enabled.has(call.name)) return call;
    const { name, args } = call;
    if (name !== toolCallName) return this.#resolve(call, { name, args, isWrapped: false });
    const inner = parseCallArguments(args);
    if (inner.kind === "problem") return unresolved(call, inner.text, true);
    if (inner.value.name === toolCallName) {
      return unresolved(call, "tool_call cannot call itself: name the tool that is meant.", true);
    }
    const meant = { ...inner.value, isWrapped: true };
    if (meant.name === toolSearchName || this.#enabled.has(meant.name)) return own(call, meant);
    return this.#resolve(call, meant);
  };

  #resolve(call: CallRequest, meant: Meant): CallRequest | Promise<CallRequest> {
    const { snapshot } = this.#parts.upstreams;
    if (snapshot === undefined) return this.#resolveLater(call, meant);
    const resolution = this.#look(call, meant, snapshot);
    return resolution.kind === "unknown" && snapshot.isIncomplete
      ? this.#resolveLater(call, meant)
      : this.#asMeant(call, meant, resolution, snapshot);
  }

  async #resolveLater(call: CallRequest, meant: Meant): Promise<CallRequest> {
    const { upstreams } = this.#parts;
    let snapshot = upstreams.snapshot ?? (await upstreams.settled(upstreamListWaitMs));
    let resolution = this.#look(call, meant, snapshot);
    if (resolution.kind === "unknown" && snapshot.isIncomplete) {
      snapshot = await upstreams.settled(upstreamNameWaitMs);
      resolution = this.#look(call, meant, snapshot);
    }
    return this.#asMeant(call, meant, resolution, snapshot);
  }

  #look(
    { capabilities }: CallRequest,
    { name, isWrapped }: Meant,
    snapshot: UpstreamSnapshot,
  ): NameResolution {
    // A call of an app comes from its client by name; a model uses the other forms.
    const isForApps = capabilities?.apps !== undefined && !isWrapped;
    if (this.#table?.snapshot !== snapshot) {
      const { tools, blocked } = snapshot;
      const build = (isWanted: (entry: ToolEntry | BlockedTool) => boolean): NameTable =>
        new NameTable({
          tools: tools.filter(isWanted),
          blocked: blocked.filter(isWanted),
          reserved: this.#reserved,
          ownKey: this.#parts.ownKey,
        });
      const isAppTool = (entry: ToolEntry | BlockedTool): boolean => entry.isForApps === true;
      const all = build(() => true);
      const hasAppTools = [...tools, ...blocked].some(isAppTool);
      const forModels = hasAppTools ? build((entry) => !isAppTool(entry)) : all;
      this.#table = { snapshot, all, forModels, targets: new Map() };
    }
    const { all, forModels } = this.#table;
    return (isForApps ? all : forModels).resolve(name);
  }

  #targetOf(entry: ToolEntry, meant: Meant, snapshot: UpstreamSnapshot): CallTarget {
    const targets = this.#table?.snapshot === snapshot ? this.#table.targets : undefined;
    const known = meant.name === entry.name ? targets?.get(entry) : undefined;
    if (known !== undefined) return known;
    const target = toolTarget(entry, meant, rightsOf(snapshot, entry));
    if (meant.name === entry.name) targets?.set(entry, target);
    return target;
  }

  /** An own tool by an alias. */
  #builtIn(call: CallRequest, meant: Meant): CallRequest | Promise<CallRequest> {
    if (meant.name !== toolCallName || meant.isWrapped) return own(call, meant);
    const { name, args } = meant;
    return forbidden(call, name, false) ?? this.resolve(resolvedCall(call, { name, args }));
  }

  #asMeant(
    call: CallRequest,
    meant: Meant,
    resolution: NameResolution,
    snapshot: UpstreamSnapshot,
  ): CallRequest | Promise<CallRequest> {
    switch (resolution.kind) {
      case "built-in":
        return this.#builtIn(call, { ...meant, name: resolution.name });
      case "found": {
        const { entry } = resolution;
        return forTool(call, meant, entry.name, this.#targetOf(entry, meant, snapshot));
      }
      case "blocked": {
        const { name, server, tool, reason, text } = resolution.entry;
        const about = { server, tool, reason, text, ...aliasOf(meant, name) };
        return forTool(call, meant, name, { kind: "blocked", ...about });
      }
      case "ambiguous":
        return unresolved(call, ambiguousText(meant.name, resolution.candidates), meant.isWrapped);
      case "unknown": {
        const missing =
          snapshot === unheardSnapshot
            ? unheardServers
            : missingServer(meant.name, snapshot, `mcp__${this.#parts.ownKey}__`);
        // Nobody knows yet whether there is such a tool: the model is to come back, and not to look for another.
        if (missing?.isComing === true) {
          const text = `${shown(meant.name)} cannot be called yet. ${missing.text}`;
          return unresolved(call, text, true);
        }
        const text = unknownText(meant.name, resolution.nearest, missing?.text);
        return unresolved(call, text, meant.isWrapped);
      }
    }
  }
}

const search: CallTarget = { kind: "search" };

/** An own tool that was named by an alias or by `tool_call`. */
function own(call: CallRequest, meant: Meant): CallRequest {
  if (meant.name === toolCallName) {
    return unresolved(call, "tool_call cannot call itself: name the tool that is meant.", true);
  }
  const target = meant.name === toolSearchName ? { target: search } : {};
  const { name, args, isWrapped } = meant;
  const refusal = forbidden(call, name, isWrapped);
  return refusal ?? resolvedCall(call, { name, args, ...target });
}

function forTool(call: CallRequest, meant: Meant, name: string, target: CallTarget): CallRequest {
  const refusal = forbidden(call, name, meant.isWrapped);
  return refusal ?? resolvedCall(call, { name, args: meant.args, target });
}

/** Scopes are matched against the name that the client used, and the tool's own name. */
function forbidden(call: CallRequest, name: string, isWrapped: boolean): CallRequest | undefined {
  const { mayUse } = call.client;
  if (mayUse === undefined || mayUse(name)) return undefined;
  return unresolved(call, `Invalid params: you may not use the tool ${shown(name)}`, isWrapped);
}

function toolTarget(entry: ToolEntry, meant: Meant, rights: ServerRights): CallTarget {
  const { server, tool, annotations, isReadOnly, listing, name } = entry;
  return {
    kind: "tool",
    server,
    tool,
    rights,
    hasOutputSchema: listing?.outputSchema !== undefined,
    ...(annotations === undefined ? {} : { annotations }),
    ...(isReadOnly === true && { isReadOnly }),
    ...aliasOf(meant, name),
  };
}

function aliasOf(meant: Meant, name: string): { readonly alias?: string } {
  return meant.name === name ? {} : { alias: meant.name };
}

/** Absent for a server that was just removed: then the strictest. */
function rightsOf({ rights }: UpstreamSnapshot, { server }: ToolEntry): ServerRights {
  return rights.find(({ name }) => name === server) ?? { ...strictest, name: server };
}

const strictest = {
  sampling: "deny",
  elicitation: "deny",
  roots: "none",
  timeoutMs: 600_000,
  handover: true,
} as const;

function unresolved(call: CallRequest, text: string, isResult: boolean): CallRequest {
  const { name, args } = call;
  return resolvedCall(call, { name, args, target: { kind: "unresolved", text, isResult } });
}

function ambiguousText(name: string, candidates: readonly string[]): string {
  return `${shown(name)} may be any of several tools. Call one of: ${candidates.slice(0, namesShownMax).join(", ")}.`;
}

function unknownText(name: string, nearest: readonly string[], missing = ""): string {
  const hint = nearest.length === 0 ? "" : ` Nearest: ${nearest.join(", ")}.`;
  const why = missing === "" ? "" : ` ${missing}`;
  return `Unknown tool: ${shown(name)}.${why}${hint} ${toolSearchName} finds tools of MCP servers.`;
}

function shown(name: string): string {
  return name.slice(0, 100);
}

const namesShownMax = 20;

/** States in which all tools of a server are known. */
const knownStates: ReadonlySet<ServerState> = new Set(["ready", "cached"]);

/** A server whose tools are not there. */
interface MissingServer {
  /** A request for its tools may succeed soon. */
  readonly isComing: boolean;
  /** A sentence or two: the state, and when to try again. */
  readonly text: string;
}

/** When most servers that are starting have started. */
const startsAgainS = 3;

/** For any name, while nobody knows yet which servers there are. */
const unheardServers: MissingServer = {
  isComing: true,
  text: `The MCP servers are being looked up. Try again in ${startsAgainS} s.`,
};

/**
 * The server that an unknown name refers to, by any of the forms that names of tools have (NM5), if that exists and its
 * tools are not.
 * @param ownPrefix the prefix that clients put before all names of scorpiox-code
 */
function missingServer(
  name: string,
  { servers, rights }: UpstreamSnapshot,
  ownPrefix: string,
): MissingServer | undefined {
  const bare = name.startsWith(ownPrefix) ? name.slice(ownPrefix.length) : name;
  const prefixes = new Map(rights.map((each) => [each.name, each.prefix]));
  const found = servers
    .filter(({ state }) => !knownStates.has(state))
    .flatMap((server) =>
      nameStarts(server.name, prefixes.get(server.name))
        .filter((start) => [name, bare].some((each) => each.startsWith(start)))
        .map((start) => ({ server, length: start.length })),
    )
    .sort((one, other) => other.length - one.length)[0];
  if (found === undefined) return undefined;
  const { server } = found;
  const isSoon = isComing(server.state);
  return { isComing: isSoon, text: isSoon ? comingText(server) : stateText(server) };
}

function stateText({ name, state, reason }: ServerInfo): string {
  return `The server ${name} is ${state}.${reason === null ? "" : ` ${reason}`}`;
}

function comingText({ name, reason, installing }: ServerInfo): string {
  if (installing !== undefined) return `The MCP server ${name}: ${installingText(installing)}`;
  const why = reason === null ? "" : ` ${reason}`;
  return `The MCP server ${name} is starting, and its tools are not known yet.${why} Try again in ${startsAgainS} s.`;
}
