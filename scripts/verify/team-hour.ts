/**
 * "From nothing to a team" of docs/deploy.md, word for word on a machine of its own, and then three people who use what that made.
 * Only the MCP server is a local one.
 */
import { copyFileSync, mkdirSync, readFileSync } from "node:fs";
import { join } from "node:path";

import { product } from "../../src/base/product.ts";
import { productBinary, root } from "../../test/e2e/harness/binary.ts";
import { AuthServer } from "../../test/fixtures/oauth/auth-server.ts";
import { pack } from "../build/archives.ts";
import { readCompanions } from "../build/distribution/companions.ts";
import { writePackages } from "../build/distribution/make.ts";
import { readProduct } from "../build/packages.ts";
import { hostTarget } from "../build/targets.ts";
import { Machine, whyNoSystemd } from "./deploy/systemd.ts";
import type { Outcome } from "./outcome.ts";
import { folder } from "./packages/rehearsal.ts";

const host = "mcp.example.com";
const section = "## From nothing to a team";
const name = "team-hour";

/** Puts the package, a name, a certificate and `sudo` into the copy of the machine. */
const preparing = `
cp "$1/$2" "/root/$3"
echo "127.0.0.1 ${host}" >>/etc/hosts
mkdir -p /etc/nginx/tls
rm -f /etc/nginx/sites-enabled/default /usr/bin/scorpiox-code
openssl req -x509 -subj /CN=${host} -addext subjectAltName=DNS:${host} -days 1 -nodes -newkey rsa:2048 \\
  -out /etc/nginx/tls/cert.pem -keyout /etc/nginx/tls/key.pem 2>/dev/null
command -v sudo >/dev/null || cat >/usr/local/bin/sudo <<'END'
#!/bin/sh
user=root
while :; do
  case $1 in
    -u) user=$2; shift 2 ;;
    -H) shift ;;
    *) break ;;
  esac
done
[ "$user" = root ] && exec "$@"
exec runuser -u "$user" -- env HOME="$(getent passwd "$user" | cut -d: -f6)" "$@"
END
chmod +x /usr/local/bin/sudo 2>/dev/null || true`;

export async function checkTeamHour(): Promise<Outcome> {
  const reason = whyNoSystemd() ?? (Bun.which("nginx") === null ? "nginx is missing" : undefined);
  if (reason !== undefined) return outcome([], [`not run: ${reason}`]);
  const { path, version } = await makePackage();
  using upstream = new AuthServer({ showsLists: true, namesAccount: true });
  await using machine = new Machine(preparing, [path, `scorpiox-code_${version}_amd64.deb`]);
  await machine.booted();
  const commands = blocks()
    .join("\n")
    .replaceAll("VERSION", version)
    .replaceAll("https://api.githubcopilot.com/mcp/", upstream.url);
  const done = await machine.run(["bash", "-xeuo", "pipefail", "-c", `cd /root\n${commands}`]);
  if (!done.isDone) {
    const log = await machine.run(["journalctl", "-u", "scorpiox-code", "--no-pager", "-n", "8"]);
    return outcome([], [`the commands: ${done.said.slice(-300)}${log.said}`]);
  }
  const tokens = [...done.said.matchAll(/scx_[\w-]{43}/g)].map(([token]) => token);
  const people = join(root, "scripts/verify/deploy/team-people.ts");
  const trust = "NODE_EXTRA_CA_CERTS=/etc/nginx/tls/cert.pem";
  const used = await machine.run(["env", trust, process.execPath, people, ...tokens]);
  if (!used.isDone) return outcome([], [`the people: ${used.said.slice(-1200)}`]);
  const shown = used.said.trim().split("\n");
  return outcome(
    shown,
    shown.filter((line) => line.startsWith("FAIL")),
  );
}

/** The commands of the section, but for that which runs on the machines of the team. */
function blocks(): readonly string[] {
  const page = readFileSync(join(root, "docs/deploy.md"), "utf8");
  const start = page.indexOf(section);
  const text = page.slice(start, page.indexOf("\n## ", start + section.length));
  return [...text.matchAll(/^```sh\n([\s\S]*?)^```$/gm)]
    .map(([, block = ""]) => block)
    .filter((block) => !block.startsWith("claude "));
}

async function makePackage(): Promise<{ readonly path: string; readonly version: string }> {
  const target = hostTarget();
  if (target === undefined) throw new Error("there is no package for this machine");
  const { version, license } = readProduct(root);
  const facts = { version, license, description: product.description, repository: "someone/x" };
  const outdir = join(folder, "team-hour");
  mkdirSync(outdir, { recursive: true });
  const copy = join(outdir, "scorpiox-code");
  copyFileSync(productBinary, copy);
  const companions = await readCompanions(root, version);
  const program = await pack(new Uint8Array(readFileSync(copy)));
  const made = await writePackages({ outdir, facts, companions }, target, program, ["deb"]);
  return { path: join(outdir, made.files[0] ?? ""), version };
}

function outcome(shown: readonly string[], faults: readonly string[]): Outcome {
  const passed = faults.length === 0 && shown.length > 0;
  return { name, passed, figures: shown.join("; "), faults };
}
