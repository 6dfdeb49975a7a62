/** Builds what the chosen servers need into `.build/bench`, once. */
import fs from "node:fs";
import path from "node:path";
import { adapterOf } from "./adapters.ts";
import type { Build, ServerName } from "./adapters.ts";
import { paths } from "./paths.ts";

const floors = ["floor_echo", "floor_shell"] as const;
/** Source in `floors/`, and the program that it becomes. */
const leastPrograms = [
  ["bare-bun.ts", "bare_bun"],
  ["worker-echo.ts", "worker_echo"],
  ["worker-call.ts", "worker_call"],
  ["main-relay.ts", "main_relay"],
  ["worker-relay.ts", "worker_relay"],
  ["promising-relay.ts", "promising_relay"],
] as const;
/** Source in `peers/`, and the program that it becomes. */
const compiledPeers = [
  ["sdk1-server.mjs", "sdk1_bun"],
  ["sdk2-server.mjs", "sdk2_bun"],
  ["sdk2-http-server.mjs", "sdk2_http_bun"],
  ["floor-http-server.mjs", "floor_http_bun"],
] as const;

/** Throws when a compiler or installer fails. */
export function prepareServers(servers: readonly ServerName[]): void {
  const needed = new Set<Build>(
    servers.map(adapterOf).flatMap(({ build, needs = [] }) => [build, ...needs]),
  );
  fs.mkdirSync(paths.build, { recursive: true });
  for (const directory of [paths.home, paths.workspace]) {
    fs.rmSync(directory, { recursive: true, force: true });
    fs.mkdirSync(directory);
  }
  writeGatewayConfig();
  if (needed.has("cc")) floors.forEach(compileFloor);
  if (needed.has("least")) {
    for (const [source, name] of leastPrograms) {
      compileWithBun(paths.repository, path.join(paths.floorSources, source), name);
    }
  }
  if (needed.has("npm") || needed.has("bun")) installPeers();
  if (needed.has("bun")) for (const [source, name] of compiledPeers) compilePeer(source, name);
}

/** Why a server cannot be started, or undefined. */
export function absenceOf(server: ServerName, binary: string): string | undefined {
  const [program = ""] = adapterOf(server).command(binary);
  if (path.isAbsolute(program) ? fs.existsSync(program) : Bun.which(program) !== null)
    return undefined;
  const shown = path.isAbsolute(program) ? path.relative(paths.repository, program) : program;
  return `there is no ${shown}`;
}

/** The servers behind the gateways are the very ones that their calls are compared with. */
function writeGatewayConfig(): void {
  const entryOf = (name: string): object => {
    return { command: path.join(paths.build, name), args: [], start: "eager" };
  };
  const config = { mcpServers: { floor: entryOf("floor_echo"), sdk: entryOf("sdk2_bun") } };
  fs.writeFileSync(paths.gatewayConfig, JSON.stringify(config, undefined, 2));
}

function compileFloor(name: string): void {
  const source = path.join(paths.floorSources, `${name}.c`);
  const header = path.join(paths.floorSources, "floor.h");
  const program = path.join(paths.build, name);
  if (isNewer(program, [source, header])) return;
  run(paths.build, ["cc", "-O2", "-Wall", "-o", program, source]);
}

function installPeers(): void {
  fs.cpSync(paths.peerSources, paths.peers, { recursive: true, preserveTimestamps: true });
  const pins = path.join(paths.peers, "package.json");
  if (isNewer(path.join(paths.peerModules, ".package-lock.json"), [pins])) return;
  process.stderr.write("bench: installing the servers to compare with\n");
  run(paths.peers, ["npm", "install", "--no-audit", "--no-fund", "--silent"]);
}

function compilePeer(file: string, name: string): void {
  const modules = path.join(paths.peerModules, ".package-lock.json");
  compileWithBun(paths.peers, path.join(paths.peers, file), name, modules);
}

/** As the product is built, to bytecode. */
function compileWithBun(cwd: string, source: string, name: string, ...inputs: string[]): void {
  const program = path.join(paths.build, name);
  const shared = path.join(paths.floorSources, "least-server.ts");
  if (isNewer(program, [source, shared, ...inputs, process.execPath])) return;
  process.stderr.write(`bench: compiling ${name}\n`);
  const flags = ["--compile", "--minify", "--bytecode", "--format=esm"];
  run(cwd, [process.execPath, "build", ...flags, source, "--outfile", program]);
}

function run(cwd: string, command: string[]): void {
  const { exitCode, stderr } = Bun.spawnSync(command, { cwd, stdout: "ignore", stderr: "pipe" });
  if (exitCode === 0) return;
  throw new Error(`${command.join(" ")} failed with ${exitCode}:\n${stderr.toString().trim()}`);
}

function isNewer(built: string, sources: readonly string[]): boolean {
  const builtAtMs = fs.statSync(built, { throwIfNoEntry: false })?.mtimeMs;
  return builtAtMs !== undefined && sources.every((file) => fs.statSync(file).mtimeMs < builtAtMs);
}
