/**
 * Hubs that must never meet: of two users, of two homes, and of one home that is seen from several namespaces, as containers
 * with a mounted home see it.
 *
 *     bun scripts/verify/run.ts --only hub-users
 *
 * Linux only. Users and namespaces need root.
 */
import { existsSync } from "node:fs";

import { eventually } from "../../../test/e2e/harness/conditions.ts";
import type { Server } from "../../../test/e2e/harness/server.ts";
import type { Outcome } from "../outcome.ts";
import { nobody, python, upstreamOf, UserHome } from "./user-home.ts";

type Row = readonly [name: string, result: string, figure: string];

const env = { SCORPIOX_HUB: "on", SCORPIOX_HUB_IDLE: "1" };

export async function checkHubUsers(): Promise<Outcome> {
  const parts: readonly (readonly [name: string, check: () => Promise<string>])[] = [
    ["two homes", twoHomes],
    ["two users", twoUsers],
    ["one home in several namespaces", namespaces],
  ];
  const rows: Row[] = [];
  for (const [name, check] of parts) {
    const found = await check().catch(String);
    rows.push([name, found.startsWith("Error") ? "FAIL" : "pass", found]);
    console.log(`hub-users: ${name}: ${found}`);
  }
  const failed = rows.filter(([, result]) => result === "FAIL");
  return {
    name: "hub: users and containers",
    passed: failed.length === 0,
    figures: rows.map(([name, , figure]) => `${name}: ${figure}`).join("; "),
    faults: failed.map(([name, , figure]) => `${name}: ${figure}`),
    details: rows,
  };
}

function mustNotComplain(...servers: readonly Server[]): void {
  const said = servers.map(({ stderr }) => stderr).filter((text) => text.includes("hub"));
  if (said.length > 0) throw new Error(`something was said of the hub: ${said.join("; ")}`);
}

async function twoHomes(): Promise<string> {
  await using one = new UserHome();
  await using other = new UserHome();
  const clients = await Promise.all(
    [one, other].map((home) => home.client(home.workspace("workspace"), { env })),
  );
  const servers = await Promise.all(clients.map(upstreamOf));
  const [mine, its] = [await one.hub(), await other.hub()];
  if (mine.pid === its.pid || servers[0] === servers[1]) throw new Error("they share a hub");
  mustNotComplain(...clients);
  return "a hub each";
}

async function twoUsers(): Promise<string> {
  if (process.getuid?.() !== 0) return "not tried: needs root";
  await using root = new UserHome();
  await using other = new UserHome({ uid: nobody });
  const clients = await Promise.all(
    [root, other].map((home) => home.client(home.workspace("workspace"), { env })),
  );
  const servers = await Promise.all(clients.map(upstreamOf));
  const [mine, its] = [await root.hub(), await other.hub()];
  if (mine.pid === its.pid || servers[0] === servers[1]) throw new Error("they share a hub");
  // The folder keeps others out; where somebody has opened it, the hub does.
  const closed = await saidTo(other, mine.socket);
  if (!closed.includes("PermissionError")) throw new Error(`nobody reached it: ${closed}`);
  const way = [root.at(), root.home, `${root.home}/.scorpiox`, `${root.home}/.scorpiox/run`];
  Bun.spawnSync(["chmod", "a+rwx", ...way, mine.place, mine.socket]);
  const open = await saidTo(other, mine.socket);
  if (!open.includes("it belongs to another user")) throw new Error(`not refused: ${open}`);
  if (!open.includes("refused")) throw new Error(`not refused: ${open}`);
  mustNotComplain(...clients);
  return "a hub each; the other user gets no connection, and in an opened folder no word";
}

/** The first thing that a socket says to another user. */
async function saidTo(home: UserHome, socket: string): Promise<string> {
  const script = `
import socket, sys
link = socket.socket(socket.AF_UNIX)
link.settimeout(10)
link.connect(sys.argv[1])
print(link.recv(4096))
`;
  const child = Bun.spawn([...home.asUser, python, "-I", "-c", script, socket], {
    stdio: ["ignore", "pipe", "pipe"],
  });
  const [out, err] = await Promise.all([child.stdout.text(), child.stderr.text()]);
  return out + err;
}

/** Each with the words that make it, from the least separate to the most. */
const surroundings: readonly (readonly [name: string, wrap: readonly string[]])[] = [
  ["mounts", ["unshare", "--mount"]],
  [
    "mounts and processes",
    ["unshare", "--mount", "--pid", "--fork", "--mount-proc", "--kill-child"],
  ],
  [
    "mounts, processes and host name",
    "unshare --mount --pid --uts --fork --mount-proc --kill-child /bin/sh -c"
      .split(" ")
      .concat('hostname other-machine; exec "$@"', "sh"),
  ],
  ["another host name", ["unshare", "--uts", "/bin/sh", "-c", 'hostname third; exec "$@"', "sh"]],
  [
    "bubblewrap",
    ["bwrap", "--bind", "/", "/", "--dev", "/dev", "--proc", "/proc", "--unshare-pid"],
  ],
];

async function namespaces(): Promise<string> {
  if (process.getuid?.() !== 0) return "not tried: needs root";
  const chosen = surroundings.filter(([, [program = ""]]) => Bun.which(program) !== null);
  await using home = new UserHome();
  const workspace = home.workspace("workspace");
  const outside = await home.client(workspace, { env });
  const server = await upstreamOf(outside);
  const { pid } = await home.hub();
  const clients: Server[] = [];
  for (const [, wrap] of chosen) {
    const pair = [
      await home.client(workspace, { env, wrap }),
      await home.client(workspace, { env, wrap }),
    ];
    for (const each of pair) await upstreamOf(each);
    clients.push(...pair);
  }
  // A home that is mounted at another path, as in a container.
  const elsewhere = home.workspace("elsewhere");
  const mount = `mount --bind ${home.home} ${elsewhere}; exec "$@"`;
  const wrap = [
    "unshare",
    "--mount",
    "--pid",
    "--fork",
    "--mount-proc",
    "--kill-child",
    "/bin/sh",
    "-c",
    mount,
    "sh",
  ];
  const mounted = await home.client(workspace, { env: { ...env, HOME: elsewhere }, wrap });
  await upstreamOf(mounted);
  clients.push(mounted);
  const count = hubsOf(home).length;
  // Each client is in namespaces of its own, but for those that only have another host name.
  const names = chosen.filter(([name]) => name === "another host name").length;
  const wanted = 1 + clients.length - names;
  if (count !== wanted) throw new Error(`${count} hubs for ${wanted} surroundings`);
  if (home.places.length !== wanted) throw new Error(`${home.places.length} places of ${wanted}`);
  const sockets = Bun.spawnSync(["find", home.home, "-type", "s", "-name", "socket-*"]);
  const found = sockets.stdout.toString().trim().split("\n").length;
  if (found !== wanted) throw new Error(`${found} sockets of ${wanted} hubs`);
  for (const each of clients) await upstreamOf(each);
  if ((await upstreamOf(outside)) !== server) throw new Error("the one outside was disturbed");
  mustNotComplain(outside, ...clients);
  for (const each of clients) {
    each.endInput();
    await each.ended();
  }
  await eventually("the end of all hubs inside", () => hubsOf(home).length === 1);
  if (!home.isOurs(pid)) throw new Error("the hub outside ended with those inside");
  outside.endInput();
  await outside.ended();
  const left = await home.nothingLeft();
  if (left.length > 0) throw new Error(`left: ${left.join("; ")}`);
  if (!existsSync(home.home)) throw new Error("the home is gone");
  return `${wanted} hubs of ${1 + clients.length} clients in ${chosen.length + 2} kinds of surroundings, as many places and sockets, nothing said, nothing left`;
}

function hubsOf(home: UserHome): readonly number[] {
  return home
    .processes()
    .filter(({ command }) => command.includes(" __hub "))
    .map(({ pid }) => pid);
}
