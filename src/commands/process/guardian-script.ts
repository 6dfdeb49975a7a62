import { huntArgument } from "./hunt-argument.ts";

/**
 * A POSIX shell program that outlives the server by moments. It reads `+<group>` and `-<group>` lines from the server;
 * when the pipe ends, however the server died, it ends the groups that were live and everything that carries the owner
 * mark of the instance ($1), or its limit of file locks, which begins with the digits $2 (Linux; empty where there is
 * none) and stays with processes that wipe their environment. A `.` line makes it exit silently. The words behind $2,
 * if any, start this program, which hunts for processes that fork faster than a shell can look.
 *
 * It ignores the signals that a terminal or a supervisor sends to whole sessions. `sleep 0.2` is not POSIX but works in
 * GNU, BSD and BusyBox; where it does not, a whole second does.
 */
export const guardianScript = String.raw`
trap '' HUP INT QUIT TERM PIPE TSTP
id=$1 digits=$2
shift 2
live=" "
while IFS= read -r line; do
  case $line in
    .) exit 0 ;;
    +*) live="$live\${line#+} " ;;
    -*) gone=\${line#-}
        case $live in *" $gone "*) live="\${live%%" $gone "*} \${live#*" $gone "}" ;; esac ;;
  esac
done
marked() {
  if [ -r /proc/self/environ ]; then
    for file in $(grep -ls "SCORPIOX_OWNER=$1\\." /proc/[0-9]*/environ 2>/dev/null); do
      file=\${file#/proc/}; echo "\${file%/environ}"
    done
    [ -z "$2" ] && return
    for file in $(grep -ls "^Max file locks  *$2[0-9]\{8\} " /proc/[0-9]*/limits 2>/dev/null); do
      file=\${file#/proc/}; echo "\${file%/limits}"
    done
  else
    ps -axEww -o pid=,command= 2>/dev/null | grep "SCORPIOX_OWNER=$1\\." | grep -v grep |
      while read -r pid rest; do echo "$pid"; done
  fi
}
signal() {
  # The number of an ended group may soon belong to another process.
  still=" "
  for group in $live; do kill -s "$1" -- "-$group" 2>/dev/null && still="$still$group "; done
  live=$still
  for pid in $(marked "$2" "$3"); do kill -s "$1" -- "$pid" 2>/dev/null; found=1; done
}
# A shell that cannot fork exits on the spot: it kills the groups that it knows without forking.
bare() { for group in $live; do kill -s KILL -- "-$group" 2>/dev/null; done; }
trap bare EXIT
leave() { trap - EXIT; exit 0; }
hunt() { [ $# -gt 0 ] && [ -n "$digits" ] && "$@" ${huntArgument} "$digits" 2>/dev/null; }
found= had=$live
# First, in the background: while a process keeps forking, a scan of all processes takes seconds.
[ "$had" = " " ] || hunt "$@" &
signal TERM "$id" "$digits"; signal CONT "$id" "$digits"
[ "$had" = " " ] && [ -z "$found" ] && leave
sleep 0.4 2>/dev/null || sleep 1
round=0
while [ $round -lt 10 ]; do
  found=
  signal KILL "$id" "$digits"
  [ $round -eq 0 ] && [ "$had" = " " ] && hunt "$@"
  [ -z "$found" ] && [ $round -gt 0 ] && leave
  sleep 0.2 2>/dev/null || sleep 1
  round=$((round + 1))
done
leave
`.replaceAll("\\$", "$");
