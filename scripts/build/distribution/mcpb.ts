import type { Target } from "../targets.ts";
import { clientArguments } from "./client-arguments.ts";
import type { Companions } from "./companions.ts";
import { type Program, programEntry, textEntry } from "./program.ts";
import { homepageOf, type ReleaseFacts } from "./ways.ts";
import { packZip } from "./zip.ts";

const nodeSystems = { linux: "linux", darwin: "darwin", windows: "win32" } as const;

/** A bundle for Claude Desktop: one for each system and processor, since a manifest cannot tell processors apart. */
export function packMcpb(
  facts: ReleaseFacts,
  target: Target,
  program: Program,
  companions: Companions,
): Uint8Array {
  const manifest = mcpbManifest(facts, target);
  return packZip(
    [
      textEntry("manifest.json", `${JSON.stringify(manifest, null, 2)}\n`),
      programEntry(entryPoint(target), program),
      textEntry("LICENSE", companions.license),
      textEntry("README.md", companions.readme),
    ],
    program,
  );
}

function entryPoint({ os }: Target): string {
  return `server/scorpiox-code${os === "windows" ? ".exe" : ""}`;
}

/** Exported for its test. */
export function mcpbManifest(
  facts: ReleaseFacts,
  target: Target,
): Readonly<Record<string, unknown>> {
  const [owner = ""] = facts.repository.split("/");
  const command = `\${__dirname}/${entryPoint(target)}`;
  const args = clientArguments("claude-desktop");
  return {
    manifest_version: "0.3",
    name: "scorpiox-code",
    display_name: "scorpiox-code",
    version: facts.version,
    description: facts.description,
    author: { name: owner, url: `https://github.com/${owner}` },
    repository: { type: "git", url: `${homepageOf(facts)}.git` },
    homepage: homepageOf(facts),
    support: `${homepageOf(facts)}/issues`,
    license: facts.license,
    server: {
      type: "binary",
      entry_point: entryPoint(target),
      mcp_config: { command, args, env: {} },
    },
    tools_generated: true,
    compatibility: { platforms: [nodeSystems[target.os]] },
  };
}
