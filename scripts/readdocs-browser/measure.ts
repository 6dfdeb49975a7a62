import { type Contestant, createBare, createOwn } from "./contestants.ts";

/** Medians, in ms. */
export interface Row {
  readonly name: string;
  readonly own: number;
  readonly bare: number;
  /** `goto` until the network is idle: the simplest that gets an application right; absent for cold calls. */
  readonly idle: number | undefined;
}

const warmPages = [
  { name: "warm, static page", path: "/static" },
  { name: "warm, static page with a script", path: "/script" },
  { name: "warm, application (300 ms + a fetch of 200 ms)", path: "/app" },
];

/** Time between two warm calls, in ms: a model reads what it got, and nothing is prepared in the way of the next. */
const pauseMs = 250;

/** Each page in turn by each contestant, so that all meet the same load. */
export async function measureWarm(origin: string, rounds: number): Promise<Row[]> {
  await using own = createOwn();
  await using bare = await createBare("load");
  await using idle = await createBare("networkidle0");
  const rows: Row[] = [];
  for (const { name, path } of warmPages) {
    const times: number[][] = [[], [], []];
    // The first round warms up.
    for (let round = 0; round <= rounds; round++) {
      for (const [index, contestant] of [own, bare, idle].entries()) {
        const ms = await timeOf(contestant, origin + path);
        if (round > 0) times[index]?.push(ms);
        await Bun.sleep(pauseMs);
      }
    }
    const [ownMs = 0, bareMs = 0, idleMs = 0] = times.map(median);
    rows.push({ name, own: ownMs, bare: bareMs, idle: idleMs });
  }
  return rows;
}

/** First calls of new processes, from before the library is loaded until the page is there. */
export async function measureCold(origin: string, rounds: number, script: string): Promise<Row> {
  const times: { own: number[]; bare: number[] } = { own: [], bare: [] };
  for (let round = 0; round < rounds; round++) {
    times.own.push(await coldCall("own", origin, script));
    times.bare.push(await coldCall("bare", origin, script));
    await Bun.sleep(pauseMs);
  }
  const row = { own: median(times.own), bare: median(times.bare), idle: undefined };
  return { name: "first call, cold, static page", ...row };
}

async function coldCall(who: "own" | "bare", origin: string, script: string): Promise<number> {
  const program = Bun.spawn([process.execPath, script, "--cold", who, `${origin}/static`], {
    stdio: ["ignore", "pipe", "inherit"],
  });
  const ms = Number(await program.stdout.text());
  if (!(ms > 0)) throw new Error(`The cold call of ${who} failed.`);
  return ms;
}

/** In the new process: prints how long it took. */
export async function runColdCall(who: string, url: string): Promise<void> {
  const startedAt = performance.now();
  await using contestant = who === "own" ? createOwn() : await createBare("load");
  await contestant.show(url);
  process.stdout.write(String(performance.now() - startedAt));
}

async function timeOf(contestant: Contestant, url: string): Promise<number> {
  const startedAt = performance.now();
  await contestant.show(url);
  return performance.now() - startedAt;
}

function median(values: readonly number[]): number {
  const sorted = values.toSorted((a, b) => a - b);
  return sorted[Math.floor(sorted.length / 2)] ?? Number.NaN;
}
