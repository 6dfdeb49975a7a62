import { searchLimitDefault, searchLimitMax } from "../../base/upstream-limits.ts";
import { isObject, type Params } from "../../protocol/json-rpc.ts";
import type { SearchQuery } from "../upstreams.ts";

/** A problem is one sentence for the model: which argument, what it must be. */
export type Parsed<Value> =
  | { readonly kind: "ok"; readonly value: Value }
  | { readonly kind: "problem"; readonly text: string };

const details = ["schema", "summary", "name"] as const;

/** The arguments of `tool_search`; `charsMax` is what its answer may have. */
export function parseSearchArguments(
  args: unknown,
  charsMax: number,
): Parsed<SearchQuery & { readonly limit: number }> {
  if (!isObject(args) || typeof args["query"] !== "string") {
    return problem("tool_search needs `query`: a few words that say what the tool is to do.");
  }
  const { query, limit = searchLimitDefault, server, detail, read_only: readOnly, explain } = args;
  if (!isLimit(limit)) return problem(`\`limit\` must be an integer from 1 to ${searchLimitMax}.`);
  if (server !== undefined && typeof server !== "string") {
    return problem("`server` must be the name of a server.");
  }
  const known = details.find((name) => name === detail);
  if (detail !== undefined && known === undefined) {
    return problem(`\`detail\` must be one of ${details.join(", ")}.`);
  }
  if (!isFlag(readOnly)) return problem("`read_only` must be true or false.");
  if (!isFlag(explain)) return problem("`explain` must be true or false.");
  return {
    kind: "ok",
    value: {
      query,
      limit,
      charsMax,
      ...(server === undefined ? {} : { server }),
      ...(known === undefined ? {} : { detail: known }),
      ...(readOnly === undefined ? {} : { readOnly }),
      ...(explain === undefined ? {} : { explain }),
    },
  };
}

/** The arguments of `tool_call`: the real tool's name and arguments, which are checked against its own schema later. */
export function parseCallArguments(
  args: unknown,
): Parsed<{ readonly name: string; readonly args: Params }> {
  if (!isObject(args) || typeof args["name"] !== "string") {
    return problem("tool_call needs `name`: a tool's name as tool_search gives it.");
  }
  const { name, arguments: inner = {} } = args;
  if (!isObject(inner)) {
    return problem(`tool_call needs \`arguments\` as an object: what ${name.slice(0, 200)} wants.`);
  }
  return { kind: "ok", value: { name, args: inner } };
}

function isLimit(limit: unknown): limit is number {
  return Number.isInteger(limit) && Number(limit) >= 1 && Number(limit) <= searchLimitMax;
}

function isFlag(value: unknown): value is boolean | undefined {
  return value === undefined || typeof value === "boolean";
}

function problem(text: string): { readonly kind: "problem"; readonly text: string } {
  return { kind: "problem", text };
}
