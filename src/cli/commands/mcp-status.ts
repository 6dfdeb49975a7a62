import { placeText } from "../../upstream/trust/launch-lines.ts";
import { product } from "../../base/product.ts";
import type { Command } from "../command.ts";
import { exitCodes } from "../command-io.ts";
import { openServers } from "../configured-servers.ts";
import { jsonFlag } from "../json-flag.ts";
import { connectedView, readStatusViews, type StatusView } from "../status-views.ts";
import { statusLines } from "../status-lines.ts";
import { startUpFlags } from "../start-up.ts";

export const mcpStatusCommand: Command = {
  usage: "[--connect] [--json]",
  description:
    "Shows the status of your MCP servers in each running scorpiox-code: state and reason, how each was started, its offer,\n" +
    "its calls. If none runs in this project: the last known status, without starting anything.",
  flags: {
    connect: {
      kind: "switch",
      help: "Start all servers of this project now and show their status.",
    },
    ...jsonFlag,
    ...startUpFlags,
  },
  arguments: { min: 0, max: 0 },
  async run(context) {
    const { args, print } = context;
    const view = await openServers(context);
    const views = args.has("connect")
      ? [await connectedView(view, context)]
      : await readStatusViews(view);
    if (args.has("json")) print.json({ instances: views });
    else for (const line of views.flatMap(linesOf)) print.line(line);
    if (views.every(({ servers }) => servers.length === 0)) {
      print.note(`You have no MCP servers. Add one: ${product.name} mcp add`);
    }
    return exitCodes.done;
  },
};

function linesOf(view: StatusView): readonly string[] {
  // Without a process that goes on nothing is tried again.
  const infos = view.servers.map((info) =>
    view.source === "running" ? info : { ...info, retryInMs: null },
  );
  return [headOf(view), ...infos.flatMap(statusLines).map((line) => `  ${line}`)];
}

function headOf({ source, pid, projectDir, version }: StatusView): string {
  const where = projectDir === null ? "no project" : placeText(projectDir);
  switch (source) {
    case "running":
      return `${where}: ${product.name} ${version} runs as process ${pid}`;
    case "connected":
      return `${where}: connected just now`;
    case "configuration":
      return `${where}: ${product.name} does not run here`;
  }
}
