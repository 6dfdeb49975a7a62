import {
  upstreamToolCharsMax,
  upstreamToolDepthMax,
  upstreamToolNameCharsMax,
} from "../../base/upstream-limits.ts";
import { isObject } from "../../protocol/json-rpc.ts";
import type { RawTool } from "./server-catalogue.ts";
import { isNestedDeeper } from "./nesting.ts";

export type ToolReading =
  | { readonly kind: "tool"; readonly tool: RawTool }
  /** In one sentence, with its name as far as it has one. */
  | { readonly kind: "problem"; readonly problem: string };

/** Checks the two members of a tool that matter; one that is malformed spoils itself only (CN6). */
export function readTool(value: unknown): ToolReading {
  if (!isObject(value)) return problem("A tool is no object.");
  const { name, inputSchema } = value;
  if (typeof name !== "string" || name === "") return problem("A tool has no name.");
  if (name.length > upstreamToolNameCharsMax) {
    return problem(
      `The name of tool ${shown(name)} is longer than ${upstreamToolNameCharsMax} characters.`,
    );
  }
  if (!isObject(inputSchema) || !isObjectType(inputSchema.type)) {
    return problem(`Tool ${shown(name)} has no input schema of an object.`);
  }
  if (isNestedDeeper(value, upstreamToolDepthMax)) {
    return problem(
      `The definition of tool ${shown(name)} is deeper than ${upstreamToolDepthMax} levels.`,
    );
  }
  if (JSON.stringify(value).length > upstreamToolCharsMax) {
    return problem(
      `The definition of tool ${shown(name)} is longer than ${upstreamToolCharsMax} characters.`,
    );
  }
  // Many say nothing of the type, and mean an object.
  return {
    kind: "tool",
    tool: { ...value, name, inputSchema: { ...inputSchema, type: "object" } },
  };
}

function isObjectType(type: unknown): boolean {
  return type === undefined || type === "object";
}

function problem(text: string): ToolReading {
  return { kind: "problem", problem: text };
}

function shown(name: string): string {
  return JSON.stringify(name.length > 60 ? `${name.slice(0, 60)}…` : name);
}
