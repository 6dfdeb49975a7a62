import { logOut } from "../../upstream/oauth/log-out.ts";
import type { LoginRecord } from "../../upstream/oauth/login-record.ts";
import { serviceWish } from "../../upstream/oauth/open-login.ts";
import { provingClient } from "../../upstream/oauth/service-grant.ts";
import { exitCodes } from "../command-io.ts";
import type { Command } from "../command.ts";
import { jsonFlag } from "../json-flag.ts";
import { openLoginServer } from "../server-login.ts";
import { startUpFlags } from "../start-up.ts";

export const mcpLogoutCommand: Command = {
  usage: "NAME [--json]",
  description:
    "Deletes the login to a server, and revokes the tokens and the client registration if the authorization server supports\n" +
    "that. Exits with 3 when there was no login.",
  flags: { ...jsonFlag, ...startUpFlags },
  arguments: { min: 1, max: 1 },
  needsPerson: true,
  async run(context) {
    const { args, io, print } = context;
    const [name = ""] = args.positionals;
    const { place, store, server, expansion } = await openLoginServer(context, name);
    const service = serviceWish(server, place.url, expansion);
    const prove =
      service &&
      (async (record: LoginRecord) => provingClient(record, await service.client(), Date.now));
    const { wasLoggedIn, isRevoked, problems } = await logOut(place, store, io.interrupted, prove);
    for (const problem of problems) print.warning(problem);
    if (args.has("json")) print.json({ server: name, wasLoggedIn, revoked: isRevoked });
    else if (wasLoggedIn) {
      const there = isRevoked ? " The server has revoked the tokens." : "";
      print.note(`You are logged out of ${name}.${there}`);
    }
    if (wasLoggedIn) return exitCodes.done;
    print.error(`There is no login to ${name}.`);
    return exitCodes.notFound;
  },
};
