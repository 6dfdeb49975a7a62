import * as z from "zod/mini";

import type { ObjectSchema, ToolListing } from "../protocol/tool-types.ts";
import type { AnyTool, Snapshots } from "./tool.ts";

/** The main thread's view of a tool: its listing, and the settings of its jobs. Plain data. */
export interface ToolCard {
  readonly listing: ToolListing;
  readonly snapshots: readonly (keyof Snapshots)[];
  readonly jobMsMax: number | null;
  readonly taskSupport: "none" | "optional" | "required";
  readonly touchesFiles: boolean;
}

/** The card of a tool; schemas come from its zod types. */
export function toolCard(tool: AnyTool): ToolCard {
  return {
    listing: {
      name: tool.name,
      title: tool.title,
      description: tool.description,
      inputSchema: withRequired(jsonSchema(tool.input, "input"), tool.publishedAsRequired ?? []),
      ...outputSchema(tool),
      annotations: { title: tool.title, ...tool.annotations },
    },
    snapshots: tool.snapshots ?? [],
    jobMsMax: tool.jobMsMax ?? null,
    taskSupport: tool.taskSupport ?? "none",
    touchesFiles: tool.touchesFiles ?? true,
  };
}

function outputSchema({ output, answersInJson }: AnyTool): Pick<ToolListing, "outputSchema"> {
  if (output === undefined || answersInJson !== true) return {};
  return { outputSchema: jsonSchema(output, "output") };
}

function jsonSchema(schema: z.ZodMiniType, io: "input" | "output"): ObjectSchema {
  const { $schema: _, ...json } = z.toJSONSchema(schema, { io });
  return { ...withoutSafeIntegerBounds(json), type: "object" };
}

/** States more fields as required than are. They keep the order in which they are listed. */
function withRequired(schema: ObjectSchema, more: readonly string[]): ObjectSchema {
  if (more.length === 0) return schema;
  const { required, properties } = schema;
  const stated: readonly unknown[] = Array.isArray(required) ? required : [];
  const all = Object.keys(properties ?? {}).filter(
    (key) => stated.includes(key) || more.includes(key),
  );
  return { ...schema, required: all };
}

/** zod bounds every integer by ±(2^53 - 1), which is of no use to a client. */
function withoutSafeIntegerBounds(schema: object): Readonly<Record<string, unknown>> {
  const entries = Object.entries(schema)
    .filter(([, bound]) => Math.abs(Number(bound)) !== Number.MAX_SAFE_INTEGER)
    .map(([key, inner]) => [key, withoutBoundsInside(inner)]);
  return Object.fromEntries(entries);
}

function withoutBoundsInside(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withoutBoundsInside);
  return typeof value === "object" && value !== null ? withoutSafeIntegerBounds(value) : value;
}
