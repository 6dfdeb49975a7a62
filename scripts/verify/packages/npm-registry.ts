/** The npm packages by way of a registry on this machine: published, then started by `npx` from an empty home. */
import { existsSync, mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";

import { eventually } from "../../../test/e2e/harness/conditions.ts";
import { TempFolder } from "../../../test/e2e/harness/temp-folder.ts";
import { mainPackageFile, platformPackageName } from "../../build/distribution/npm.ts";
import { seconds } from "../outcome.ts";
import { median } from "../upstream-figures.ts";
import { folder, notRun, type Rehearsal, type Row, run } from "./rehearsal.ts";

/** The last version that Node.js 20 runs. */
const verdaccio = "6.2.0";
const rounds = 5;

const settings = `storage: ./storage
auth: { htpasswd: { file: ./htpasswd, max_users: -1 } }
packages: { "**": { access: $all, publish: $all } }
max_body_size: 200mb
log: { type: stdout, format: pretty, level: warn }
`;

export async function npxRehearsal({ outdir, version, target, has }: Rehearsal): Promise<Row[]> {
  const platform = has("npm");
  if (platform === undefined) return [notRun("npm", "it was not made")];
  const program = installRegistry();
  if ("reason" in program) return [notRun("npm", program.reason)];
  using home = new TempFolder();
  home.write("registry/config.yaml", settings);
  const port = freePort();
  const place = `127.0.0.1:${port}`;
  const registry = Bun.spawn(["node", program.path, "-c", "config.yaml", "-l", place], {
    cwd: home.at("registry"),
    stdio: ["ignore", "ignore", "ignore"],
  });
  try {
    const url = `http://${place}/`;
    await eventually("the registry", async () => isThere(`${url}-/ping`), 60_000);
    home.write(".npmrc", `registry=${url}\n//${place}/:_authToken=none\nupdate-notifier=false\n`);
    const env = npmHome(home);
    for (const file of [platform, join(outdir, mainPackageFile(version))]) {
      const done = run(["npm", "publish", file], { env });
      if (!done.isDone) return [["npm", "FAIL", `npm publish: ${done.text}`]];
    }
    return startedByNpx(env, version, home, platformPackageName(target));
  } finally {
    registry.kill();
    await registry.exited;
  }
}

function startedByNpx(
  env: Readonly<Record<string, string>>,
  version: string,
  home: TempFolder,
  platform: string,
): Row[] {
  const cwd = home.folder("work");
  const command = ["npx", "-y", `scorpiox-code@${version}`, "version"];
  const timed = (words: readonly string[]): readonly [number, Row] => {
    const begin = performance.now();
    const row = run(words, { env, cwd }).row("npm", version);
    return [performance.now() - begin, row];
  };
  const [first, row] = timed(command);
  if (row[1] !== "pass") return [row];
  const again = Array.from({ length: rounds }, () => timed(command)[0]);
  // Before the project has a copy of its own, which npx would take.
  const leftToNpx = run(["npx", "-y", `scorpiox-code@${version}`, "update"], { env, cwd });
  if (leftToNpx.isDone || !leftToNpx.text.endsWith("npx scorpiox-code@latest")) {
    return [["npm", "FAIL", `update: ${leftToNpx.text}`]];
  }
  const installed = run(["npm", "install", "--prefix", cwd, `scorpiox-code@${version}`], { env });
  if (!installed.isDone) return [["npm", "FAIL", installed.text]];
  const left = run([join(cwd, "node_modules/.bin/scorpiox-code"), "update"], { env, cwd });
  if (left.isDone || !left.text.endsWith("npm install scorpiox-code@latest")) {
    return [["npm", "FAIL", `update: ${left.text}`]];
  }
  const modules = join(cwd, "node_modules");
  const wrapper = Array.from(
    { length: rounds },
    () => timed([join(modules, ".bin/scorpiox-code"), "version"])[0],
  );
  const direct = Array.from(
    { length: rounds },
    () => timed([join(modules, platform, "scorpiox-code"), "version"])[0],
  );
  const costs = [
    `npx from an empty cache ${seconds(first)}`,
    `npx again ${seconds(median(again))}`,
    `the installed command ${seconds(median(wrapper))}`,
    `the program itself ${seconds(median(direct))} (medians of ${rounds})`,
  ];
  return [["npm", "pass", `${row[2]}: ${costs.join(", ")}`]];
}

/** Nothing of the user's npm: its own settings, cache and home. */
function npmHome(home: TempFolder): Readonly<Record<string, string>> {
  return {
    PATH: process.env["PATH"] ?? "",
    HOME: home.path,
    npm_config_userconfig: home.at(".npmrc"),
    npm_config_cache: home.folder("cache"),
    npm_config_fetch_retries: "0",
  };
}

function installRegistry(): { readonly path: string } | { readonly reason: string } {
  const place = join(folder, "verdaccio");
  const path = join(place, "node_modules/verdaccio/bin/verdaccio");
  if (existsSync(path)) return { path };
  mkdirSync(place, { recursive: true });
  // It asks for node-fetch by a tag, which mirrors of the registry may not have.
  const overrides = { "node-fetch": "2.6.7" };
  writeFileSync(join(place, "package.json"), JSON.stringify({ private: true, overrides }));
  const flags = ["--no-audit", "--no-fund", "--ignore-scripts"];
  const done = run(["npm", "install", ...flags, `verdaccio@${verdaccio}`], { cwd: place });
  return done.isDone ? { path } : { reason: `npm has no verdaccio: ${done.text}` };
}

function freePort(): number {
  using server = Bun.listen({ hostname: "127.0.0.1", port: 0, socket: { data: () => undefined } });
  return server.port;
}

async function isThere(url: string): Promise<boolean> {
  try {
    return (await fetch(url)).ok;
  } catch {
    return false;
  }
}
