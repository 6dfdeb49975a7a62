/**
 * Each command carries a mark in its environment, `SCORPIOX_OWNER=<instance>.<number>`, by which it and
 * its descendants are recognised wherever they went: the guardian sweeps by instance, the supervisor by
 * the whole mark.
 */
export const ownerVariable = "SCORPIOX_OWNER";

/** The mark of one command of one server instance. */
export function ownerMark(instanceId: string, commandNumber: number): string {
  return `${instanceId}.${commandNumber}`;
}

/** True when `mark` was given by the server `instanceId`. */
export function isMarkOf(instanceId: string, mark: string | undefined): boolean {
  return mark !== undefined && mark.startsWith(`${instanceId}.`);
}
