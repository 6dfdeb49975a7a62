import { upstreamSkillBytesMax, upstreamSkillFilesMax } from "../../base/upstream-limits.ts";
import { isObject } from "../../base/values.ts";
import type { Params } from "../../protocol/json-rpc.ts";
import type { SkillEntry, SkillFile } from "../../protocol/skills.ts";

type Named = Params & { readonly name: string };

/** A skill with a valid description from its server. */
export interface ForeignSkill extends SkillEntry {
  readonly frontmatter: Params & { readonly name: string; readonly description: string };
}

/** The member of a prompt's `_meta` that keeps the skill. */
const skillKey = "scorpiox-code/skill";

/**
 * Keeps a skill as a prompt with the skill in its `_meta`: so skills are pinned, compared, approved and locked like
 * prompts, with the digests of all their files.
 * @returns a text names the fault of the entry
 */
export function skillAsPrompt(entry: unknown): Named | string {
  const skill = readSkill(entry);
  if (typeof skill === "string") return skill;
  const { uri, frontmatter, resources } = skill;
  const { name: title, description } = frontmatter;
  return { name: uri, title, description, _meta: { [skillKey]: { uri, frontmatter, resources } } };
}

/** The skill that a prompt keeps; undefined for an ordinary prompt. */
export function skillIn({ name, _meta: meta }: Named): ForeignSkill | undefined {
  const kept = isObject(meta) ? meta[skillKey] : undefined;
  if (kept === undefined || !name.startsWith("skill://")) return undefined;
  const skill = readSkill(kept);
  return typeof skill === "string" ? undefined : skill;
}

function readSkill(entry: unknown): ForeignSkill | string {
  if (!isObject(entry)) return "An entry of skills/list is not an object.";
  const { uri, frontmatter, resources } = entry;
  if (typeof uri !== "string" || !isPlainUri(uri))
    return "An entry of skills/list has no usable uri.";
  const shown = JSON.stringify(uri);
  const [, name] = /([^/]+)\/SKILL\.md$/.exec(uri) ?? [];
  if (!isObject(frontmatter) || name === undefined || frontmatter.name !== name)
    return `The name of the skill ${shown} differs from that of its folder.`;
  if (name.length > 64 || !/^[a-z0-9]+(?:-[a-z0-9]+)*$/.test(name))
    return `The skill ${shown} has an invalid name.`;
  if (typeof frontmatter.description !== "string") return `The skill ${shown} has no description.`;
  const known = { ...frontmatter, name, description: frontmatter.description };
  if (resources === "dynamic") return { uri, frontmatter: known, resources };
  const files = readFiles(resources, uri);
  if (files === undefined) return `The list of files of the skill ${shown} is invalid.`;
  return { uri, frontmatter: known, resources: files };
}

/**
 * Undefined unless each file is listed once, the skill's own included, none is outside of its folder, and they are
 * within the limits.
 */
function readFiles(resources: unknown, skillUri: string): readonly SkillFile[] | undefined {
  if (!Array.isArray(resources) || resources.length > upstreamSkillFilesMax) return undefined;
  const folder = skillUri.slice(0, -"SKILL.md".length);
  const files = new Map<string, SkillFile>();
  let bytes = 0;
  for (const resource of resources as readonly unknown[]) {
    const file = readFile(resource, folder);
    if (file === undefined) return undefined;
    files.set(file.uri, file);
    bytes += file.size;
  }
  const isWhole = files.size === resources.length && files.has(skillUri);
  return isWhole && bytes <= upstreamSkillBytesMax ? [...files.values()] : undefined;
}

function readFile(file: unknown, folder: string): SkillFile | undefined {
  if (!isObject(file)) return undefined;
  const { uri, digest, size } = file;
  if (typeof uri !== "string" || !isPlainUri(uri) || !uri.startsWith(folder)) return undefined;
  if (typeof digest !== "string" || !/^sha256:[0-9a-f]{64}$/.test(digest)) return undefined;
  if (typeof size !== "number" || !Number.isInteger(size) || size < 0) return undefined;
  return { uri, digest, size };
}

/** Without steps that lead out of a folder, in any notation. */
function isPlainUri(uri: string): boolean {
  if (!/^skill:\/\/[^\s?#\\]{1,1000}$/.test(uri)) return false;
  return uri
    .slice("skill://".length)
    .split("/")
    .every((part) => !/^$|^(?:\.|%2e){1,2}$/i.test(part));
}
