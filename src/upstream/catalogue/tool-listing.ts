import { cutEnd } from "../../base/cut-text.ts";
import { upstreamDescriptionCharsMax, upstreamTitleCharsMax } from "../../base/upstream-limits.ts";
import type { Icon } from "../../protocol/icon.ts";
import { isObject, type Params } from "../../protocol/json-rpc.ts";
import type { ToolAnnotations, ToolListing } from "../../protocol/tool-types.ts";
import { cleanMeta } from "../results/clean-result.ts";
import { flattenSchema } from "./flatten-schema.ts";
import type { RawTool } from "../connect/server-catalogue.ts";

const hints = ["readOnlyHint", "destructiveHint", "idempotentHint", "openWorldHint"] as const;

/**
 * A tool of another server as clients are shown it, apart from its name and title, which depend on other tools. Members
 * of a wrong type are left out.
 * @param tool without hidden characters
 */
export function toolListing(server: string, tool: RawTool): Omit<ToolListing, "name"> {
  const { schema, note } = flattenSchema(tool.inputSchema);
  const own = cutEnd(textOf(tool.description) ?? "", upstreamDescriptionCharsMax);
  const description = [own, note ?? ""].filter((text) => text !== "").join("\n");
  const { outputSchema, _meta: meta } = tool;
  const annotations = readAnnotations(tool.annotations);
  const title = titleOf(tool, annotations);
  const icons = readIcons(tool.icons);
  return {
    ...(title === undefined ? {} : { title }),
    description,
    inputSchema: schema,
    ...(isObject(outputSchema) ? { outputSchema } : {}),
    ...(annotations === undefined ? {} : { annotations }),
    ...(icons === undefined ? {} : { icons }),
    ...(isObject(meta) ? { _meta: cleanMeta(meta, { server, clean: (text) => text }) } : {}),
  };
}

/** Hints that are true or false. They are of an untrusted party (TR6). */
function readAnnotations(value: unknown): ToolAnnotations | undefined {
  if (!isObject(value)) return undefined;
  const title = textOf(value.title);
  const entries = hints.flatMap((hint) => {
    const said = value[hint];
    return typeof said === "boolean" ? [[hint, said] as const] : [];
  });
  const annotations: ToolAnnotations = {
    ...(title === undefined ? {} : { title: cutEnd(title, upstreamTitleCharsMax) }),
    ...Object.fromEntries(entries),
  };
  return Object.keys(annotations).length === 0 ? undefined : annotations;
}

/** Icons that a client can show; undefined when there are none. */
export function readIcons(value: unknown): readonly Icon[] | undefined {
  if (!Array.isArray(value)) return undefined;
  const icons = value.filter(
    (icon): icon is Params & Icon => isObject(icon) && typeof icon.src === "string",
  );
  return icons.length === 0 ? undefined : icons;
}

function titleOf(tool: RawTool, annotations: ToolAnnotations | undefined): string | undefined {
  const title = textOf(tool.title) ?? annotations?.title;
  return title === undefined ? undefined : cutEnd(title, upstreamTitleCharsMax);
}

export function textOf(value: unknown): string | undefined {
  return typeof value === "string" && value !== "" ? value : undefined;
}
