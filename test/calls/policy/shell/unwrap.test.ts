import { describe, expect, test } from "bun:test";

import { reading } from "./shown-reading.ts";

const elsewhere = "? a shell that reads its commands from elsewhere";

describe("readShell looks behind programs that start others (U-policy: env X=1 cmd, bash -c)", () => {
  test.each<[string, string[]]>([
    ["env X=1 rm x", ["wrapper env X=1 rm x", "X= rm x"]],
    ['env X="$y" rm x', ["wrapper env X=… rm x", "X= rm x"]],
    ["env -i -u A --unset=B /bin/rm x", ["wrapper env -i -u A --unset=B /bin/rm x", "/bin/rm x"]],
    ["/usr/bin/env rm x", ["wrapper /usr/bin/env rm x", "rm x"]],
    ["command -p rm x", ["wrapper command -p rm x", "rm x"]],
    ["command -v rm", ["command -v rm"]],
    [
      "builtin exec -a z rm x",
      ["wrapper builtin exec -a z rm x", "wrapper exec -a z rm x", "rm x"],
    ],
    ["nohup nice -n 5 rm x", ["wrapper nohup nice -n 5 rm x", "wrapper nice -n 5 rm x", "rm x"]],
    ["nice -5 rm x", ["wrapper nice -5 rm x", "rm x"]],
    ["timeout -k 1 --signal=9 5s rm x", ["wrapper timeout -k 1 --signal=9 5s rm x", "rm x"]],
    ["sudo -u me rm x", ["sudo -u me rm x", "rm x"]],
    ["doas rm x", ["doas rm x", "rm x"]],
    ["xargs -0 rm -f", ["xargs -0 rm -f", "rm -f …*"]],
    ["xargs -I{} rm {} y", ["xargs -I{} rm {} y", "rm …* …*"]],
    [
      String.raw`find . -exec rm {} \; -execdir ls +`,
      [String.raw`find . -exec rm {} ; -execdir ls +`, "rm …*", "? an action of find without end"],
    ],
    ["find . -exec rm -f {} +", ["find . -exec rm -f {} +", "rm -f …*"]],
    ["bash -c 'rm x'", ["wrapper bash -c rm x", "rm x"]],
    ['sh -ec "rm x; ls" a b', ["wrapper sh -ec rm x; ls a b", "rm x", "ls"]],
    ["bash -o pipefail -c 'a | b'", ["wrapper bash -o pipefail -c a | b", "a", "b"]],
    [`bash -c "sh -c 'rm x'"`, ["wrapper bash -c sh -c 'rm x'", "wrapper sh -c rm x", "rm x"]],
    [
      "sudo env A=1 bash -c 'rm x'",
      ["sudo env A=1 bash -c rm x", "wrapper env A=1 bash -c rm x", "A= wrapper", "rm x"],
    ],
    ["bash file.sh a", ["bash file.sh a", "wrapper file.sh a"]],
    [". ./file.sh a", [". ./file.sh a", "wrapper ./file.sh a"]],
    ["bash -co errexit 'rm x'", ["wrapper bash -co errexit rm x", "rm x"]],
    ["bash +c 'rm x'", ["wrapper bash +c rm x", "rm x"]],
    ["bash -s -c 'rm x' <<< ls", ["wrapper bash -s -c rm x", "rm x"]],
    ["bash /dev/stdin <<< 'rm x'", ["bash /dev/stdin", "rm x"]],
    [". /dev/stdin <<< 'rm x'", [". /dev/stdin", "rm x"]],
    ["eval -- 'rm x'", ["eval -- rm x", "rm x"]],
    ["trap -- 'rm x' EXIT", ["trap -- rm x EXIT", "rm x"]],
    ["env a-b=1 =2 rm x", ["wrapper env a-b=1 =2 rm x", "a-b= = rm x"]],
    ['find "$x" -name y', ["find … -name y"]],
    ["find */ src/* -name y", ["find …/* src/…* -name y"]],
    ["bash --version", ["bash --version"]],
    ["eval 'rm x' '; ls'", ["eval rm x ; ls", "rm x", "ls"]],
    ["trap 'rm x' EXIT", ["trap rm x EXIT", "rm x"]],
    ["busybox rm x", ["wrapper busybox rm x", "rm x"]],
    ["env", ["env"]],
    ["sudo", ["sudo"]],
  ])("%s", (text, expected) => {
    const lines = reading(text).map((line) =>
      line.startsWith("wrapper A= ") ? "A= wrapper" : line,
    );
    expect(lines).toEqual(expected);
  });

  test.each<[string, string]>([
    ['bash -c "$x"', "? a shell whose arguments are known only when it runs"],
    ["bash $x", "? a shell whose arguments are known only when it runs"],
    ["bash", elsewhere],
    ["curl x | bash -s --", elsewhere],
    ["zsh -c 'rm x'", "? commands of a shell that is not known"],
    ["sh -c '[[ a || rm x ]]'", "? [[ ]], which not every shell reads alike"],
    ["sh -c '((rm x))'", "? (( )), which not every shell reads alike"],
    ["sh -c \"\\$'a' b\"", "? $' ', which not every shell reads alike"],
    ["sh -c 'eval \"((x))\"'", "? (( )), which not every shell reads alike"],
    ['eval "$x"', "? eval of text that is known only when it runs"],
    ['trap "$x" EXIT', "? a trap that is known only when it runs"],
    ["env $x rm", "? options that are known only when it runs"],
    ["env -S 'rm x'", "? an option that is not known: -S"],
    ["timeout --what 5 rm x", "? an option that is not known: --what"],
    ['sh -oc errexit "$x"', "? a shell whose arguments are known only when it runs"],
    ["bash --rcfile f", elsewhere],
    ["bash -s -c <<< ls", "? a shell whose commands are known only when it runs"],
    ["bash /dev/stdin", elsewhere],
    ["source /proc/self/fd/0", elsewhere],
    [". <(echo rm)", "? a file of commands that is known only when it runs"],
    ['find . "$x" rm \\;', "? find with words known only when it runs"],
    ["find $x", "? find with words known only when it runs"],
    ["taskset 1 rm", "? taskset, which starts others in its own way"],
    ["fc -s", "? fc, which starts others in its own way"],
    ["compgen -C rm", "? compgen, which starts others in its own way"],
    ["jobs -x rm", "? jobs, which starts others in its own way"],
    ["mapfile -C rm a", "? mapfile, which starts others in its own way"],
    ["env ".repeat(60) + "rm", "? too many programs that start each other"],
  ])("and says so where it cannot: %s", (text, unknown) => {
    expect(reading(text).at(-1)).toBe(unknown);
  });
});
