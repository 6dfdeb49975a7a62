import { loadUpstreamConfig } from "../../../src/upstream/config/load-upstream-config.ts";
import type { UpstreamConfigParts } from "../../../src/upstream/config/upstream-start.ts";
import type {
  ConfiguredServer,
  UpstreamConfig,
} from "../../../src/upstream/config/server-entry.ts";
import { TempTree } from "../../config/temp-tree.ts";

/** A temporary home and project, and what is read of the servers in them. */
export class ServerTree extends TempTree {
  parts(parts: Partial<UpstreamConfigParts> = {}): UpstreamConfigParts {
    const dirs = {
      homeDir: this.path("home"),
      scorpioxDir: this.path("home/.scorpiox"),
      executableDir: this.path("bin"),
      machineDir: this.path("machine"),
      projectDir: this.path("project"),
    };
    return { dirs, env: {}, configFiles: [], isStrict: false, ...parts };
  }

  servers(parts: Partial<UpstreamConfigParts> = {}): UpstreamConfig {
    return loadUpstreamConfig(this.parts(parts));
  }

  /** One line for each server, and every message, without the root. */
  told(parts: Partial<UpstreamConfigParts> = {}): {
    readonly servers: readonly string[];
    readonly problems: readonly string[];
  } {
    const { servers, problems } = this.servers(parts);
    return {
      servers: [...servers.values()].map((server) => this.relative(lineOf(server))),
      problems: problems.map((problem) => this.relative(problem)),
    };
  }
}

/** `name = what is started (rank trust)`, with what stands in and what is hidden. */
function lineOf({ entry, standIn, shadowed }: ConfiguredServer): string {
  const { launch, name, origin } = entry;
  const what =
    launch.transport === "http" ? launch.url : [launch.command, ...launch.args].join(" ");
  const hidden = shadowed.map((other) => other.origin.rank).join();
  return [
    `${name} = ${what} (${origin.rank} ${origin.trust})`,
    ...(entry.isEnabled ? [] : ["off"]),
    ...(standIn === undefined ? [] : [`stand-in ${standIn.entry.origin.rank}`]),
    ...(hidden === "" ? [] : [`hides ${hidden}`]),
  ].join(", ");
}
