import { AppError } from "../../base/errors.ts";
import type { ParsedArguments, Printer } from "../command-io.ts";
import type { CliServices, Command, CommandListing } from "../command.ts";
import { startUpFlags } from "../flags.ts";
import { defaultAddress, httpFlags } from "../http-flags.ts";
import { startServing } from "../start-up.ts";

const serveCommand: Command = {
  usage: "[FLAGS]",
  description:
    "Serves one MCP client over stdin and stdout, until it closes stdin. This is the default command, except in a terminal.\n" +
    "With --http it serves any number of clients over Streamable HTTP, until it is stopped.",
  flags: {
    ...startUpFlags,
    ...httpFlags,
    client: {
      kind: "text",
      placeholder: "ID",
      help: "Apply the limits of this client, whatever name it gives; for instance claude-code.",
    },
  },
  arguments: { min: 0, max: 0 },
  needsPerson: false,
  async run({ args, io, print, services }) {
    if (!args.has("http")) {
      refuseWithoutHttp(args);
      return services.serveStdio(startServing(args, io, print));
    }
    const [{ readHttpValues }, { readHttpSettings }] = await Promise.all([
      import("../http-values.ts"),
      import("../http-settings.ts"),
    ]);
    const start = startServing(args, io, print);
    const values = readHttpValues(args, io, start.dirs.scorpioxDir);
    for (const line of values.lines()) print.detail(line);
    const { scorpioxDir } = start.dirs;
    const isMade = await hasEngineTokens(services, scorpioxDir, print);
    return services.serveHttp(start, readHttpSettings(values, scorpioxDir, isMade));
  },
};

/** @throws AppError when the engine of STORE_URL cannot be asked: nobody knows then who may connect */
async function hasEngineTokens(
  services: CliServices,
  scorpioxDir: string,
  print: Printer,
): Promise<boolean> {
  const engine = await services.storePlace();
  if (engine === undefined) return false;
  const [tokens, { hasTokenStore, tokenStoreFile }] = await Promise.all([
    import("../../state/tokens/open-token-store.ts"),
    import("../../state/tokens/token-store.ts"),
  ]);
  if (hasTokenStore(scorpioxDir)) {
    const file = tokenStoreFile(scorpioxDir);
    print.warning(`The tokens in ${file} are not accepted while STORE_URL is set: make new ones.`);
  }
  return tokens.hasEngineTokens(engine);
}

/** A flag that does nothing is refused: the user believes that it does something. */
function refuseWithoutHttp(args: ParsedArguments): void {
  const stray = Object.keys(httpFlags).find((flag) => args.has(flag));
  if (stray === undefined) return;
  throw new AppError("usage", `--${stray} needs --http ADDRESS, such as --http ${defaultAddress}.`);
}

/** The listing of the command that runs when none is named. */
export const serveListing: CommandListing = {
  name: "serve",
  summary: "Serve one MCP client over stdin and stdout (the default)",
  load: () => Promise.resolve(serveCommand),
};
