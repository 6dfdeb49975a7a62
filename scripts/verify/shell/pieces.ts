/** What candidates are made of. Pieces are words of a line, `~` stands for a blank at their ends. */

/** Spellings of the program that the rule denies, and other programs of the jail. */
export const forbidden: readonly string[] = [
  ..."forbid forbid forbid fo\\rbid f\"or\"bid for''bid $'forbid' $'f\\x6frbid' \"forbid\" 'forbid'".split(
    " ",
  ),
  ...'/usr/bin/forbid ../usr/bin/forbid $"forbid" {forbid,}'.split(" "),
  "for\\\nbid",
  "\\\nforbid",
];

export const others: readonly string[] = "ls git cat rm true printf~x echo~x :"
  .split(" ")
  .map(blanks);

/** A command stands between the two halves. */
export const around: readonly (readonly [string, string])[] = [
  ["( ", " )"],
  ["(", ")"],
  ["{ ", "; }"],
  ["{ ", "\n}"],
  ["if true; then ", "; fi"],
  ["if false; then :; else ", "; fi"],
  ["if ", "; then :; fi"],
  ["for x in 1; do ", "; done"],
  ["for x\ndo ", "\ndone"],
  ["for ((i=0;i<1;i++)); do ", "; done"],
  ["for ((i=0;i<1;i++)) { ", "; }"],
  ["while ", "; do break; done"],
  ["until ", "; do break; done"],
  ["while true; do ", "; break; done"],
  ["case a in a) ", ";; esac"],
  ["case a in (a|b) ", ";& b) :;; esac"],
  ["case a in b) :;; *) ", "\nesac"],
  ["select x in a; do ", "; break; done <<<1"],
  ["f() { ", "; }; f"],
  ["f() ( ", " ); f"],
  ["function f { ", "; }; f"],
  ["function f () ( ", " ); f"],
  ["coproc ", ""],
  ["coproc ", " {} \\;"],
  ["coproc N { ", "; }"],
  ["coproc N ( ", " )"],
  ["[[ -n x ]] && ", ""],
  ["[[ x =~ (a|x) ]] && ", ""],
  ["((1)) && ", ""],
  ["! ", ""],
  ["time ", ""],
  ["time -p ", ""],
  ["time -- ", ""],
  ["time -p -- ", ""],
  ["echo $(", ")"],
  ["echo `", "`"],
  ['echo "$(', ')"'],
  ['echo "`', '`"'],
  ["cat <(", ")"],
  ["cat >(", ")"],
  ["echo ${v:-$(", ")}"],
  ["echo ${v:-`", "`}"],
  ["echo $((1+$(", ")))"],
  ["(( x = $(", ") ))"],
  ["[[ $(", ") ]]"],
  ["x=$(", ")"],
  ["x=(1 $(", "))"],
  ["x+=`", "`"],
  ["case $(", ") in *) :;; esac"],
  ["for x in $(", "); do :; done"],
  ["cat <<E\n$(", ")\nE"],
  ["cat <<-E\n\t`", "`\n\tE"],
  ["cat <<<$(", ")"],
  ["bash <<'E'\n", "\nE"],
  ["bash <<\\E\n", "\nE"],
  ["bash -s <<-'E'\n\t", "\n\tE"],
  ["bash <<<'", "'"],
  ["bash -c '", "'"],
  ['sh -c "', '"'],
  ["bash -ec -- '", "' x"],
  ["bash +x -O extglob -c '", "'"],
  ["dash -c '", "'"],
  ["eval '", "'"],
  ["eval ", ""],
  ["eval -- ", ""],
  ["trap '", "' EXIT"],
  ["trap -- ", " EXIT"],
  [". /dev/stdin <<'E'\n", "\nE"],
  ["source /dev/stdin <<<'", "'"],
  ["bash /dev/stdin <<<'", "'"],
  ["find . -maxdepth 0 -exec ", " \\;"],
  ["find . -maxdepth 0 -exec ", " {} +"],
  ["echo a | xargs ", ""],
  ["echo a | xargs -I{} ", " {}"],
  ["set -- ", '; "$@"'],
];

/** In front of a command: prefixes, redirections, programs that start others. */
export const before: readonly string[] = [
  ..."env~ env~-~ env~-i~ env~-i~-~ env~--~ env~A=1~ env~-u~X~ env~-uX~ env~-C~/~ env~--chdir=/~ env~-S~ env~-0~ env~-i0~".split(
    " ",
  ),
  ..."command~ command~-p~ command~--~ builtin~ builtin~command~ exec~ exec~-a~z~ exec~--~ exec~-c~ exec~-la~z~".split(
    " ",
  ),
  ..."nice~ nice~-n~1~ nice~-1~ nice~--~ nice~--adjustment=1~ timeout~2~ timeout~-s~TERM~2~ timeout~--signal=TERM~2~ timeout~-k1~2~".split(
    " ",
  ),
  ..."nohup~ setsid~-w~ stdbuf~-oL~ stdbuf~--output=L~ xargs~ xargs~-n1~ xargs~-0~ xargs~-r~ ionice~ ionice~-c3~ env~-v~".split(
    " ",
  ),
  ..."X=1~ X+=1~ A=~ A[0]=x~ X=$'y'~ X=a\\~b~ X=(1)~ =1~ 1=2~ -x=1~ X==~ X-=1~ \\X=1~ X\\=1~ 'X'=1~".split(
    " ",
  ),
  ...">o~ 2>&1~ >&2~ 2>&-~ <&-~ 3>&-~ 3<&0~ {fd}>o~ {fd}<&-~ &>o~ >&o~ &>>o~ <>o~ >|o~ 3<&0-~ <&-1~ >&-x~ <<<x~ 0<<<x~ <o~".split(
    " ",
  ),
  ..."time~ !~ !~!~ coproc~ then~ do~ function~ \\\n if~ {~".split(" "),
].map(blanks);

/** Between two commands. */
export const between: readonly string[] = [
  ..."; && || | |& & ;~ ~&&~ ~||~ ~|~ ~&~".split(" ").map(blanks),
  "\n",
  ";\n",
  "&&\n",
  "|\n",
  " #c\n",
];

/** Anything else that means something to a shell, whole and torn. */
export const soup: readonly string[] = [
  ..."; & && || | |& ( ) (( )) { } ~{~ ~} [ ] [[~ ~]] ! !~ ;; ;& ;;& # #x ~#~ $ $( ${ $(( $[ ` ' \" \\ $' $\" <( >( < > << <<- <<< <& >& >| &> &>> <>".split(
    " ",
  ),
  ..."if~ then~ else~ elif~ fi while~false until~true do~ ;~do~ done for~x~in~a case~a~in~ a) (a) esac in~ select~x function~f f()~ coproc~ time~ time~-p~".split(
    " ",
  ),
  ...'${x:- ${x/a/ ${x# ${x} ${!x} ${#x} ${x@Q} $x $@ $* "$@" $$ $! $? $- $((1)) x= x+= x=( a[0]= ~ * ? @( +( !( {a, , .. =~ == -n~ -z~'.split(
    " ",
  ),
  ..."echo~ eval~ exec~ command~ builtin~ env~ bash~-c~ sh~-c~ bash~-s~ bash~ .~ source~ trap~ set~ set~-f shopt~-s~extglob read~x let~ declare~ export~ local~ test~".split(
    " ",
  ),
  ..."printf~-v~x~ printf~ unset~ alias~ hash~ history~ fc~ jobs~ kill~-0~ cd~ pushd~ getopts~ mapfile~ wait~ return~ break~ X=1~".split(
    " ",
  ),
  ..."0 1 2 - -- ~--~ ~-~ ~-c~ -i~ + = : , % ^ a x E EXIT {} {}~\\; ~\\; ~+ 2>&1 >&2 >/dev/null </dev/null <&- 3>&- >&-".split(
    " ",
  ),
  "\n",
  "\\\n",
  " ",
  "  ",
  "\t",
  "\r",
  "\\'",
  '\\"',
  "\\`",
  "\\$",
  "\\\\",
  "\\ ",
  "\u00a0",
  "\u2028",
  "<<E\n",
  "<<-E\n",
  "<<'E'\n",
  '<<"E"\n',
  "<<\\E\n",
  "\nE\n",
  "\n\tE\n",
  "\nE",
  "E)\n",
  "#c\n",
  "\n#c\n",
].map((piece) => (piece.length > 1 ? blanks(piece) : piece));

function blanks(piece: string): string {
  return piece.replaceAll("~", " ");
}
