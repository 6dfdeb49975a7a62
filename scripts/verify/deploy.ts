/**
 * The files of `deploy/`, tried with the programs that read them: systemd, nginx, Caddy, the schemas of Kubernetes. What is missing on
 * this machine is named, and its row says "not run".
 */
import { composeRow } from "./deploy/compose.ts";
import { imageRow } from "./deploy/image.ts";
import { manifestRow } from "./deploy/manifests.ts";
import { proxyRow } from "./deploy/proxies.ts";
import { scoreRow, serviceRow } from "./deploy/systemd.ts";
import type { Outcome } from "./outcome.ts";
import type { Row } from "./packages/rehearsal.ts";

export async function checkDeploy(): Promise<Outcome> {
  const rows: Row[] = [
    scoreRow("unit", [], 3.5),
    scoreRow("unit with strict.conf", ["strict.conf"], 2),
    await serviceRow("unit under systemd", []),
    await serviceRow("unit with strict.conf under systemd", ["strict.conf"]),
    await manifestRow(),
    await proxyRow("nginx"),
    await proxyRow("caddy"),
    await composeRow(),
    await imageRow(),
  ];
  const failed = rows.filter(([, result]) => result === "FAIL");
  return {
    name: "deploy",
    passed: failed.length === 0 && rows.some(([, result]) => result === "pass"),
    figures: rows.map(([name, result, figure]) => `${name} ${result} (${figure})`).join("; "),
    faults: failed.map(([name, , figure]) => `${name}: ${figure}`),
    details: rows,
  };
}
