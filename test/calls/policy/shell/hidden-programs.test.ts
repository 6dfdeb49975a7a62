import { describe, expect, test } from "bun:test";

import { action } from "../rules/judging.ts";

const deny = { rules: [{ tool: "Bash", match: "forbid", action: "deny" }] };
const allowList = {
  rules: [{ tool: "Bash", match: "ls", action: "allow" }],
  default: { Bash: "ask" },
};

describe("a dash ends a redirection that closes (U-policy: quoting tricks)", () => {
  test.each([
    ["<&-forbid ls"],
    ["<& -forbid ls"],
    ["<&-\\forbid ls"],
    ["<&\\\n-forbid ls"],
    ["<&-\\\nforbid ls"],
    ["3>&-forbid --force"],
    [">& - forbid"],
    ["{fd}<&-forbid x"],
    ["ls <&- | <&-forbid"],
  ])("denied: %j", async (command) => {
    expect(await action(deny, command)).toBe("deny 1");
  });

  test.each([
    ["<&-rm ls -rf victim", "ask"],
    ["<&-ls -l", "allow 1"],
    ["ls <&-", "allow 1"],
    ["ls 2>&- >&-", "allow 1"],
    ["ls 3<&0-", "allow 1"],
    ["ls <&-x", "allow 1"],
  ])("an allow list sees the program: %j: %s", async (command, expected) => {
    expect(await action(allowList, command)).toBe(expected);
  });
});

describe("what may be none or several words moves those behind it", () => {
  test.each([
    ["env -u $x timeout 2 forbid"],
    ["env -u {a,b} ls"],
    ["x='1 forbid'; env A=$x ls"],
    ["x='5 forbid'; timeout -- $x ls"],
    ["nice -n $x 5 forbid"],
    ["exec -a $x forbid ls"],
  ])("asked about: %j", async (command) => {
    expect(await action(deny, command)).toBe("ask 1");
  });

  test.each([
    ['env -u "$x" timeout 2 ls', "allow"],
    ['env A="$x" ls', "allow"],
    ['timeout -- "$x" ls', "allow"],
    ['env -u "$x" forbid', "deny 1"],
  ])("one word is one: %j: %s", async (command, expected) => {
    expect(await action(deny, command)).toBe(expected);
  });
});

test.each([["$'f\\x{6frbid'"], ["$'f\\x{6f}rbid'"], ["$'\\x{0000066}orbid' x"]])(
  "bash takes all digits behind \\x{: %j",
  async (command) => {
    expect(await action(deny, command)).toBe("ask 1");
  },
);

describe("a number before `&>` is a word, and no descriptor", () => {
  test.each([
    ["timeout 2&>o forbid x"],
    ["timeout -s TERM 2&>>o forbid {}"],
    ["( <&- timeout -s TERM 2&>>o  forbid {} )"],
    ["nice -n 2&>o forbid"],
  ])("denied: %j", async (command) => {
    expect(await action(deny, command)).toBe("deny 1");
  });
});

describe("what starts a program is read as bash reads it (U-policy)", () => {
  test.each([
    ["env - forbid"],
    ["env -i - forbid"],
    ["env -u X - A=1 forbid"],
    ["env -- - forbid"],
    ["busybox env - forbid"],
    ["time -- forbid"],
    ["time -p -- forbid"],
    ["time \\\n -- forbid"],
    ["! time -- forbid"],
    ["coproc forbid {} \\;"],
    ["coproc \\\nforbid {} \\;"],
    ["coproc NAME { forbid; }"],
    ["bash forbid"],
    ["bash -x ./forbid a"],
    ["sh -- tools/forbid"],
    [". forbid"],
    ["source tools/forbid x"],
    [". -- forbid"],
    ["cd /dev; bash stdin <<< forbid"],
    ["bash /dev/../dev/stdin <<< forbid"],
    ["bash //dev/fd/0 <<< forbid"],
  ])("denied: %j", async (command) => {
    expect(await action(deny, command)).toBe("deny 1");
  });

  test.each([
    ["sg root -c forbid"],
    ["ssh-agent forbid"],
    ["systemd-inhibit forbid"],
    ["perf stat forbid"],
    ["tmux new -d forbid"],
    ["screen -dm forbid"],
    ["/lib64/ld-linux-x86-64.so.2 /usr/bin/forbid"],
    ["/lib/ld-musl-x86_64.so.1 /usr/bin/forbid"],
    ["echo forbid | at now"],
    ["gtimeout 2 forbid"],
    ["A\\\nB=1 forbid"],
    ["echo $(2>&1 ! forbid)"],
    ["cat <(>o coproc forbid {} x)"],
    ["<<<x coproc forbid"],
    ["echo $(time 3<&0- -p -- forbid)"],
    ["echo \"`'forbid\\\n' x`\""],
    ["x=(= x=(wait \nforbid\n)) esac"],
    ["ls >&2'cat >(<&- \\\nforbid x)'"],
    ["bash <<\\E\nexec <<F\nforbid\nF\nE"],
    ["2\\\n>o forbid"],
    ["time -\\\np forbid"],
    ["time -p\\\n forbid"],
    ["coproc NAM\\\nE { forbid; }"],
    ['echo "$HO\\\nME"; ls'],
    ["echo ${x@\\\nP}"],
  ])("asked about: %j", async (command) => {
    expect(await action(deny, command)).toBe("ask 1");
  });

  test.each([
    ["set -o history; set -H\nhistory -s 'forbid x'\n!!"],
    ["set -o history"],
    ["set -o histexpand"],
    ["set -eH"],
    ["set +o posix -H"],
    ["set -o posix"],
    ["set -k; ls X=1"],
    ["set $x"],
    ["history -s 'forbid x'"],
    ["bash -H -c 'ls'"],
    ["bash -i <<< ls"],
    ["bash -o posix -c ls"],
    ["bash -O expand_aliases -c ls"],
    ["bash --posix -c ls"],
    ["env SHELLOPTS=posix bash -c ls"],
  ])("changes how lines are read: %j", async (command) => {
    expect(await action(deny, command)).toBe("ask 1");
  });

  test.each([
    ['a=\'$\'; printf -v PS""4 %s "${a}(forbid)"; set -x; :'],
    ["declare PS''4=x; set -x"],
    ['export B""ASH_ENV=f; bash -c ls'],
    ['export "$n=f"; bash -c ls'],
    ["export $(cat f); bash -c ls"],
    ['read -r "$n" <<< x'],
    ["read -p x P\\S4 <<< x"],
    ['printf -v "$n" x'],
    ['printf -v"$n" x'],
    ['printf "$v" "$n" x'],
    ['mapfile -t "$n" < f'],
    ["declare -n r=$n; r=x"],
    ["\\export A=$x"],
    [": ${!n:=x}"],
    [": ${!n=x}"],
    ['getopts ab "$n"'],
  ])("may set a variable that runs something: %j", async (command) => {
    expect(await action(deny, command)).toBe("ask 1");
  });

  test.each([
    ["set -euo pipefail; ls"],
    ['set -- "$@" x; ls'],
    ["set -x +e; set +o noglob; ls"],
    ["bash -lc 'ls -l'"],
    ["bash -euxo pipefail -c ls"],
    ["shopt -s globstar nullglob; ls"],
    ['export A=$x B="$(ls)" C; local d=$1 e'],
    ["declare -A count; count[a]=1; declare -r x=1"],
    ["read -r -p \"$x? \" -d '' a b; IFS= read -r line"],
    ['printf \'%s\\n\' "$x"; printf -v x %s "$y"; printf "$fmt" a'],
    ['mapfile -t files < <(ls); getopts "ab:" opt'],
    ["ssh-agent -s; ssh-agent -k"],
    ['echo "a \\\n b" \\\n  c\\\n | ls'],
    ["bash scripts/build.sh"],
    ["history"],
  ])("nothing of it: %j", async (command) => {
    expect(await action(deny, command)).toBe("allow");
  });
});

test("a file of commands needs no allowing of its own, besides the shell that reads it", async () => {
  const file = {
    rules: [{ tool: "Bash", match: "bash build.sh", action: "allow" }],
    default: { Bash: "ask" },
  };
  expect([await action(file, "bash build.sh"), await action(file, "bash other.sh")]).toEqual([
    "allow 1",
    "ask",
  ]);
});
