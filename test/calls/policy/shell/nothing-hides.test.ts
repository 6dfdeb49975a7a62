import { describe, expect, test } from "bun:test";
import { existsSync } from "node:fs";

import fc from "fast-check";

import { readShell } from "../../../../src/calls/policy/shell/read-shell.ts";
import {
  baseNameOf,
  literalOf,
  type ShellKind,
} from "../../../../src/calls/policy/shell/shell-text.ts";
import { TempFolder } from "../../../e2e/harness/temp-folder.ts";
import { shareOf } from "../../../fixtures/long-run.ts";

/** Programs that there are not, in all places where a shell may look for one. TEST_SHELL_RUNS makes more of it. */
const tokens = [
  ..."pa pb pc pd pe p'f' \"pg\" p\\h $'\\x70i' { } ( ) ; ; & && || || | |& ! if then else fi for case esac in".split(
    " ",
  ),
  ..."do done until while function time coproc [[ ]] (( )) x y=1 $( ` ' \" \\ # < > << <<- E <<< =~ = ;; p)".split(
    " ",
  ),
  "$(pj)",
  "`pk`",
  '"$(pl)"',
  "'$(pm)'",
  "<(pn)",
  "${v:-$(po)}",
  "$((1 + $(pp)))",
  "<<E\n$(pq)\nE\n",
  "<<'E'\n$(pr)\nE\n",
  "sh <<'E'\nps\nE\n",
  "eval pt",
  "bash -c 'pu'",
  "sh -c '[[ a || pv ]]'",
  "env A=1 pw",
  "command px",
  "f() { py; }; f",
  "trap pz EXIT",
  "case x in x) pA ;; esac",
  "\n",
  "\n",
  "\\\n",
  "$v",
  "a=(1 $(pB))",
  "&>",
  "> o",
  "2>&1",
];

const handler =
  'command_not_found_handle() { echo "$1: not found" >&2; return $((RANDOM % 2)); }\n';

/** Names of the programs that a shell looked for in vain. */
function lookedFor(shell: string, text: string, cwd: string): string[] {
  const script = shell.endsWith("bash") ? handler + text : text;
  // Loops may have no end.
  const { stderr } = Bun.spawnSync([shell, "-c", script], {
    cwd,
    env: { PATH: "/usr/bin:/bin" },
    stdin: "ignore",
    stdout: "ignore",
    stderr: "pipe",
    timeout: 300,
    maxBuffer: 100_000,
  });
  const found = stderr.toString().matchAll(/(?:^|: )(p[a-zA-Z]): (?:command )?not found$/gm);
  return [...new Set([...found].map(([, name]) => name ?? ""))];
}

/** Those that readShell did not see, though it says that it saw all. */
function hidden(shell: string, kind: ShellKind, text: string, cwd: string): string[] {
  const { commands, unknowns } = readShell(text, "/h", kind);
  if (unknowns.length > 0) return [];
  const names = new Set(commands.map(({ words }) => baseNameOf(literalOf(words[0]) ?? "")));
  return lookedFor(shell, text, cwd).filter((name) => !names.has(name));
}

describe("readShell sees every program that a shell starts (U-policy)", () => {
  describe.each<[string, ShellKind]>([
    ["/bin/bash", "bash"],
    ["/bin/dash", "posix"],
  ])("%s", (shell, kind) => {
    test.skipIf(!existsSync(shell))(
      "over random texts",
      () => {
        using folder = new TempFolder();
        const texts = fc.array(fc.constantFrom(...tokens), { minLength: 1, maxLength: 10 });
        const property = fc.property(texts, fc.constantFrom(" ", " ", " ", ""), (parts, glue) => {
          const text = parts.join(glue);
          expect([text, hidden(shell, kind, text, folder.path)]).toEqual([text, []]);
        });
        fc.assert(property, { numRuns: Number(process.env["TEST_SHELL_RUNS"] ?? shareOf(1_500)) });
      },
      60_000,
    );
  });
});
