import { describe, expect, test } from "bun:test";

import {
  shellCharsMax,
  shellCommandsMax,
  shellDepthMax,
  shellStepsMax,
} from "../../../../src/base/limits.ts";
import { reading } from "./shown-reading.ts";

describe("readShell finds every program (U-policy)", () => {
  test.each<[string, string, string[]]>([
    ["nothing", "", []],
    ["a comment", "# rm x", []],
    ["words", "rm -rf x", ["rm -rf x"]],
    ["pipes", "a | b |& c", ["a", "b", "c"]],
    ["lists", "a; b && c || d & e\nf", ["a", "b", "c", "d", "e", "f"]],
    ["a comment behind a command", "a # 'x\nb", ["a", "b"]],
    ["a number sign in a word", "a b#c", ["a b#c"]],
    ["a subshell", "(a; b)", ["a", "b"]],
    ["a group", "{ a; b; } > f", ["a", "b", "write:f"]],
    ["not and time", "! a; time -p b; time", ["a", "b"]],
    ["a command substitution", 'echo $(a "$(b)")', ["b", "a …", "echo …*"]],
    ["one in quotes", 'echo "x $(a) y"', ["a", "echo x … y"]],
    ["backquotes in backquotes", "echo `a \\`b\\``", ["b", "a …*", "echo …*"]],
    ["a process substitution", "diff <(a) >(b)", ["a", "b", "diff … …"]],
    ["an expansion with a default", "echo ${x:-$(a)}", ["a", "echo …*"]],
    ["arithmetic", "echo $((1 + $(a)))", ["a", "echo …*"]],
    ["an arithmetic command", "((i++)); a", ["a"]],
    ["an array", "x=(1 $(a)) b", ["a", "x= b"]],
    ["if", "if a; then b; elif c; then d; else e; fi", ["a", "b", "c", "d", "e"]],
    ["while and until", "while a; do b; done; until c; do d; done", ["a", "b", "c", "d"]],
    ["for", "for x in $(a) 2; do b; done", ["a", "b"]],
    ["for with arithmetic", "for ((i = 0; i < 3; i++)) { a; }", ["a"]],
    ["select", "select x in 1 2; do a; done", ["a"]],
    ["case", "case $x in a|b) c ;; (d) e ;& *) f; esac", ["c", "e", "f"]],
    ["a condition", "[[ $(a) =~ ^(b|c)$ && -f d ]] && e", ["a", "e"]],
    ["functions", "f() { a; }; function g { b; }; f", ["a", "b", "f"]],
    ["a coprocess", "coproc a; coproc X { b; }", ["a", "b"]],
    ["assignments before it", "A=1 B=$(a) b c=d", ["a", "A= B= b c=d"]],
    ["a line that goes on", "a \\\n  b", ["a b"]],
    ["a word at the end of a line that goes on", "echo\\\n x\\\n; a", ["echo x", "a"]],
  ])("in %s", (_what, text, expected) => {
    expect(reading(text)).toEqual(expected);
  });
});

describe("readShell knows what words become (U-policy: quoting tricks)", () => {
  test.each<[string, string[]]>([
    [String.raw`r\m x`, ["rm x"]],
    [`'r'm x`, ["rm x"]],
    [`r"m" x`, ["rm x"]],
    [`r''m x`, ["rm x"]],
    [String.raw`$'\x72\155' x`, ["rm x"]],
    [String.raw`$'\u0072m\n' x`, ["rm\n x"]],
    [`$"rm" x`, ["rm x"]],
    [`"\\$a \\" \\\\ \\x"`, ['$a " \\ \\x']],
    ["a ~ ~/b $HOME/c ${HOME}/d '~/e'", ["a /home/me /home/me/b /home/me/c /home/me/d ~/e"]],
    ["a ~root/b", ["a …"]],
    ['a $x "$x" y"$x"z', ["a …* … y…z"]],
    ['a b$x "$@" "${x[@]}"', ["a …* …* …*"]],
    ["a *.c b?d [ef] {g,h} {}", ["a ….c* b…d* …* …* {}"]],
    ["[ -f x ]", ["[ -f x ]"]],
  ])("%j", (text, expected) => {
    expect(reading(text)).toEqual(expected);
  });
});

const elsewhere = "? a shell that reads its commands from elsewhere";

describe("readShell reads redirections and here-documents (U-policy)", () => {
  test.each<[string, string[]]>([
    ["a > f 2>> g < h", ["a write:f write:g read:h"]],
    ["a &> f &>> g >| h <> i >& j", ["a write:f write:g write:h write:i write:j"]],
    ["a 2&>f 3&>>g 2>h", ["a 2 3 write:f write:g write:h"]],
    ["a 2>&1 >&- <&3", ["a duplicate:1 duplicate:- duplicate:3"]],
    ["a {fd}> f", ["a write:f"]],
    ["> f", ["write:f"]],
    ["cat <<E\n$(a) `b`\nE\nc", ["cat", "a", "b", "c"]],
    ["cat <<'E'\n$(a)\nE\nc", ["cat", "c"]],
    ["cat <<-E\n\t$(a)\n\tE\nc", ["cat", "a", "c"]],
    ["cat <<A <<B; c\n1\nA\n2\nB\nd", ["cat", "c", "d"]],
    ["echo $(cat <<E\nx\nE\n)", ["cat", "echo …*"]],
    ["bash <<'E'\nrm x\nE", ["wrapper bash", "rm x"]],
    ["bash <<E\nrm $x\nE", ["bash", "? a shell that reads its commands from elsewhere"]],
    ["sh <<< 'rm x'", ["wrapper sh", "rm x"]],
    ["sh <<< 'rm x' 3<<< ls", ["wrapper sh", "rm x"]],
    ["sh <<A 3<<B\nrm x\nA\nls\nB", ["wrapper sh", "rm x"]],
    ["sh <<< ls 0<<< 'rm x'", ["wrapper sh", "rm x"]],
    ["sh <<< ls < f", ["sh read:f", elsewhere]],
    ["sh <<< ls <> f", ["sh write:f", elsewhere]],
    ["sh <<< ls <&3", ["sh duplicate:3", elsewhere]],
    ["a | sh 3<<< ls", ["a", "sh", elsewhere]],
  ])("%j", (text, expected) => {
    expect(reading(text)).toEqual(expected);
  });
});

describe("readShell says what it cannot know (U-policy: unparseable input, aliases)", () => {
  const evaluated = "? a text with commands that may be evaluated once more";
  const dynamic = "? the name of a program is known only when it runs";
  test.each<[string, string[]]>([
    ["$x y", ["…* y", dynamic]],
    ["r{m,x} y", ["r…* y", dynamic]],
    ["/bin/r? y", ["/bin/r…* y", dynamic]],
    ["$(echo rm) y", ["echo rm", "…* y", dynamic]],
    ["alias a=b", ["alias a=b", "? an alias"]],
    [
      "shopt -s expand_aliases",
      ["shopt -s expand_aliases", "? expand_aliases, which changes how commands are read"],
    ],
    ["HOME=/x a", ["HOME= a", "? HOME is changed"]],
    ["export HOME=/x", ["export HOME=/x", "? HOME is changed"]],
    ["read HOME", ["read HOME", "? HOME is changed"]],
    ["BASH_ENV=f a", ["BASH_ENV= a", "? BASH_ENV, which changes what is run"]],
    ["BASH_ALIASES[a]=b", ["BASH_ALIASES=", "? BASH_ALIASES, which changes what is run"]],
    [
      "env 'BASH_FUNC_a%%=() { b; }' c",
      [
        "wrapper env BASH_FUNC_a%%=() { b; } c",
        "BASH_FUNC_a%%= c",
        "? BASH_FUNC_a, which changes what is run",
      ],
    ],
    ["a='x[$(b)]'; ((a))", ["a=", evaluated]],
    ["let 'x[$(b)]=1'", ["let x[$(b)]=1", evaluated]],
    ["[ -v 'x[`b`]' ]", ["[ -v x[`b`] ]", evaluated]],
    ["declare -a a='($(b))'", ["declare -a a=($(b))", evaluated]],
    ["[[ 'x[$(b)]' -eq 0 ]]", [evaluated]],
    ["echo ${b['$(c)']}", [evaluated]],
    ["echo ${x@P}", ["? an expansion that is expanded once more"]],
    ["a | sh", ["a", "sh", "? a shell that reads its commands from elsewhere"]],
    ["'a", ["? a quote without end"]],
    ["a &&", ["a", '? a command is missing before ""']],
    ["time & a", ['? a command is missing before "&"']],
    ["A=1 f() { b; }", ["A= f", '? "(" is not expected here']],
    ["a;;b", ["a", '? ";" is not expected here']],
    ["i\\\nf a", ["? a line is continued within a word"]],
    ["a &\\\n& b", ["a", "? a line is continued within an operator"]],
    ["a $\\\n(b)", ["? a line is continued within an expansion"]],
    ["$((a); b)", ["? )) is missing"]],
    ["$((a; b))", ["? arithmetic that may be a subshell"]],
    ["((a); (b))", ["? )) is missing"]],
    ["cat <<E $(a\n)\nE", ["a", "? a here-document whose body is not where its substitution is"]],
    ["echo $(cat <<E\nx\nE)", ["? a here-document that ends with its substitution"]],
    ["a \"${x#'}'}\"", ["? a quote within an expansion within quotes"]],
    ["a >&'$(b)'", ["? a redirection that is expanded twice"]],
    ["a\0b", ["? a NUL character"]],
  ])("%j", (text, expected) => {
    expect(reading(text).filter((line) => line !== "cat")).toEqual(expected);
  });

  test.each<[string, number, boolean]>([
    ["characters", shellCharsMax, false],
    ["one more", shellCharsMax + 1, true],
  ])("%s", (_what, length, isTooLong) => {
    const unknown = `? it is longer than ${shellCharsMax} characters`;
    expect(reading("a".padEnd(length)).includes(unknown)).toBe(isTooLong);
  });

  test.each<[string, string, string[]]>([
    [
      "depth",
      "(".repeat(1) + " (".repeat(shellDepthMax - 1) + "a" + ")".repeat(shellDepthMax),
      ["a"],
    ],
    [
      "more",
      "( ".repeat(shellDepthMax + 1) + "a" + ")".repeat(shellDepthMax + 1),
      ["? it is nested too deeply"],
    ],
  ])("nesting: %s", (_what, text, expected) => {
    expect(reading(text)).toEqual(expected);
  });

  test("parts", () => {
    expect(reading("a ".repeat(shellStepsMax)).at(-1)).toBe("? it has too many parts");
    const file = `cat <<'E'\n${"a `b` $(c) ".repeat(5000)}\nE`;
    expect(reading(file)).toEqual(["cat"]);
  });

  test("programs", () => {
    expect(reading("a;".repeat(shellCommandsMax))).toHaveLength(shellCommandsMax);
    expect(reading("a;".repeat(shellCommandsMax + 1)).at(-1)).toBe("? it has too many commands");
  });
});
