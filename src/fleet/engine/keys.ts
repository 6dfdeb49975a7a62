/** Raised when the layout of the keys changes: two versions of the program then do not read each other's keys. */
const layoutVersion = 1;

/** The names of keys and channels of one fleet: all of them begin with one prefix, which an ACL can name. */
export class FleetKeys {
  readonly prefix: string;

  /** @param fleetName of `parseFleetName` */
  constructor(fleetName: string) {
    this.prefix = `scorpiox:${fleetName}:${layoutVersion}:`;
  }

  /** @param parts words and ids made by the fleet; none has a colon */
  of(...parts: readonly string[]): string {
    return this.prefix + parts.join(":");
  }
}
