/** Where the bench finds and leaves things. All that it builds is in the ignored `.build/bench`. */
import path from "node:path";

const repository = path.resolve(import.meta.dir, "../..");
const build = path.join(repository, ".build/bench");

export const paths = {
  repository,
  build,
  floorSources: path.join(import.meta.dir, "floors"),
  peerSources: path.join(import.meta.dir, "peers"),
  peers: path.join(build, "peers"),
  peerModules: path.join(build, "peers/node_modules"),
  /** HOME of every server, emptied before a run: no user's settings are measured or touched. */
  home: path.join(build, "home"),
  /** Working directory of every server, emptied before a run. */
  workspace: path.join(build, "workspace"),
  gatewayConfig: path.join(build, "gateway.json"),
  lastRun: path.join(build, "last.json"),
  binary: path.join(repository, "dist/scorpiox-code"),
  document: path.join(repository, "docs/internals/benchmarks.md"),
  readme: path.join(repository, "README.md"),
} as const;
