import { beforeAll, describe, expect, setDefaultTimeout, test } from "bun:test";
import { join } from "node:path";

import { loginRows } from "../fixtures/network/login-rows.ts";
import type { LoginOutcome } from "../fixtures/network/log-in-rows.ts";
import { Authority, hasOwnNetworks, runInOwnNetwork } from "../fixtures/network/own-network.ts";
import { ensureBuilt, productBinary } from "./harness/binary.ts";

setDefaultTimeout(120_000);
ensureBuilt(productBinary);

/** Hosts of a company, which nobody outside has a certificate for, and the other way round. */
const corp = ["mcp.corp.test", "idp.corp.test", "token.corp.test", "mcp.local.test"];
const outside = ["*.public.test"];

describe.skipIf(!hasOwnNetworks)(
  "[gateway.login-addresses] a login in a network of its own",
  () => {
    let outcomes: Readonly<Record<string, LoginOutcome>> = {};

    beforeAll(async () => {
      using authority = new Authority();
      authority.certify("public", outside);
      authority.certify("corp", [...corp, "localhost", "127.0.0.1", "10.2.0.1", "169.254.169.254"]);
      const program = join(import.meta.dir, "../fixtures/network/log-in-rows.ts");
      const said = await runInOwnNetwork(program, [authority.folder, productBinary], authority);
      outcomes = said as Readonly<Record<string, LoginOutcome>>;
    });

    test.each(loginRows.map((row) => [row.name, row] as const))("%s", (name, row) => {
      const { exitCode, text, connected } = outcomes[name] ?? {
        exitCode: -1,
        text: "",
        connected: [],
      };
      const { refused, connected: may = [] } = row;
      const said = expect.stringContaining(refused ?? "is logged in to it");
      expect([exitCode === 0, text]).toEqual([refused === undefined, said]);
      if (refused === undefined) return;
      expect(connected.filter((address) => !address.startsWith("93."))).toEqual([...may]);
      if (text.includes("Refused to connect")) {
        expect(text).toContain('oauth = { issuer = "https://…" }');
      }
    });
  },
);
