/** What a `skill://` URI names. */
export interface SkillUri {
  readonly name: string;
  /** Parts of the path below the skill's folder; none for the folder itself. */
  readonly path: readonly string[];
}

const prefix = "skill://";

/** The URI of a file or folder of a skill. There is one way to write each, so that subscriptions compare texts. */
export function skillUri(name: string, path = "SKILL.md"): string {
  const parts = path === "" ? [name] : [name, ...path.split("/")];
  return prefix + parts.map(encodeURIComponent).join("/");
}

/** Undefined for what is none, or is written in another way than `skillUri` does. */
export function readSkillUri(uri: string): SkillUri | undefined {
  if (!uri.startsWith(prefix) || !uri.isWellFormed()) return undefined;
  const parts = uri.slice(prefix.length).split("/").map(decoded);
  const [name, ...path] = parts;
  if (name === undefined || !parts.every(isPlainPart)) return undefined;
  return skillUri(name, path.join("/")) === uri ? { name, path } : undefined;
}

function decoded(part: string): string {
  try {
    return decodeURIComponent(part);
  } catch {
    return "";
  }
}

/** A part that names something in its folder and nothing else; what begins with a dot is no part of a skill. */
function isPlainPart(part: string): boolean {
  // oxlint-disable-next-line no-control-regex -- file systems end names at NUL
  return part !== "" && !part.startsWith(".") && !/[/\\\u0000]/.test(part);
}
