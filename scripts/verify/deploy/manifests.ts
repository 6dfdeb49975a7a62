/** The manifests for Kubernetes against the schemas of its API, which the npm package `kubernetes-models` has. */
import { existsSync, mkdirSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";

import { isObject } from "../../../src/base/values.ts";
import { folder, notRun, type Row, run } from "../packages/rehearsal.ts";
import { deployFolder } from "./systemd.ts";

const schemas = "kubernetes-models@5.1.0";
/** Not a resource of the API: `kubectl` reads it. */
const foreign = "kustomization.yaml";

type Resource = Readonly<Record<string, unknown>>;
type Kinds = Readonly<Record<string, new (resource: Resource) => { validate(): void }>>;

export async function manifestRow(): Promise<Row> {
  const name = "Kubernetes";
  const place = join(folder, "kubernetes-models");
  if (!existsSync(join(place, "node_modules"))) {
    mkdirSync(place, { recursive: true });
    const install = ["npm", "install", "--no-audit", "--no-fund", "--ignore-scripts"];
    const done = run([...install, "--prefix", place, schemas]);
    if (!done.isDone) return notRun(name, `npm has no ${schemas}: ${done.text}`);
  }
  const from = join(deployFolder, "kubernetes");
  const resources = readdirSync(from)
    .filter((file) => file !== foreign && file !== patchName)
    .flatMap((file) => resourcesIn(join(from, file)));
  const patched = resources.map((resource) =>
    patchedBy(resourcesIn(join(from, patchName)), resource),
  );
  const faults: string[] = [...missingFiles(from)];
  for (const resource of [...resources, ...patched]) {
    const fault = await faultOf(place, resource);
    if (fault !== undefined) faults.push(fault);
  }
  if (faults.length > 0) return [name, "FAIL", faults.join("; ")];
  return [name, "pass", `${resources.length} resources, also with ${patchName}, fit the API`];
}

const patchName = "sandbox.yaml";

function resourcesIn(path: string): readonly Resource[] {
  const parsed: unknown = Bun.YAML.parse(readFileSync(path, "utf8"));
  return (Array.isArray(parsed) ? parsed : [parsed]).filter(isObject);
}

function missingFiles(from: string): readonly string[] {
  const [list = {}] = resourcesIn(join(from, foreign));
  const named = Array.isArray(list["resources"]) ? list["resources"] : [];
  return named.filter((file) => !existsSync(join(from, String(file)))).map((file) => `no ${file}`);
}

/** As a strategic merge does: objects by key, lists of objects by their `name`. */
function patchedBy(patches: readonly Resource[], resource: Resource): Resource {
  const patch = patches.find(({ kind }) => kind === resource["kind"]);
  return patch === undefined ? resource : merge(resource, patch);
}

function merge(to: Resource, from: Resource): Resource {
  const merged = Object.entries(from).map(([key, value]): readonly [string, unknown] => {
    const old = to[key];
    if (Array.isArray(value) && Array.isArray(old)) return [key, mergeLists(old, value)];
    return [key, isObject(value) && isObject(old) ? merge(old, value) : value];
  });
  return { ...to, ...Object.fromEntries(merged) };
}

function mergeLists(to: readonly unknown[], from: readonly unknown[]): readonly unknown[] {
  return to.map((item) => {
    const patch = from.find(
      (one) => isObject(one) && isObject(item) && one["name"] === item["name"],
    );
    return isObject(patch) && isObject(item) ? merge(item, patch) : item;
  });
}

async function faultOf(place: string, resource: Resource): Promise<string | undefined> {
  const { apiVersion, kind } = resource;
  const path = join(place, "node_modules/kubernetes-models", String(apiVersion), "index.js");
  try {
    const kinds: Kinds = await import(path);
    const Kind = kinds[String(kind)];
    if (Kind === undefined) return `${String(apiVersion)} has no ${String(kind)}`;
    new Kind(resource).validate();
    return undefined;
  } catch (error) {
    return `${String(kind)}: ${String(error)}`;
  }
}
