/**
 * The reader of commands beside bash: what a rule that denies `forbid` lets pass is run, and nothing may run that the
 * reader did not see. Also how many usual commands it reads. Alone, with a seed to repeat:
 *
 *     bun scripts/verify/shell.ts [--passed 200000] [--seed 1]
 */
import { parseArgs } from "node:util";

import { judgeCall } from "../../src/calls/policy/rules/judge-call.ts";
import { parsePolicy } from "../../src/calls/policy/rules/parse-policy.ts";
import { readShell } from "../../src/calls/policy/shell/read-shell.ts";
import { baseNameOf, literalOf } from "../../src/calls/policy/shell/shell-text.ts";
import { randomFrom } from "../tool-search/random.ts";
import { type Outcome, seconds } from "./outcome.ts";
import { Candidates } from "./shell/candidates.ts";
import { Jail } from "./shell/jail.ts";
import { type Share, shares } from "./shell/shares.ts";
import { ordinaryCommands, packageCommands, repositoryCommands } from "./shell/usual-texts.ts";

const textsAtOnce = 250;
const jailsAtOnce = 2;
/** What a command left running may say so late: the texts before are tried too. */
const suspectsBefore = 3;
const shareMin = 0.95;

export async function checkShell(
  passed: number,
  seed = Math.floor(Math.random() * 1e9),
): Promise<Outcome> {
  const begunAt = performance.now();
  const fuzzer = new ShellFuzzer(seed);
  await fuzzer.run(passed);
  const found = shares();
  const faults = fuzzer.misses.map(
    ({ text, ran }) => `${ran.join(" ")} ran unseen: ${JSON.stringify(text)}`,
  );
  faults.push(...found.filter(isTooSmall).map(({ name }) => `${name}: too few are read`));
  const figures =
    `seed ${seed}: ${fuzzer.made} candidates, ${fuzzer.passed} let pass and run in ${seconds(performance.now() - begunAt)}, ` +
    `${fuzzer.misses.length} ran what was not seen; read: ${found.map(shareText).join(", ")}`;
  return { name: "reader of commands", passed: faults.length === 0, figures, faults };
}

/** Scripts run what only they know; what is typed is to be read. */
function isTooSmall({ name, read, all }: Share): boolean {
  return !name.startsWith("scripts/") && read < all * shareMin;
}

function shareText({ name, read, all }: Share): string {
  return `${name} ${read} of ${all}`;
}

interface Passed {
  readonly text: string;
  /** Names of the programs that the reader saw. */
  readonly seen: ReadonlySet<string>;
}

class ShellFuzzer {
  made = 0;
  passed = 0;
  readonly misses: { readonly text: string; readonly ran: readonly string[] }[] = [];
  readonly #candidates: Candidates;
  readonly #known = new Set<number | bigint>();

  constructor(seed: number) {
    const usual = [...ordinaryCommands(), ...repositoryCommands(), packageCommands()];
    this.#candidates = new Candidates(
      randomFrom(seed),
      usual.flatMap(({ texts }) => texts),
    );
  }

  async run(passed: number): Promise<void> {
    using jail = new Jail();
    const rows = Array.from({ length: jailsAtOnce }, async () => {
      while (this.passed < passed) {
        const count = Math.min(textsAtOnce, passed - this.passed);
        this.passed += count;
        await this.#try(await this.#letPass(count), jail);
      }
    });
    await Promise.all(rows);
  }

  /** The next candidates that the rule lets pass. */
  async #letPass(count: number): Promise<readonly Passed[]> {
    const passed: Passed[] = [];
    while (passed.length < count) {
      const text = this.#candidates.next();
      const hash = Bun.hash(text);
      this.made++;
      if (this.#known.has(hash) || text.includes("\0")) continue;
      this.#known.add(hash);
      if (await isLetPass(text)) passed.push({ text, seen: seenIn(text) });
    }
    return passed;
  }

  async #try(all: readonly Passed[], jail: Jail): Promise<void> {
    for (let at = 0; at < all.length;) {
      const some = all.slice(at);
      const ran = await jail.run(some.map(({ text }) => text));
      for (const [index, names] of ran.entries()) {
        if (names.every((name) => some[index]?.seen.has(name) === true)) continue;
        await this.#confirm(some.slice(Math.max(0, index - suspectsBefore), index + 1), jail);
      }
      // Who ended the jail is not tried again; it did run.
      at += ran.length + 1;
    }
  }

  /** Each alone, so that it is known whose program it was. */
  async #confirm(suspects: readonly Passed[], jail: Jail): Promise<void> {
    for (const { text, seen } of suspects) {
      if (this.misses.some((miss) => miss.text === text)) continue;
      // The second text waits for what the first has left running.
      const ran = (await jail.run([text, "for ((i = 0; i < 20000; i++)); do :; done"])).flat();
      const unseen = [...new Set(ran)].filter((name) => !seen.has(name));
      if (unseen.length > 0) this.misses.push({ text, ran: unseen });
    }
  }
}

const policy = parsePolicy(
  JSON.stringify({ rules: [{ tool: "Bash", match: "forbid", action: "deny" }] }),
  "rules of the fuzzer",
  "user",
);

async function isLetPass(command: string): Promise<boolean> {
  const { action } = await judgeCall({ tool: "Bash", args: { command } }, policy, {
    homeDir: "/scratch",
    warnsOfDanger: false,
    ignoresCase: false,
    shell: "bash",
    folder: () => Promise.resolve("/scratch"),
    searchPath: () => Promise.resolve([]),
  });
  return action === "allow";
}

function seenIn(text: string): ReadonlySet<string> {
  const { commands } = readShell(text, "/scratch");
  return new Set(commands.map(({ words }) => baseNameOf(literalOf(words[0]) ?? "")));
}

if (import.meta.main) {
  const { values } = parseArgs({
    options: { passed: { type: "string", default: "200000" }, seed: { type: "string" } },
  });
  const seed = values.seed === undefined ? undefined : Number(values.seed);
  const { passed, figures, faults } = await checkShell(Number(values.passed), seed);
  for (const fault of faults) console.log(fault);
  console.log(figures);
  process.exit(passed ? 0 : 1);
}
