import type { ConfiguredServer } from "../server-entry.ts";
import { escapeHidden } from "./hidden-characters.ts";

/** All that is approved with a server, uncut: what is left out would be approved unseen. No values of secrets. */
export function launchLines({ entry, identity, standIn }: ConfiguredServer): readonly string[] {
  const { launch, origin } = entry;
  const rows: (readonly [name: string, value: string])[] = [
    ["from", escapeHidden(origin.file ?? "the environment")],
  ];
  if (launch.transport === "stdio") {
    rows.push(["command", quoted(launch.command)]);
    for (const argument of launch.args) rows.push(["argument", quoted(argument)]);
    for (const [name, value] of sortedEntries(launch.env)) {
      rows.push([
        "env",
        changesProgram(name) ? `${quoted(name)} = ${quoted(value)}` : quoted(name),
      ]);
    }
    rows.push(["cwd", quoted(launch.cwd ?? ".")]);
  } else {
    rows.push(["url", quoted(launch.url)]);
    for (const [name] of sortedEntries(launch.headers)) rows.push(["header", quoted(name)]);
  }
  rows.push(["sha256", identity]);
  if (standIn !== undefined) {
    const own = standIn.entry.origin.file ?? "the environment";
    rows.push(["note", `takes the place of your own server of this name (${escapeHidden(own)})`]);
  }
  return rows.map(([name, value]) => `  ${name.padEnd(8)}  ${value}`);
}

/** What `mcp approve --json` says of the launch; names of variables and headers only. */
export function launchRow({
  entry,
  identity,
}: ConfiguredServer): Readonly<Record<string, unknown>> {
  const { launch } = entry;
  if (launch.transport === "http") {
    const { transport, url, headers } = launch;
    return { transport, url, headers: Object.keys(headers).sort(), identity };
  }
  const { transport, command, args, env, cwd } = launch;
  return { transport, command, args, env: Object.keys(env).sort(), cwd: cwd ?? ".", identity };
}

/** In quotes, since a line end in a value would look like another row. */
function quoted(text: string): string {
  return escapeHidden(JSON.stringify(text));
}

function sortedEntries(map: Readonly<Record<string, string>>): readonly [string, string][] {
  return Object.entries(map).sort(([a], [b]) => (a < b ? -1 : 1));
}

/** Variables that decide which program runs, or what it loads: their values are part of the command. */
function changesProgram(name: string): boolean {
  return /^(?:PATH|PATHEXT|COMSPEC|LD_|DYLD_|NODE_OPTIONS|NODE_PATH|BUN_|DENO_|PYTHON|PERL5|RUBY|JAVA_TOOL_OPTIONS|_JAVA_OPTIONS|BASH_ENV|ENV$|SHELLOPTS|GIT_|NPM_CONFIG_(?!.*(?:AUTH|TOKEN|PASS))|UV_(?!.*(?:TOKEN|PASS))|PIP_)/i.test(
    name,
  );
}
