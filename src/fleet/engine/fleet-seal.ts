/** Signs what goes through the engine, and tells what a replica of this fleet has signed (`FleetSecret`). */
export interface FleetSeal {
  sign(text: string, purpose: string): string;
  /** The text; undefined for anything that was not signed for this purpose. */
  verified(signed: string, purpose: string): string | undefined;
}
