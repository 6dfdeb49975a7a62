import { existsSync } from "node:fs";
import { join } from "node:path";

import { AppError } from "../base/errors.ts";
import { secretsFolderName } from "../base/own-files.ts";
import { product } from "../base/product.ts";
import { createExpansion, expandLaunch } from "../upstream/config/expand-launch.ts";
import type { ConfiguredServer } from "../upstream/config/server-entry.ts";
import type { ExpansionContext } from "../upstream/config/text-expander.ts";
import { loginRoads, LoginStore } from "../upstream/oauth/login-store.ts";
import { type LoginPlace } from "../upstream/oauth/oauth-reach.ts";
import { placeOf } from "../upstream/oauth/open-login.ts";
import type { SecretPlace } from "../upstream/secrets/secret-store.ts";
import { openUserSecrets, type UserSecrets } from "../upstream/secrets/user-secrets.ts";
import type { CommandContext } from "./command.ts";
import { enabledServer, openServers, trustOf } from "./configured-servers.ts";
import type { StartUp } from "./start-up.ts";

/** An HTTP server that a command logs in to or out of. */
export interface LoginServer {
  readonly start: StartUp;
  readonly server: ConfiguredServer;
  readonly place: LoginPlace;
  readonly store: LoginStore;
  readonly secrets: SecretsOfCommand;
  readonly expansion: ExpansionContext;
  /** False: it is a project's, and not approved. */
  readonly isTrusted: boolean;
}

/**
 * The server `name`, with its address filled in; nothing is sent to it.
 * @throws AppError `not_found`, `usage` where there is nothing to log in to, `config` where something is not set
 */
export async function openLoginServer(context: CommandContext, name: string): Promise<LoginServer> {
  const view = await openServers(context);
  const server = enabledServer(view, name);
  const { start } = view;
  const { launch } = server.entry;
  if (launch.transport !== "http") {
    const message = `${name} is a program on this machine, and logins are for servers at a URL: set its credentials in its env.`;
    throw new AppError("usage", message);
  }
  const own = Object.keys(launch.headers).find((each) => each.toLowerCase() === "authorization");
  if (own !== undefined) {
    const message = `The entry of ${name} has an ${own} header of its own, which takes precedence. Remove it to log in.`;
    throw new AppError("usage", message);
  }
  const trust = await trustOf(server, start);
  const isTrusted = trust === "user" || trust === "approved";
  const secrets = openSecrets(context, start);
  const expansion = createExpansion(start.dirs, context.io.env, secrets.secrets);
  // Nothing of a project is filled in before it is approved.
  const url = isTrusted ? await filledUrl(server, expansion) : launch.url;
  const store = new LoginStore(start.dirs.scorpioxDir, secrets.secrets, loginRoads(context.io.env));
  return { start, server, place: placeOf(server, url), store, secrets, expansion, isTrusted };
}

/** The message for a server that must be approved first. */
export function approvalText({ server }: LoginServer): string {
  const { name } = server.entry;
  return `${name} is a server of the project and needs approval: ${product.name} mcp approve ${name}.`;
}

async function filledUrl(server: ConfiguredServer, expansion: ExpansionContext): Promise<string> {
  const expanded = await expandLaunch(server, expansion);
  if (expanded.kind === "needs_config") throw new AppError("config", expanded.text);
  return expanded.launch.transport === "http" ? expanded.launch.url : "";
}

/** The secrets of this user for one command. */
export interface SecretsOfCommand {
  readonly secrets: UserSecrets;
  /** Reports the place with the first secret that is kept in a file. */
  readonly announce: (place: SecretPlace) => void;
}

export function openSecrets(
  { io, print }: Pick<CommandContext, "io" | "print">,
  { dirs }: Pick<StartUp, "dirs">,
): SecretsOfCommand {
  const folder = join(dirs.scorpioxDir, secretsFolderName);
  const isFirst = !existsSync(folder);
  return {
    secrets: openUserSecrets(dirs, io.env),
    announce: (place) => {
      if (place === "keychain" || !isFirst) return;
      print.note(
        `No keychain is available: secrets are kept in files that only you can read, in ${folder}.`,
      );
    },
  };
}
