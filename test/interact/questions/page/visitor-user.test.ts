import { expect, test } from "bun:test";

import {
  userIn,
  userOfVisitor,
  type VisitorUser,
} from "../../../../src/interact/questions/page/page-rung.ts";

const head =
  "  sl  local_address rem_address   st tx_queue rx_queue tr tm->when retrnsmt   uid  timeout inode\n";
const rest = "0        0 2918904 3 00000000839c72b6 20 0 0 11 -1\n";
const row = (local: string, remote: string, state: string, uid: number): string =>
  `   2: ${local} ${remote} ${state} 00000000:00000000 02:0000176F 00000000 ${`${uid}`.padStart(5)}  ${rest}`;
const connection = { visitorPort: 0xa4aa, serverPort: 0x01e5 };
const listening = row("0100007F:01E5", "00000000:0000", "0A", 1000);
const ours = row("0100007F:01E5", "0100007F:A4AA", "01", 1000);
const six = "0000000000000000FFFF00000100007F";

test.each<[what: string, rows: string, user: VisitorUser]>([
  ["this user", row("0100007F:A4AA", "0100007F:01E5", "01", 1000), "own"],
  ["root", row("0100007F:A4AA", "0100007F:01E5", "01", 0), "own"],
  ["another user", row("0100007F:A4AA", "0100007F:01E5", "01", 1001), "other"],
  ["one whose id has more digits", row("0100007F:A4AA", "0100007F:01E5", "01", 11000), "other"],
  ["by IPv6, this user", row(`${six}:A4AA`, `${six}:01E5`, "01", 1000), "own"],
  ["by IPv6, another user", row(`${six}:A4AA`, `${six}:01E5`, "01", 1001), "other"],
  ["one who has left", row("0100007F:A4AA", "0100007F:01E5", "05", 0), "other"],
  ["another connection", row("0100007F:A4AB", "0100007F:01E5", "01", 1000), "other"],
  ["nobody", "", "other"],
])("%s is told from the table", (_what, rows, user) => {
  expect(userIn(head + listening + ours + rows, connection, 1000)).toBe(user);
});

test("a table that does not even have the server tells nothing", () => {
  expect(userIn(head, connection, 1000)).toBe("unknown");
});

const linuxTest = process.platform === "linux" ? test : test.skip;

linuxTest("a connection of this process is this user's", async () => {
  const { promise, resolve } = Promise.withResolvers<VisitorUser>();
  using server = Bun.serve({
    hostname: "127.0.0.1",
    port: 0,
    async fetch(request, self) {
      const visitorPort = self.requestIP(request)?.port ?? 0;
      resolve(await userOfVisitor({ visitorPort, serverPort: self.port ?? 0 }));
      return new Response();
    },
  });
  await fetch(server.url);
  expect(await promise).toBe("own");
});
