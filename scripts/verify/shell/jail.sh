# Inside the jail: runs each text of /texts in a bash of its own, and writes for each the programs that said they ran.
shopt -s nullglob dotglob
# A loop without end is a text like any other, and so is a fork bomb.
ulimit -u "$1"
cd /scratch || exit
: >/ran/names
while IFS= read -r -d '' -u 9 text; do
  (ulimit -t 1; exec /usr/bin/bash -c "$text" </dev/null >/dev/null 2>&1 8>&- 9<&-)
  mapfile -t ran </ran/names
  : >/ran/names
  left=(*)
  ((${#left[@]})) && /usr/sys/rm -rf -- "${left[@]}"
  printf '%s\n' "ran ${ran[*]}" >&8
done 8>/report/lines 9</texts
