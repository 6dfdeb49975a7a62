import { searchCutNoteCharsMax, searchNotesCharsShare } from "../../../base/upstream-limits.ts";
import type { CallToolResult } from "../../../protocol/tool-types.ts";
import { nearestTools } from "../../names/nearest-tools.ts";
import type { SearchQuery } from "../../upstreams.ts";
import type { Found, SearchParts } from "../find-matches.ts";
import { adviceIn, answerText } from "./answer-text.ts";
import { blockedMatches } from "./blocked.ts";
import { charsOf, fitMatches, type Fitted } from "./fit-matches.ts";
import type { SearchNotes } from "./search-notes.ts";
import { unavailableServers } from "./unavailable.ts";

/** The result of `tool_search` for what was found. */
export function composeAnswer(
  query: SearchQuery,
  found: Found,
  parts: SearchParts,
): CallToolResult {
  const notes = boundNotes(notesOf(query, found, parts), query.charsMax * searchNotesCharsShare);
  // What the notes take is known but for what depends on the matches.
  const empty = compose(query, found, [], notes);
  const fixed = Math.max(charsOf(empty.text), charsOf(empty.json)) + searchCutNoteCharsMax;
  const isExplained = query.explain ?? false;
  const fitted = fitMatches(
    found.matches,
    query.detail ?? "schema",
    isExplained,
    query.charsMax - fixed,
  );
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
  "Call a tool by its name, with arguments as its inputSchema wants them; or, if you can call listed tools only, " +
  'tool_call with {"name": …, "arguments": {…}}.';

/** Nothing matched: what there is instead (DF8). */
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

/** Lists of what is not there must leave room for what is. */
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
