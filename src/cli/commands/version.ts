import { product } from "../../base/product.ts";
import { exitCodes } from "../command-io.ts";
import type { Command } from "../command.ts";
import { jsonFlag } from "../flags.ts";

export const versionCommand: Command = {
  usage: "[--json]",
  description: "Prints the version.",
  flags: jsonFlag,
  arguments: { min: 0, max: 0 },
  needsPerson: false,
  async run({ args, print, services }) {
    const { version } = services;
    const runtime = { bun: Bun.version, platform: process.platform, arch: process.arch };
    if (args.has("json")) print.json({ name: product.name, version, ...runtime });
    else print.line(`${product.name} ${version}`);
    return exitCodes.done;
  },
};
