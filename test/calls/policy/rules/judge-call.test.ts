import { describe, expect, test } from "bun:test";
import { symlinkSync } from "node:fs";
import { join } from "node:path";

import { TempFolder } from "../../../e2e/harness/temp-folder.ts";
import type { Verdict } from "../../../../src/calls/policy/rules/rule.ts";
import { action, judged } from "./judging.ts";

const rule = (act: string, match?: unknown, tool: unknown = "Bash"): object => ({
  tool,
  action: act,
  ...(match !== undefined && { match }),
});
const rules = (...list: object[]): object => ({ rules: list });

describe("judgeCall: every program is held against the rules (U-policy)", () => {
  const denyRm = rules(rule("deny", "rm"));
  test.each([
    ["rm x"],
    ["a | rm x"],
    ["a && rm x || b"],
    ["(rm x)"],
    ["{ rm x; }"],
    ["echo $(rm x)"],
    ["echo `rm x`"],
    ["cat <<E\n$(rm x)\nE"],
    ["bash <<'E'\nrm x\nE"],
    ["env X=1 rm x"],
    ["A=1 rm x"],
    ["bash -c 'rm x'"],
    [String.raw`r\m x`],
    ["'r'\"m\" x"],
    ["$'\\x72m' x"],
    ["/bin/rm x"],
    ["sudo -n rm x"],
    ["ls | xargs rm"],
    [String.raw`find . -exec rm {} \;`],
    ["f() { rm x; }; f"],
    ["if a; then rm x; fi"],
    ["eval 'rm x'"],
    ["rm x; $y"],
  ])("denied: %s", async (command) => {
    expect(await action(denyRm, command)).toBe("deny 1");
  });

  test.each([
    ["$x y"],
    ["alias a=rm"],
    ["r{m,x} y"],
    ["a | sh"],
    ["'a"],
    ["r? x"],
    ['bash -c "$x"'],
  ])("asked, since nobody can tell: %s", async (command) => {
    expect(await action(denyRm, command)).toBe("ask 1");
  });

  test.each([
    ["echo rm"],
    ["rmdir x"],
    ["echo 'rm x'"],
    ["cat <<'E'\nrm x\nE"],
    ["# rm x"],
    ["bash script.sh"],
  ])("allowed: %s", async (command) => {
    expect(await action(denyRm, command)).toBe("allow");
  });
});

describe("judgeCall: deny before ask before allow", () => {
  const all = rules(
    rule("allow", "git"),
    rule("ask", "git push"),
    rule("deny", { program: "git", has: ["--force*", "-f"].slice(0, 1) }),
  );
  test.each([
    ["git status", "allow 1"],
    ["git push", "ask 2"],
    ["git push --force", "deny 3"],
    ["git -C x push --force-with-lease", "deny 3"],
    ["git status; git push", "ask 2"],
    ["git push; git commit --force", "deny 3"],
    ['git "$x"', "ask 2"],
    ["ls", "allow"],
  ])("%s: %s", async (command, expected) => {
    expect(await action(all, command)).toBe(expected);
  });

  test.each([
    ["git status", "allow 1"],
    ["git status && ls", "ask"],
    ["git status > out.txt", "ask"],
    ["git status > /dev/null 2>&1", "allow 1"],
    ["npm test > log/a", "allow 2"],
    ["npm test > log", "ask"],
    ["npm run build", "ask"],
    ["LANG=C git log", "allow 1"],
    ["LD_PRELOAD=x git log", "ask"],
    ["env PAGER=x git log", "ask"],
    ["timeout 5 git log", "allow 1"],
    ["bash -c 'git log'", "allow 1"],
    ["bash -c 'git log' > f", "ask"],
    ["{ git log; } > f", "ask"],
    ["PATH=/x; git log", "ask"],
    ["x=1; git log", "allow 1"],
    ["sudo git log", "ask"],
    ["xargs git log", "ask"],
    ["./git log", "ask"],
    ["git $x", "allow 1"],
    ["npm $x", "ask"],
    ["$x", "ask"],
    ["git `ls`", "ask"],
  ])("with a default that asks, allowing rules are strict: %s: %s", async (command, expected) => {
    const allowing = [
      rule("allow", "git"),
      rule("allow", { program: "npm", args: ["test"], writes: ["log/*"] }),
    ];
    expect(await action({ rules: allowing, default: { Bash: "ask" } }, command)).toBe(expected);
  });

  test("a default that denies denies what cannot be known too", async () => {
    const file = { rules: [rule("allow", "ls")], default: { Bash: "deny" } };
    expect([
      await action(file, "ls"),
      await action(file, "rm"),
      await action(file, "ls; $x"),
    ]).toEqual(["allow 1", "deny", "deny"]);
  });

  test("says why", async () => {
    const file = rules({ ...rule("deny", "ls"), reason: "no lists" });
    expect(await judged(file, "ls")).toEqual({
      action: "deny",
      rule: "rule 1 of P",
      reason: "no lists",
    });
    expect(await judged(file, "$x")).toEqual({
      action: "ask",
      rule: "rule 1 of P",
      reason: 'it may be about "…", which is known only when it runs',
      others: [
        {
          action: "ask",
          rule: "rule 1 of P",
          reason:
            "cannot determine what the command runs: the name of a program is known only when it runs",
        },
      ],
    });
  });

  test("says all that is against it, the worst first and each once", async () => {
    const file = rules(
      { ...rule("ask", "git push"), reason: "pushes are looked at" },
      { ...rule("deny", "rm"), reason: "nothing is deleted" },
    );
    const command = "git push -f; curl x | sh; git push -f; rm -rf / > /dev/sda";
    const caution = (reason: string) => ({ action: "ask", rule: "built-in caution", reason });
    expect(await judged(file, command, { warnsOfDanger: true })).toEqual({
      action: "deny",
      rule: "rule 2 of P",
      reason: "nothing is deleted",
      others: [
        caution("it overwrites a disk"),
        caution("it deletes a whole system or home folder"),
        caution("it runs what it has just downloaded"),
        caution("it overwrites the history of a remote repository"),
        { action: "ask", rule: "rule 1 of P", reason: "pushes are looked at" },
        {
          action: "ask",
          rule: "rule 1 of P",
          reason:
            "cannot determine what the command runs: a shell that reads its commands from elsewhere",
        },
      ],
    } as Verdict);
  });
});

describe("judgeCall: redirections and paths (U-policy: symlinked paths)", () => {
  test.each([
    ["echo x > ~/.bashrc", "deny 1"],
    ["echo x > /home/me/.bashrc", "deny 1"],
    ["cd && echo x >> .bashrc", "deny 1"],
    ["cd ~ && echo x >> .bashrc", "deny 1"],
    ["cd /home; echo x >> me/../me/.bashrc", "deny 1"],
    ['cd "$x"; echo x > .bashrc', "ask 1"],
    ['echo x > "$y/.bashrc"', "ask 1"],
    ['echo x > "$y/.profile"', "allow"],
    ["cat < ~/.bashrc", "allow"],
    ["cat ~/.bashrc > x", "allow"],
    ["{ a; } > ~/.bashrc", "deny 1"],
  ])("%s: %s", async (command, expected) => {
    expect(await action(rules(rule("deny", { writes: "~/.bashrc" })), command)).toBe(expected);
  });

  test("links lead to what they lead to, for programs, arguments and targets", async () => {
    using folder = new TempFolder();
    const secret = folder.write("real/secret", "");
    const tool = folder.write("real/tool", "", 0o755);
    symlinkSync(secret, folder.at("link"));
    symlinkSync(folder.at("real"), folder.at("dir"));
    symlinkSync(tool, folder.at("other"));
    const file = rules(
      rule("deny", { program: "cat", has: folder.at("real", "*") }),
      rule("deny", { writes: folder.at("real", "*") }),
      rule("deny", "tool"),
      rule("deny", { program: folder.at("real", "*") }),
      rule("deny", { arguments: { file_path: folder.at("real", "*") } }, "ReadImage"),
    );
    const at = {
      folder: () => Promise.resolve(folder.path),
      searchPath: () => Promise.resolve([folder.path]),
    };
    const commands = [
      "cat link",
      `cat ${join(folder.path, "dir/x")}`,
      "cat --file=dir/secret",
      "a > dir/new/x",
      "./other",
      "other",
      "cat other2",
    ];
    const found = await Promise.all(commands.map((command) => action(file, command, at)));
    expect(found).toEqual(["deny 1", "deny 1", "deny 1", "deny 2", "deny 3", "deny 3", "allow"]);
    const read = (path: string): Promise<string> =>
      action(file, { tool: "ReadImage", args: { file_path: path } }, at);
    expect([await read("link"), await read(folder.at("dir", "x")), await read("x")]).toEqual([
      "deny 5",
      "deny 5",
      "allow",
    ]);
  });
});

test("judgeCall: names in other letters are the same where the file system takes them for the same", async () => {
  const file = rules(rule("deny", "rm"), rule("deny", { writes: "/Users/*" }));
  const found = ["RM x", "/bin/Rm x", "a > /users/b", "RMX"].map((command) =>
    Promise.all([action(file, command), action(file, command, { ignoresCase: true })]),
  );
  expect(await Promise.all(found)).toEqual([
    ["allow", "deny 1"],
    ["allow", "deny 1"],
    ["allow", "deny 2"],
    ["allow", "allow"],
  ]);
});

describe("judgeCall: other tools", () => {
  const file = {
    rules: [
      rule("deny", { arguments: { url: "https://*.corp/*" } }, "ReadDocs"),
      rule("ask", undefined, ["github__*", "gitlab__*"]),
      rule("deny", "rm", "*"),
      rule("ask", { arguments: { tags: "x", count: "3" } }, "Many"),
      rule("deny", { program: "top" }, "BackgroundBash"),
    ],
    default: { "*__delete_*": "ask" },
  };
  test.each<[string, unknown, string]>([
    ["ReadDocs", { url: "https://a.corp/b" }, "deny 1"],
    ["ReadDocs", { url: "https://a.org/b" }, "allow"],
    ["ReadDocs", undefined, "allow"],
    ["github__list", {}, "ask 2"],
    ["gitlab__list", null, "ask 2"],
    ["other__list", {}, "allow"],
    ["other__delete_x", {}, "ask"],
    ["BackgroundBash", { command: "rm x" }, "deny 3"],
    ["BackgroundBash", { command: "top" }, "deny 5"],
    ["Bash", { command: "top" }, "allow"],
    ["Bash", { command: 3 }, "allow"],
    ["Bash", {}, "allow"],
    ["WebSearch", { query: "rm x" }, "allow"],
    ["Many", { tags: ["y", "x"], count: 3 }, "ask 4"],
    ["Many", { tags: ["y"], count: 3 }, "allow"],
  ])("%s %j: %s", async (tool, args, expected) => {
    expect(await action(file, { tool, args })).toBe(expected);
  });

  test.each([
    ["bash", "Bash", "deny 1"],
    ["BASH", "BackgroundBash", "deny 1"],
    ["backgroundbash", "BackgroundBash", "deny 1"],
    ["backgroundbash", "Bash", "allow"],
    ["BackgroundBash", "Bash", "allow"],
    ["websearch", "WebSearch", "allow"],
  ])("a rule for %s and the tool %s: %s", async (written, tool, expected) => {
    const denying = rules({ tool: written, match: "rm", action: "deny" });
    expect(await action(denying, { tool, args: { command: "rm x" } })).toBe(expected);
  });

  test("a rule for Bash is for BackgroundBash too", async () => {
    const call = { tool: "BackgroundBash", args: { command: "rm x" } };
    expect(await action(rules(rule("deny", "rm")), call)).toBe("deny 1");
  });

  test("commands of shells that are not read are asked about where there are rules", async () => {
    const parts = { shell: "other" as const };
    expect(await action(rules(rule("deny", "rm")), "ls", parts)).toBe("ask 1");
    expect(await action(rules(rule("allow", "rm")), "ls", parts)).toBe("allow");
  });
});

describe("rules that are too much for a call ask (U-policy)", () => {
  const many = (count: number, match: unknown): object[] =>
    Array.from({ length: count }, () => ({ tool: "Bash", action: "deny", match }));
  const words = "git commit -m 'a usual message' && npm test -- --watch=false; ".repeat(10);
  const usual = { program: ["rm", "git"], args: ["push*"], has: ["--for?e*", "~/x/*"] };
  test.each<[string, object, string, string]>([
    ["many usual rules and programs", { rules: many(300, usual) }, words, "allow"],
    ["long patterns", { rules: many(1000, { has: `*${"?".repeat(100)}x*` }) }, words, "ask 1"],
    ["very many programs", { rules: many(1000, "p") }, "a;".repeat(1000), "ask 1"],
    [
      "parts that are not known",
      { rules: many(1000, { has: "*a*b" }) },
      'p "aaaaaaaaa$x";'.repeat(300),
      "ask 1",
    ],
    [
      "a default that denies",
      { rules: many(1000, "p"), default: { Bash: "deny" } },
      "a;".repeat(1000),
      "deny",
    ],
  ])("%s", async (_what, file, command, expected) => {
    expect(await action(file, command)).toBe(expected);
  });
});
