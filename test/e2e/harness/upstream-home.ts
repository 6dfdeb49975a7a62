import { upstreamLaunch } from "../../fixtures/upstream/launch.ts";
import { TempFolder } from "./temp-folder.ts";

/** More lines for a server's entry. */
type Entry = Readonly<Record<string, unknown>>;

/** A home whose user has configured scripted servers, by name: `[script, more of its entry]`. */
export function upstreamHome(
  servers: Readonly<Record<string, readonly [script: object, entry?: Entry]>>,
): TempFolder {
  const home = new TempFolder();
  const text = Object.entries(servers).map(([name, [script, entry = {}]]) => {
    const members = { ...upstreamLaunch(script), ...entry };
    const lines = Object.entries(members).map(([key, value]) => `${key} = ${tomlOf(value)}`);
    return [`[mcp.servers.${name}]`, ...lines, ""].join("\n");
  });
  home.write(".scorpiox/config.toml", text.join("\n"));
  return home;
}

function tomlOf(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(tomlOf).join(", ")}]`;
  // A JSON string, number and boolean is TOML too, an object is not.
  if (typeof value !== "object" || value === null) return JSON.stringify(value);
  const members = Object.entries(value).map(
    ([key, each]) => `${JSON.stringify(key)} = ${tomlOf(each)}`,
  );
  return `{ ${members.join(", ")} }`;
}
