import { isDeepStrictEqual } from "node:util";

import { messageOf } from "../../base/errors.ts";
import { product } from "../../base/product.ts";
import { editableClients, type Machine } from "../../install/find-client.ts";
import { installTargets, launchWords } from "../../install/install-targets.ts";
import type { CommandContext, ServerTrial } from "../command.ts";
import { type ClientManner, clientManners, environmentOf } from "./client-manners.ts";
import { entryLaunch } from "./clients.ts";
import { type Finding, fault } from "./finding.ts";
import type { Launch } from "./start.ts";

/** How that client starts this program: by its entry, or by the one that `install` would write for it. */
export function launchAs(
  manner: ClientManner,
  machine: Machine,
  { services }: CommandContext,
): Launch {
  const env = environmentOf(manner, machine.env);
  const own = entryLaunch(machine, manner.id);
  if (own !== undefined) {
    const replaceEntry = `${product.name} install ${manner.id}`;
    return { words: own.words, env: { ...env, ...own.env }, replaceEntry };
  }
  const target = installTargets.find(({ id }) => id === manner.id);
  const words =
    target === undefined ? services.ownCommand : launchWords(target, services.ownCommand);
  return { words, env };
}

/** The entries that `install` would not write as they are, each started as its client does. `--as` starts that of its client. */
export async function entryTrials(
  machine: Machine,
  context: CommandContext,
): Promise<readonly Finding[]> {
  const { args, services } = context;
  if (args.has("as")) return [];
  const trials = clientManners.map(async (manner): Promise<readonly Finding[]> => {
    const client = editableClients.find(({ id }) => id === manner.id);
    const own = client && entryLaunch(machine, client.id);
    if (client === undefined || own === undefined) return [];
    const usual = launchWords(client, services.ownCommand);
    if (isDeepStrictEqual(own, { words: usual, env: {} })) return [];
    try {
      await attemptIn(context, manner)(launchAs(manner, machine, context));
      return [];
    } catch (error) {
      const text = `the entry of ${client.title} does not start: ${messageOf(error)}`;
      return [fault("clients", text, `${product.name} install ${client.id}`)];
    }
  });
  return (await Promise.all(trials)).flat();
}

export function attemptIn(
  { services }: CommandContext,
  { clientName, revision, capabilities }: ClientManner,
): (launch: Launch) => Promise<ServerTrial> {
  return ({ words, env }) =>
    services.tryClientEntry(words, { env, clientName, revision, capabilities });
}
