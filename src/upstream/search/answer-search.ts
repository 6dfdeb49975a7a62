import { oneLine } from "../../base/cut-text.ts";
import { escapeUnsafe } from "../../base/unsafe-characters.ts";
import {
  searchCutNoteCharsMax,
  searchNotesCharsShare,
  searchReasonCharsMax,
  upstreamInstallAgainMs,
} from "../../base/upstream-limits.ts";
import type { CallToolResult } from "../../protocol/tool-types.ts";
import { nearestTools } from "../names/nearest-tools.ts";
import type { ServerInfo, ServerState } from "../server-state.ts";
import type { SearchQuery } from "../upstreams.ts";
import { type Found, type SearchParts, findMatches } from "./find-matches.ts";
import {
  blockedMatches,
  charsOf,
  fitMatches,
  type Fitted,
  type ShownBlocked,
} from "./fit-matches.ts";

/**
 * The result of `tool_search` (DF7–DF9): the same as text and as structured content, each within `query.charsMax`
 * characters. Never throws because of a query; an unusable one gives a result with `isError`.
 */
export async function answerSearch(
  query: SearchQuery,
  parts: SearchParts,
): Promise<CallToolResult> {
  const found = await findMatches(query, parts);
  if (found.kind === "problem") {
    return { content: [{ type: "text", text: found.text }], isError: true };
  }
  const notes = boundNotes(notesOf(query, found, parts), query.charsMax * searchNotesCharsShare);
  // The length of the notes is known, except for the parts that depend on the matches.
  const empty = compose(query, found, [], notes);
  const fixed = Math.max(charsOf(empty.text), charsOf(empty.json)) + searchCutNoteCharsMax;
  const { detail = "schema", explain = false } = query;
  const fitted = fitMatches(found.matches, detail, explain, query.charsMax - fixed);
  const { text, structured } = compose(query, found, fitted, notes);
  return { content: [{ type: "text", text }], structuredContent: structured, isError: false };
}

function compose(
  query: SearchQuery,
  found: Found,
  fitted: readonly Fitted[],
  notes: SearchNotes,
): { readonly text: string; readonly json: string; readonly structured: unknown } {
  const wanted = query.detail ?? "schema";
  const cut = fitted.filter(({ detail }) => detail !== wanted).map(({ shown }) => shown.name);
  const more = found.more + found.matches.length - fitted.length;
  const advice = adviceIn({ more, cut, notes });
  const structured = {
    matches: fitted.map(({ shown }) => shown),
    more,
    ...notes,
    ...(cut.length === 0 ? {} : { cut }),
    ...(found.isPartial ? { partial: true } : {}),
    ...(advice.length === 0 ? {} : { notes: advice }),
  };
  const text = answerText({ fitted, more, cut, isPartial: found.isPartial, notes });
  return { text, json: JSON.stringify(structured), structured };
}

function notesOf(query: SearchQuery, found: Found, parts: SearchParts): SearchNotes {
  const { server } = found;
  const servers = parts.servers.filter(({ name, state }) => {
    return (
      state !== "disabled" &&
      (server === undefined || name.toLowerCase().startsWith(server.toLowerCase()))
    );
  });
  const isEmpty = found.matches.length === 0;
  return {
    ...(found.unknown.length === 0 ? {} : { unknown: found.unknown }),
    unavailable: unavailableServers(servers),
    blocked: blockedMatches(found, parts.blocked),
    how_to_call: howToCall,
    ...(isEmpty ? emptyNotes(query, parts) : {}),
    ...(parts.indexFile === undefined ? {} : { index_file: parts.indexFile }),
  };
}

const howToCall =
  "Call a tool by its name, with arguments that match its inputSchema; or, if you can only call listed tools, " +
  'tool_call with {"name": …, "arguments": {…}}.';

/** Notes when nothing matched: the servers and the nearest names (DF8). */
function emptyNotes(
  query: SearchQuery,
  { servers, index }: SearchParts,
): Pick<SearchNotes, "servers" | "nearest"> {
  const counts = new Map<string, number>();
  for (const { server } of index.tools) counts.set(server, (counts.get(server) ?? 0) + 1);
  const names = index.tools.map(({ listing }) => listing.name);
  return {
    servers: servers
      .filter(({ state }) => state !== "disabled")
      .map(({ name, state }) => ({ server: name, tools: counts.get(name) ?? 0, state })),
    nearest: nearestTools(query.query, names, 0),
  };
}

/** Shortens the lists of notes, which must leave room for matches. */
function boundNotes(notes: SearchNotes, charsMax: number): SearchNotes {
  let bounded = notes;
  for (const key of ["servers", "unavailable", "blocked", "unknown"] as const) {
    while (charsOf(JSON.stringify(bounded)) > charsMax && (bounded[key]?.length ?? 0) > 0) {
      const list = bounded[key] ?? [];
      bounded = { ...bounded, [key]: list.slice(0, Math.floor(list.length / 2)), shortened: true };
    }
  }
  return bounded;
}

interface AnswerParts {
  readonly fitted: readonly Fitted[];
  readonly more: number;
  /** Names of tools that are shown in less detail than requested. */
  readonly cut: readonly string[];
  readonly isPartial: boolean;
  readonly notes: SearchNotes;
}

/** The reply for a model: the matches first, then the notes. */
function answerText({ fitted, more, cut, isPartial, notes }: AnswerParts): string {
  const lines = [headLine(fitted.length, more, isPartial)];
  lines.push(...fitted.map(({ text }) => text));
  if (cut.length > 0) {
    lines.push(
      `Not shown in full, because the reply would be too long: ${cut.join(", ")}. ${oneAlone}`,
    );
  }
  lines.push(...noteLines(notes));
  return lines.join("\n");
}

/** The advice of the text, which structured content has nowhere else. */
function adviceIn({ more, cut, notes }: Pick<AnswerParts, "more" | "cut" | "notes">): string[] {
  return [
    ...(more === 0 ? [] : [`${more} more match: ${moreAdvice}.`]),
    ...(cut.length === 0 ? [] : [`Tools in "cut" are not shown in full. ${oneAlone}`]),
    ...(notes.blocked.length === 0
      ? []
      : [`Tools in "blocked" cannot be called. ${blockedAdvice}`]),
  ];
}

const moreAdvice = "raise limit or make the query more specific";
const oneAlone = "Search for one of them: select:<name>.";
const blockedAdvice = "Pending and changed tools await the user's approval.";

function headLine(shown: number, more: number, isPartial: boolean): string {
  const rest = more === 0 ? "" : `; ${more} more match, ${moreAdvice}`;
  const part = isPartial ? "; the time limit was reached before all tools were searched" : "";
  if (shown === 0 && more === 0) return `No tool matches${part}.`;
  return `${shown} ${shown === 1 ? "tool" : "tools"}, best match first${rest}${part}.`;
}

function noteLines(notes: SearchNotes): readonly string[] {
  const lines: string[] = [];
  for (const { name, nearest } of notes.unknown ?? []) {
    const hint = nearest.length === 0 ? "" : ` Nearest: ${nearest.join(", ")}.`;
    lines.push(escapeUnsafe(`There is no tool ${JSON.stringify(name)}.${hint}`));
  }
  if (notes.nearest !== undefined && notes.nearest.length > 0) {
    lines.push(`Nearest names: ${notes.nearest.join(", ")}.`);
  }
  if (notes.servers !== undefined) {
    const servers = notes.servers.map(
      ({ server, tools, state }) => `${server} ${tools} (${state})`,
    );
    lines.push(`Servers and their tools: ${servers.join(", ") || "none"}.`);
  }
  for (const { server, state, reason, retry_in: retryIn } of notes.unavailable) {
    const again = state === "installing" ? "Search again" : "Next attempt";
    const retry = retryIn === undefined ? "" : ` ${again} in ${retryIn} s.`;
    lines.push(
      escapeUnsafe(`Unavailable: ${server} is ${state}: ${reason}.${retry}`.replace("..", ".")),
    );
  }
  if (notes.blocked.length > 0) {
    const blocked = notes.blocked.map(({ name, reason }) => `${name} (${reason})`);
    lines.push(`Cannot be called: ${blocked.join(", ")}. ${blockedAdvice}`);
  }
  lines.push(notes.how_to_call);
  if (notes.index_file !== undefined) lines.push(`All tools, one line each: ${notes.index_file}`);
  return lines;
}

/** The parts of a reply besides its matches, with the names of the structured content. */
interface SearchNotes {
  readonly unknown?: Found["unknown"];
  readonly unavailable: readonly Unavailable[];
  readonly blocked: readonly ShownBlocked[];
  readonly how_to_call: string;
  /** When nothing matched: all servers, with the number of their callable tools. */
  readonly servers?: readonly {
    readonly server: string;
    readonly tools: number;
    readonly state: ServerState;
  }[];
  /** When nothing matched: names that look like the query. */
  readonly nearest?: readonly string[];
  readonly index_file?: string;
  /** One of these lists was shortened. */
  readonly shortened?: true;
}

/** A server whose tools are not available now. */
interface Unavailable {
  readonly server: string;
  readonly state: ServerState;
  readonly reason: string;
  /** Seconds until the next attempt; absent when none is planned. */
  readonly retry_in?: number;
}

/** States in which the tools of a server are known, and `disabled`, which is not reported. */
const quietStates: ReadonlySet<ServerState> = new Set(["ready", "cached", "degraded", "disabled"]);

/** The reason for servers that have none of their own. */
const usualReasons: Partial<Readonly<Record<ServerState, string>>> = {
  untrusted: "not approved by the user",
  starting: "still connecting; search again in a few seconds",
  needs_config: "a variable that its entry names is not set",
  needs_auth: "needs a login",
};

/** Servers whose tools could not be searched, in the given order. */
function unavailableServers(servers: readonly ServerInfo[]): readonly Unavailable[] {
  return servers
    .filter(({ state }) => !quietStates.has(state))
    .map(({ name, state, reason, installing, retryInMs }) => {
      const againMs = installing === undefined ? retryInMs : upstreamInstallAgainMs;
      return {
        server: name,
        state,
        reason: oneLine(reason ?? usualReasons[state] ?? "cannot be reached", searchReasonCharsMax),
        ...(againMs === null ? {} : { retry_in: Math.ceil(againMs / 1000) }),
      };
    });
}
