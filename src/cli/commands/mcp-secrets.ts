import { AppError } from "../../base/errors.ts";
import { checkSecretName, isOfUser } from "../../upstream/secrets/secret-store.ts";
import { exitCodes } from "../command-io.ts";
import type { Command, CommandContext } from "../command.ts";
import { jsonFlag } from "../flags.ts";
import { openSecrets, type SecretsOfCommand } from "../server-login.ts";
import { readStartUp } from "../start-up.ts";
import { readSecret } from "../terminal-io.ts";

export const mcpSecretsCommand: Command = {
  usage: "(set NAME | list | remove NAME | migrate) [--json]",
  description:
    "Keeps secrets for server entries: ${keyring:NAME} and ${input:NAME}. They are stored in the system's keychain or, if\n" +
    "there is none, in files that only you can read. set reads the secret from the terminal without showing it, or from\n" +
    "stdin; list shows names only; migrate moves secrets from files into the keychain. Running servers notice a new\n" +
    "secret within two seconds.",
  flags: { ...jsonFlag },
  arguments: { min: 1, max: 2 },
  needsPerson: true,
  async run(context) {
    const [word = "", name] = context.args.positionals;
    // As it was called before.
    const action = word === "rm" ? "remove" : word;
    const open = openSecrets(context, readStartUp(context.args, context.io));
    const isOfOne = action === "set" || action === "remove";
    if (!isOfOne && name !== undefined) throw misuse(`${action} takes no name.`);
    if (isOfOne && name === undefined) throw misuse(`${action} what? Give a name.`);
    switch (action) {
      case "set":
        return set(context, open, name ?? "");
      case "remove":
        return remove(context, open, name ?? "");
      case "list":
        return list(context, open);
      case "migrate":
        return migrate(context, open);
      default:
        throw misuse(`There is no mcp secrets ${JSON.stringify(action.slice(0, 40))}.`);
    }
  },
};

function misuse(text: string): AppError {
  return new AppError("usage", `${text} Usage: mcp secrets ${mcpSecretsCommand.usage}`);
}

async function set(
  { args, io, print }: CommandContext,
  { secrets, announce }: SecretsOfCommand,
  name: string,
): Promise<number> {
  checkSecretName(name);
  const place = await secrets.set(name, await readSecret(io, name));
  announce(place);
  if (args.has("json")) print.json({ name, place });
  else print.note(`${name} is kept in ${place === "keychain" ? "the keychain" : "a file"}.`);
  return exitCodes.done;
}

async function remove(
  { args, print }: CommandContext,
  { secrets }: SecretsOfCommand,
  name: string,
): Promise<number> {
  checkSecretName(name);
  const wasThere = await secrets.remove(name);
  if (args.has("json")) print.json({ name, removed: wasThere });
  if (!wasThere) throw new AppError("not_found", `No secret named ${JSON.stringify(name)}.`);
  if (!args.has("json")) print.note(`${name} is removed.`);
  return exitCodes.done;
}

async function list(
  { args, print }: CommandContext,
  { secrets }: SecretsOfCommand,
): Promise<number> {
  const rows = (await secrets.list()).filter(({ name }) => isOfUser(name));
  if (args.has("json")) print.json(rows);
  else for (const { name, place } of rows) print.line(`${name}  ${place}`);
  if (rows.length === 0) print.note("There are no secrets. Add one: mcp secrets set NAME");
  return exitCodes.done;
}

async function migrate(
  { args, print }: CommandContext,
  { secrets }: SecretsOfCommand,
): Promise<number> {
  const moved = await secrets.migrate();
  if (args.has("json")) print.json({ moved: moved.length });
  else print.note(`${moved.length} moved into the keychain, logins included.`);
  return exitCodes.done;
}
