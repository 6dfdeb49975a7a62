/**
 * A command waits in the place of the hub, or puts something in the place of its files, before a client comes. The client
 * must tell it nothing, change no other file, and have its upstream servers all the same.
 */
import { existsSync, readFileSync, statSync } from "node:fs";
import { dirname, join } from "node:path";

import { eventually } from "../../../test/e2e/harness/conditions.ts";
import type { Server } from "../../../test/e2e/harness/server.ts";
import { type Imposture, impostures } from "./attempts.ts";
import { isOfCommand, nobody, parentOf, python, upstreamOf, UserHome } from "./user-home.ts";

const tools = join(import.meta.dir, "attack");

export interface Impostures {
  readonly count: number;
  readonly faults: readonly string[];
}

/** @param only names; absent = all */
export async function checkImpostors(only?: readonly string[]): Promise<Impostures> {
  const chosen = impostures.filter(({ name }) => only?.includes(name) ?? true);
  const faults: string[] = [];
  for (const imposture of chosen) {
    const fault = await tryOne(imposture).catch(String);
    if (process.env["HUB_ATTACK_VERBOSE"] !== undefined) {
      console.log(`  impostor: ${imposture.name} (${imposture.what}): ${fault ?? "refused"}`);
    }
    if (fault !== undefined) faults.push(`${imposture.name} (${imposture.what}): ${fault}`);
  }
  return { count: chosen.length, faults };
}

const precious = "this must stay as it is\n";

async function tryOne(imposture: Imposture): Promise<string | undefined> {
  await using home = new UserHome(process.getuid?.() === 0 ? { uid: nobody } : {});
  const target = home.workspace("target");
  const workspace = home.workspace("workspace");
  const isHubKept = imposture.needsHub === true;
  const [client, place] = await before(home, target, isHubKept);
  const script = (name: string): string =>
    home.write(`workspace/${name}`, readFileSync(join(tools, name), "utf8"));
  const facts = {
    home: home.home,
    program: home.program,
    workspace,
    place,
    client: client.pid,
    result: join(workspace, "result"),
    loot: join(workspace, "loot"),
    ready: join(workspace, "ready"),
    precious: home.write("home/precious", precious),
    tap: script("tap.cjs"),
    hubArguments: JSON.stringify({
      scorpioxDir: join(home.home, ".scorpiox"),
      homeDir: home.home,
      shellPath: null,
      idleS: 10,
      keepHours: 24,
    }),
  };
  const factsFile = home.write("workspace/facts.json", JSON.stringify(facts));
  const attacker = await home.client(workspace, { env: { SCORPIOX_HUB: "off" } });
  const words = [python, "-I", script("attack.py"), factsFile, imposture.name];
  void attacker
    .call("BackgroundBash", { command: `${words.join(" ")} >${workspace}/said 2>&1; sleep 600` })
    .catch(() => undefined);
  const said = (): string => {
    const path = join(workspace, "said");
    return existsSync(path) ? readFileSync(path, "utf8") : "";
  };
  // One whose command cannot even do it has been refused too.
  await eventually(
    "the impostor",
    () => existsSync(facts.ready) || /^RESULT refused/m.test(said()),
  );
  const fault = await useHub(home, target, client, isHubKept);
  if (fault !== undefined) return `${fault} (it said: ${said().trim()})`;
  const loot = existsSync(facts.loot) ? readFileSync(facts.loot, "utf8") : "";
  if (/^entered/m.test(loot)) return `a client believed it: ${loot.slice(0, 300)}`;
  if (loot.includes(home.canary)) return "it has a secret of the client's";
  if (readFileSync(facts.precious, "utf8") !== precious) return "another file was changed";
  return modesOf(place);
}

/** A client, and the place of the hub that it has or had. */
async function before(
  home: UserHome,
  target: string,
  isHubKept: boolean,
): Promise<readonly [Server, string]> {
  const env = { SCORPIOX_HUB: "on", SCORPIOX_HUB_IDLE: "0" };
  const first = await home.client(target, { env });
  await upstreamOf(first);
  const { pid, place } = await home.hub();
  if (isHubKept) return [first, place];
  first.endInput();
  await first.ended();
  await eventually("the end of the hub", () => !home.isOurs(pid));
  // It is there before the impostor.
  return [home.idleClient(target, { env: { SCORPIOX_HUB: "on" } }), place];
}

/** The upstream servers must be there, and of nobody but this client or a hub that it may believe. */
async function useHub(
  home: UserHome,
  target: string,
  client: Server,
  isHubKept: boolean,
): Promise<string | undefined> {
  if (!isHubKept) await client.initialize();
  const second = await home.client(target, { env: { SCORPIOX_HUB: "on" } });
  for (const each of [client, second]) {
    const pid = await eventually("an answer", () => upstreamOf(each).catch(() => undefined));
    if (!home.isOurs(pid)) return "no upstream server answered";
    const parent = parentOf(pid);
    if (parent !== each.pid && isOfCommand(parent))
      return "its upstream servers run under the hub of a command";
  }
  return undefined;
}

/** Nobody else may enter; a link is no folder of the hub's. */
function modesOf(place: string): string | undefined {
  for (const path of [dirname(place), place]) {
    const mode = statSync(path, { throwIfNoEntry: false })?.mode;
    if (mode !== undefined && (mode & 0o077) !== 0 && existsSync(join(place, "key"))) {
      return `${path} may be entered by others`;
    }
  }
  return undefined;
}
