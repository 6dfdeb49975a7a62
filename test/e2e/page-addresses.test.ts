import { beforeAll, describe, expect, setDefaultTimeout, test } from "bun:test";
import { join } from "node:path";

import { Authority, hasOwnNetworks, runInOwnNetwork } from "../fixtures/network/own-network.ts";
import { pageRows } from "../fixtures/network/page-rows.ts";
import type { PageOutcome } from "../fixtures/network/read-pages.ts";
import { ensureBuilt, productBinary } from "./harness/binary.ts";
import { runProduct } from "./harness/run-product.ts";
import { TempFolder } from "./harness/temp-folder.ts";

setDefaultTimeout(120_000);
ensureBuilt(productBinary);

describe.skipIf(!hasOwnNetworks)(
  "[web.addresses] [web.certificates] pages in a network of their own",
  () => {
    let outcomes: Readonly<Record<string, PageOutcome>> = {};

    beforeAll(async () => {
      using authority = new Authority();
      using foreign = new Authority();
      const hosts = ["*.public.test"];
      authority.certify("public", hosts);
      authority.certify("expired", hosts, ["-days", "-1"]);
      authority.adopt("foreign", foreign, hosts);
      authority.certifyAlone("self", hosts);
      const program = join(import.meta.dir, "../fixtures/network/read-pages.ts");
      const said = await runInOwnNetwork(program, [authority.folder, productBinary], authority);
      outcomes = said as Readonly<Record<string, PageOutcome>>;
    });

    test.each(pageRows.map((row) => [row.name, row] as const))("%s", (name, { refused }) => {
      const { isRead, text, connected } = outcomes[name] ?? {
        isRead: undefined,
        text: "",
        connected: [],
      };
      expect([isRead, text]).toEqual([
        refused === undefined,
        expect.stringContaining(refused ?? "Secret"),
      ]);
      if (refused !== undefined) expect(text).not.toContain("Secret");
      expect(connected.filter((address) => !address.startsWith("93."))).toEqual([]);
    });
  },
);

test.each([
  ["0", true],
  ["1", false],
  ["", false],
])(
  "[web.certificates] NODE_TLS_REJECT_UNAUTHORIZED=%s is warned of: %p",
  async (value, isWarned) => {
    using home = new TempFolder();
    const env = { NODE_TLS_REJECT_UNAUTHORIZED: value };
    const { exitCode, stderr } = await runProduct(home, ["tools"], { env });
    expect([exitCode, stderr.includes("no certificate is checked")]).toEqual([0, isWarned]);
  },
);
