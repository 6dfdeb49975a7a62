import { join } from "node:path";

/** What a run of calls to one server may use. */
export interface CallPlace {
  /** A folder that servers may write to. */
  readonly folder: string;
  /** A page for browsers. */
  readonly page: string;
  /** What a tool said last. */
  readonly said: (tool: string) => string;
}

/** One call: its arguments, and what has to be in the answer. An error is one of the server's own. */
export interface RealCall {
  readonly tool: string;
  readonly args: Readonly<Record<string, unknown>>;
  readonly says?: string;
  readonly mayFail?: true;
}

type Calls = (place: CallPlace) => readonly RealCall[];
type Row = readonly [tool: string, args?: Readonly<Record<string, unknown>>, says?: string];

/** A call for each row; without an object no arguments, without a text any answer that is no error. */
export const rows = (...all: readonly Row[]): readonly RealCall[] =>
  all.map(([tool, args = {}, says]) => ({ tool, args, ...(says === undefined ? {} : { says }) }));

/** Of the reference server. */
export const everythingCalls: Calls = () =>
  rows(
    ["echo", { message: "hi" }, "Echo: hi"],
    ["get-annotated-message", { messageType: "error", includeImage: true }, "Error"],
    ["get-env", {}, "PATH"],
    ["get-resource-links", { count: 2 }, "scorpiox://mcp/"],
    ["get-resource-reference", { resourceType: "Text", resourceId: 1 }, "scorpiox://mcp/"],
    ["get-structured-content", { location: "Chicago" }, "temperature"],
    ["get-sum", { a: 19, b: 23 }, "42"],
    ["get-tiny-image", {}, '"type":"image"'],
    ["gzip-file-as-resource", { name: "a.gz", data: "data:text/plain,hello" }, "resource"],
    ["toggle-simulated-logging"],
    ["toggle-simulated-logging"],
    ["toggle-subscriber-updates"],
    ["toggle-subscriber-updates"],
    ["trigger-long-running-operation", { duration: 0.2, steps: 2 }, "completed"],
  );

/** Those of the reference server that ask. */
export const askingCalls: readonly RealCall[] = rows(
  ["trigger-elicitation-request", {}, "Ada"],
  ["trigger-sampling-request", { prompt: "p", maxTokens: 9 }, "Paris"],
  // Of 2025-11-25 and a task only, in which the server asks too.
  ["simulate-research-query", { topic: "python", ambiguous: true }, "Research Report: python ("],
  ["trigger-url-elicitation", { url: "https://example.com/" }, "accept"],
);

export const filesystemCalls: Calls = ({ folder }) => {
  const at = (...names: string[]): string => join(folder, ...names);
  const edits = [{ oldText: "one", newText: "three" }];
  return rows(
    ["list_allowed_directories"],
    ["create_directory", { path: at("made") }],
    ["write_file", { path: at("made", "a.txt"), content: "one\ntwo\n" }],
    ["read_file", { path: at("made", "a.txt") }, "one"],
    ["read_text_file", { path: at("made", "a.txt"), head: 1 }, "one"],
    ["read_multiple_files", { paths: [at("made", "a.txt")] }, "two"],
    ["read_media_file", { path: at("pixel.png") }, '"type":"image"'],
    ["edit_file", { path: at("made", "a.txt"), edits }, "+three"],
    ["list_directory", { path: at("made") }, "a.txt"],
    ["list_directory_with_sizes", { path: at("made") }, "a.txt"],
    ["directory_tree", { path: folder }, "a.txt"],
    ["move_file", { source: at("made", "a.txt"), destination: at("made", "b.txt") }],
    ["search_files", { path: folder, pattern: "**/b.txt" }, "b.txt"],
    ["get_file_info", { path: at("made", "b.txt") }, "size"],
  );
};

export const memoryCalls: Calls = () => {
  const relations = [{ from: "Ada", to: "engine", relationType: "programs" }];
  return rows(
    [
      "create_entities",
      {
        entities: [
          { name: "Ada", entityType: "person", observations: ["born 1815"] },
          { name: "engine", entityType: "thing", observations: [] },
        ],
      },
      "Ada",
    ],
    ["create_relations", { relations }, "programs"],
    ["add_observations", { observations: [{ entityName: "Ada", contents: ["a countess"] }] }],
    ["read_graph", {}, "countess"],
    ["search_nodes", { query: "countess" }, "Ada"],
    ["open_nodes", { names: ["engine"] }, "thing"],
    [
      "delete_observations",
      { deletions: [{ entityName: "Ada", observations: ["a countess"] }] },
      "success",
    ],
    ["delete_relations", { relations }, "success"],
    ["delete_entities", { entityNames: ["Ada"] }, "success"],
  );
};

export const thinkingCalls: Calls = () => {
  const thought = { thought: "t", nextThoughtNeeded: false, thoughtNumber: 1, totalThoughts: 1 };
  return rows(["sequentialthinking", thought, "thoughtHistoryLength"]);
};

/** Of examples of the official SDK v1. */
export const weatherCalls: Calls = () =>
  rows(["get_weather", { city: "Paris", country: "FR" }, '"structuredContent":{"temperature"']);
export const summaryCalls: Calls = () => rows(["summarize", { text: "a long text" }, "Paris"]);
export const progressCalls: Calls = () => rows(["count", { n: 5 }, "5"]);

/** Of the server of the official SDK for 2026-07-28. */
export const modernCalls: Calls = () =>
  rows(
    ["add", { a: 19, b: 23 }, "42"],
    ["count", { steps: 3 }],
    ["greet", {}, "Ada"],
    ["capital", {}, "Paris"],
    ["where", {}, "file:///"],
    ["touch", {}, "touched"],
  );
