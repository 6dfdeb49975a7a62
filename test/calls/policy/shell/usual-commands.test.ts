import { expect, test } from "bun:test";

import { reading } from "./shown-reading.ts";

/** As models write them: each with the programs that it runs. */
const commands: [string, string][] = [
  ["git status --short && git diff --stat HEAD~1", "git git"],
  ["cd /work/app && npm ci && npm test -- --watch=false 2>&1 | tail -n 40", "cd npm npm tail"],
  [
    "grep -rn \"TODO\\|FIXME\" --include='*.ts' src | awk -F: '{print $1}' | sort -u | head -20",
    "grep awk sort head",
  ],
  ["find . -type f -name '*.log' -mtime +7 -print0 | xargs -0 rm -f --", "find xargs rm"],
  ["for f in src/*.ts; do sed -i 's/foo/bar/g' \"$f\"; done", "sed"],
  [
    'git commit -m "$(cat <<\'EOF\'\nfix: it\'s "done" (really)\n\nCo-authored-by: a <b@c>\nEOF\n)"',
    "cat git",
  ],
  ["cat > src/a.ts <<'EOF'\nconst a = `${x}`;\nif (a) { console.log(\"$(rm)\"); }\nEOF", "cat"],
  ["python3 - <<'PY'\nimport os\nprint(os.environ['HOME'])\nPY", "python3"],
  [
    "curl -sS -X POST -H 'Content-Type: application/json' -d '{\"a\": [1, 2]}' http://localhost:3000/api | jq '.b[] | select(.c > 1)'",
    "curl jq",
  ],
  ["docker run --rm -v \"$PWD\":/app -w /app node:20 sh -c 'npm ci && npm run build'", "docker"],
  ["ps aux | grep '[n]ode' | awk '{print $2}' | xargs -r kill -9", "ps grep awk xargs kill"],
  ["test -f .env || cp .env.example .env", "test cp"],
  ["[ -d node_modules ] || npm install", "[ npm"],
  ["while ! nc -z localhost 5432; do sleep 0.1; done; echo up", "nc sleep echo"],
  ["export NODE_ENV=test; DEBUG=* node --import ./a.mjs index.js --port=0 &", "export node"],
  [
    'set -euo pipefail; make -j"$(nproc)" all 2>build.err || { cat build.err; exit 1; }',
    "set nproc make cat exit",
  ],
  ["echo $((2 ** 10)) ${#PATH} ${PATH//:/ } ${1:-none} $? $! $$", "echo"],
  ["diff <(sort a.txt) <(sort b.txt) | grep '^[<>]' || true", "sort sort diff grep true"],
  ["tar czf - dir | ssh host 'tar xzf - -C /tmp'", "tar ssh"],
  ["ls -la ~/Downloads/*.{png,jpg} 2>/dev/null | wc -l", "ls wc"],
  [
    'if [[ "$OSTYPE" == darwin* ]]; then brew list; elif command -v apt >/dev/null; then dpkg -l; fi',
    "brew command dpkg",
  ],
  [
    'case "$(uname -s)" in Linux*) echo l ;; Darwin*) echo m ;; *) echo other;; esac',
    "uname echo echo echo",
  ],
  [
    "printf '%s\\n' \"a b\" 'c' | while IFS= read -r line; do echo \"[$line]\"; done",
    "printf read echo",
  ],
  ["timeout 30s cargo test --workspace -- --nocapture 2>&1 | tee /tmp/t.log", "timeout tee cargo"],
  ['sudo -E env PATH="$PATH" apt-get install -y jq', "sudo env apt-get"],
  ["nohup ./server --port 8080 > server.log 2>&1 & echo $! > server.pid", "nohup echo ./server"],
  ["sqlite3 db.sqlite \"SELECT count(*) FROM t WHERE a LIKE '%x%';\"", "sqlite3"],
  ["perl -pi -e 's/\\bfoo\\b/bar/g' $(git ls-files '*.c')", "git perl"],
  ["(cd sub && ./run.sh) && echo ok # all good", "cd ./run.sh echo"],
  ["find . -name '*.tmp' \\( -empty -o -size +1M \\) -exec rm -v {} +", "find rm"],
];

test.each(commands)("readShell knows all that usual commands run: %s", (text, programs) => {
  const lines = reading(text).map((line) => line.replace(/^wrapper /, ""));
  const names = lines.map((line) =>
    line
      .replace(/^(?:[A-Z_]+= )*/, "")
      .split(" ", 1)
      .join(""),
  );
  const byName = (one: string, other: string): number => one.localeCompare(other);
  expect(names.toSorted(byName)).toEqual(programs.split(" ").toSorted(byName));
});
