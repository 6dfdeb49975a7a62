import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";

import { sdkV1Calls, sdkV2Calls, sdkV2OlderCalls } from "./upstreams-sdk-calls.ts";
import { serversFolder } from "./upstreams-install.ts";
import { startNodeServer } from "./upstreams-http.ts";
import type { RealServer } from "./upstreams-servers.ts";

/** A conformance server of the official SDK: it is in no package, and is taken from the SDK's repository. */
interface Edition {
  readonly name: string;
  /** The revision of the repository whose file it is, and the packages that it runs with. */
  readonly ref: string;
  readonly packages: readonly string[];
  readonly calls: RealServer["calls"];
  /** More of its entry. */
  readonly more?: Readonly<Record<string, unknown>>;
}

const rights = { sampling: "allow", elicitation: "allow", auto_approve: true };
const serverFile = "test/conformance/src/everythingServer.ts";
const others = ["cors@2.8.6", "express@5.3.0", "zod@4.6.7"];

const second = {
  ref: "@modelcontextprotocol/server@2.0.0",
  packages: [
    "@modelcontextprotocol/server@2.4.0",
    "@modelcontextprotocol/node@2.1.2",
    "@modelcontextprotocol/express@2.0.2",
    ...others,
  ],
};

const editions: readonly Edition[] = [
  {
    name: "sdk-v1",
    ref: "v1.29.0",
    packages: ["@modelcontextprotocol/sdk@1.32.2", ...others],
    calls: sdkV1Calls,
  },
  { name: "sdk-v2", ...second, calls: sdkV2Calls },
  { name: "sdk-v2-older", ...second, calls: sdkV2OlderCalls, more: { era: "legacy" } },
];

/**
 * The servers by which the official SDKs are tested, both eras.
 * @param clone a clone of github.com/modelcontextprotocol/typescript-sdk with its tags; bare is enough
 * @throws Error with what git or npm said
 */
export function sdkServers(clone: string): readonly RealServer[] {
  const place = resolve(clone);
  return editions.map((edition) => {
    const program = install(place, edition);
    return {
      name: edition.name,
      calls: edition.calls,
      start: () =>
        startNodeServer([process.execPath, program], (port) => ({
          env: { PORT: String(port) },
          url: `http://localhost:${port}/mcp`,
          entry: { ...rights, ...edition.more },
        })),
    };
  });
}

/** Puts the server's file beside the packages that it needs; gives its path. */
function install(clone: string, { name, ref, packages }: Edition): string {
  const folder = join(serversFolder, name);
  mkdirSync(folder, { recursive: true });
  // In its repository it is beside the sources of the SDK; everywhere else they are a package.
  const source = run(["git", "-C", clone, "show", `${ref}:${serverFile}`]);
  const program = join(folder, "everything-server.ts");
  writeFileSync(program, source.replaceAll("'../../../src/", "'@modelcontextprotocol/sdk/"));
  const manifest = join(folder, "package.json");
  const wanted = JSON.stringify({ private: true, type: "module", wanted: packages });
  const doneFile = join(folder, "installed.json");
  if (existsSync(doneFile) && readFileSync(doneFile, "utf8") === wanted) return program;
  writeFileSync(manifest, wanted);
  const flags = ["--ignore-scripts", "--no-audit", "--no-fund", "--save-exact"];
  run(["npm", "install", ...flags, ...packages], folder);
  writeFileSync(doneFile, wanted);
  return program;
}

function run(command: string[], cwd = serversFolder): string {
  const ended = Bun.spawnSync(command, { cwd });
  if (ended.exitCode === 0) return ended.stdout.toString();
  throw new Error(`${command.slice(0, 4).join(" ")} failed: ${ended.stderr.toString()}`);
}
