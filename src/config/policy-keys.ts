import { booleanValue, type ConfigKey } from "./value-types.ts";

export const policyCautionsKey: ConfigKey<boolean> = {
  name: "POLICY_CAUTIONS",
  type: booleanValue,
  default: true,
  help: "Ask before commands that are rarely meant, such as rm -rf / or git push --force.",
  project: "never",
  published: false,
};

export const auditKey: ConfigKey<boolean> = {
  name: "AUDIT",
  type: booleanValue,
  default: true,
  help: "Log each call to ~/.scorpiox/audit/audit.jsonl, with a digest of its arguments.",
  project: "never",
  published: false,
};

export const auditCommandsKey: ConfigKey<boolean> = {
  name: "AUDIT_COMMANDS",
  type: booleanValue,
  default: false,
  help: "Log commands in words too, without what looks like a secret.",
  project: "never",
  published: false,
};

export const policyKeys: readonly ConfigKey[] = [policyCautionsKey, auditKey, auditCommandsKey];
