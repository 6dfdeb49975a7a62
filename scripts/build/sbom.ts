import { createHash } from "node:crypto";
import type { BundledPackage } from "./packages.ts";

/**
 * A CycloneDX 1.6 bill of materials: what is inside the binaries. It names neither the time nor the
 * machine, and its serial number is a hash of the content, so that the same inputs give the same file.
 */
export function createSbom(
  product: BundledPackage,
  runtimes: readonly BundledPackage[],
  packages: readonly BundledPackage[],
): Record<string, unknown> {
  const self = componentOf(product, "application");
  const components = [
    ...runtimes.map(describeRuntime),
    ...packages.map((row) => componentOf(row, "library")),
  ];
  const body = {
    metadata: { component: self },
    components,
    dependencies: [
      { ref: self["bom-ref"], dependsOn: components.map((row) => row["bom-ref"]) },
      ...components.map((row) => ({ ref: row["bom-ref"] })),
    ],
  };
  return {
    $schema: "http://cyclonedx.org/schema/bom-1.6.schema.json",
    bomFormat: "CycloneDX",
    specVersion: "1.6",
    serialNumber: `urn:uuid:${uuidOf(JSON.stringify(body))}`,
    version: 1,
    ...body,
  };
}

/** Bun's executable, with the one part of it whose licence asks more than attribution. */
function describeRuntime(row: BundledPackage) {
  return {
    ...componentOf(row, "platform"),
    description: "JavaScript runtime, linked into the binary",
    // This page lists what else it is made of, and how to relink it.
    externalReferences: [{ type: "license", url: "https://bun.com/docs/project/license" }],
    components: [
      {
        type: "library",
        "bom-ref": `webkit@${row.name}@${row.version}`,
        name: "WebKit (JavaScriptCore)",
        licenses: [{ license: { id: "LGPL-2.0-only" } }],
        externalReferences: [{ type: "vcs", url: "https://github.com/oven-sh/WebKit" }],
      },
    ],
  };
}

function componentOf<T extends string>(row: BundledPackage, type: T) {
  const slash = row.name.indexOf("/");
  const scope = row.name.startsWith("@") ? row.name.slice(0, slash) : undefined;
  const name = scope === undefined ? row.name : row.name.slice(slash + 1);
  const purl = `pkg:npm/${scope === undefined ? "" : `${encodeURIComponent(scope)}/`}${name}@${row.version}`;
  return {
    type,
    "bom-ref": purl,
    ...(scope === undefined ? {} : { group: scope }),
    name,
    version: row.version,
    licenses: [licenseOf(row.license)],
    purl,
    ...(row.sha512 === undefined ? {} : { hashes: [{ alg: "SHA-512", content: row.sha512 }] }),
  };
}

function licenseOf(spdx: string): Record<string, unknown> {
  return / (AND|OR|WITH) /.test(spdx) ? { expression: spdx } : { license: { id: spdx } };
}

/** A UUID of version 8 (RFC 9562: bits of the maker's choice) from the SHA-256 of `text`. */
function uuidOf(text: string): string {
  const hex = createHash("sha256").update(text).digest("hex");
  const variant = "89ab"[Number.parseInt(hex.charAt(16), 16) % 4];
  return [
    hex.slice(0, 8),
    hex.slice(8, 12),
    `8${hex.slice(13, 16)}`,
    `${variant}${hex.slice(17, 20)}`,
    hex.slice(20, 32),
  ].join("-");
}
