import { cutEnd } from "../../base/cut-text.ts";
import { upstreamDescriptionCharsMax, upstreamTitleCharsMax } from "../../base/upstream-limits.ts";
import { isObject } from "../../base/values.ts";
import type { Params } from "../../protocol/json-rpc.ts";
import type { Icon } from "../../protocol/resource-types.ts";
import type { ToolAnnotations, ToolListing, ObjectSchema } from "../../protocol/tool-types.ts";
import type { RawTool } from "../connect/connection.ts";
import { cleanMeta } from "../results/clean-result.ts";

const hints = ["readOnlyHint", "destructiveHint", "idempotentHint", "openWorldHint"] as const;

/**
 * An upstream server's tool as clients see it, apart from its name and title, which depend on other tools. Members of a
 * wrong type are left out.
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

/** The boolean hints. They come from an untrusted party (TR6). */
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

/** Icons that a client can show; undefined without any. */
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

/**
 * The properties of several schemas together. A property that they define differently may be any of the definitions, or
 * must fit all of them, depending on `how`.
 */
function joinProperties(branches: readonly Params[], how: "anyOf" | "allOf"): Params {
  const variants = new Map<string, Map<string, unknown>>();
  for (const { properties } of branches) {
    if (!isObject(properties)) continue;
    for (const [name, schema] of Object.entries(properties)) {
      const known = variants.get(name) ?? new Map<string, unknown>();
      variants.set(name, known.set(JSON.stringify(schema), schema));
    }
  }
  const joined = [...variants].map(
    ([name, said]) => [name, join([...said.values()], how)] as const,
  );
  return Object.fromEntries(joined);
}

function join(schemas: readonly unknown[], how: "anyOf" | "allOf"): unknown {
  if (schemas.length === 1) return schemas[0];
  const values = how === "anyOf" ? allValues(schemas) : undefined;
  return values === undefined ? { [how]: schemas } : values;
}

/** Where each schema lists its values, as the property that distinguishes the branches does: one list of them. */
function allValues(schemas: readonly unknown[]): unknown {
  const texts: unknown[] = [];
  for (const schema of schemas) {
    if (!isObject(schema) || Object.keys(schema).some((key) => !valueKeys.has(key)))
      return undefined;
    if (Array.isArray(schema.enum)) texts.push(...(schema.enum as readonly unknown[]));
    else if ("const" in schema) texts.push(schema.const);
    else return undefined;
  }
  if (!texts.every((value) => typeof value === "string")) return undefined;
  const isTyped = schemas.every((schema) => isObject(schema) && schema.type === "string");
  return { ...(isTyped ? { type: "string" } : {}), enum: [...new Set(texts)] };
}

const valueKeys: ReadonlySet<string> = new Set(["type", "const", "enum"]);

const combinators = ["anyOf", "oneOf", "allOf"] as const;

/** A schema as clients see it, and a note about the parts that only words can express. */
export interface FlatSchema {
  readonly schema: ObjectSchema;
  /** For the description; undefined when nothing was changed. */
  readonly note?: string;
}

/**
 * Removes `anyOf`, `oneOf` and `allOf` at the root, which model APIs reject there (CA18): the result has all properties
 * of all branches and requires those that every branch requires. Arguments are still checked against the original.
 */
export function flattenSchema(schema: ObjectSchema): FlatSchema {
  if (!combinators.some((name) => name in schema)) return { schema };
  const { anyOf, oneOf, allOf, ...root } = schema;
  const any = branchesOf(anyOf, schema);
  const one = branchesOf(oneOf, schema);
  const all = branchesOf(allOf, schema);
  const properties = {
    ...joinProperties([...any, ...one], "anyOf"),
    ...joinProperties(all, "allOf"),
    ...(isObject(root.properties) ? root.properties : {}),
  };
  const required = new Set([
    ...requiredOf(root),
    ...all.flatMap(requiredOf),
    ...requiredByEach(any),
    ...requiredByEach(one),
  ]);
  const flat = { ...root, properties };
  return {
    schema: required.size === 0 ? flat : { ...flat, required: [...required] },
    ...noteOf(any, one),
  };
}

/** Resolves branches that are a `$ref` into the schema, one step. */
function branchesOf(value: unknown, schema: ObjectSchema): readonly Params[] {
  if (!Array.isArray(value)) return [];
  return value
    .filter(isObject)
    .map((branch) => (typeof branch.$ref === "string" ? lookUp(branch.$ref, schema) : branch));
}

function lookUp(ref: string, schema: ObjectSchema): Params {
  const steps = ref.startsWith("#/") ? ref.slice(2).split("/") : [];
  let found: unknown = steps.length === 0 ? undefined : schema;
  for (const step of steps) {
    const name = step.replaceAll("~1", "/").replaceAll("~0", "~");
    found = isObject(found) && Object.hasOwn(found, name) ? found[name] : undefined;
  }
  return isObject(found) ? found : {};
}

function requiredOf(branch: Params): readonly string[] {
  const { required } = branch;
  return Array.isArray(required) ? required.filter((name) => typeof name === "string") : [];
}

function requiredByEach(branches: readonly Params[]): readonly string[] {
  const [first, ...others] = branches.map(requiredOf);
  return (first ?? []).filter((name) => others.every((names) => names.includes(name)));
}

function noteOf(any: readonly Params[], one: readonly Params[]): { readonly note?: string } {
  const lines = [
    ...(any.length === 0 ? [] : [`at least one of: ${branchTexts(any)}`]),
    ...(one.length === 0 ? [] : [`exactly one of: ${branchTexts(one)}`]),
  ];
  return lines.length === 0 ? {} : { note: `Arguments must fit ${lines.join("; and ")}.` };
}

function branchTexts(branches: readonly Params[]): string {
  const texts = branches.slice(0, branchesShownMax).map((branch) => {
    const names = requiredOf(branch);
    return names.length === 0 ? "(none required)" : `(${names.join(", ")})`;
  });
  const more = branches.length - texts.length;
  return [...texts, ...(more > 0 ? [`and ${more} more`] : [])].join(" ");
}

/** A model reads the note; a schema with more branches is not made for models. */
const branchesShownMax = 10;
