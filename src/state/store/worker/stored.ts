/** Sentences for people: a damaged file was set aside, the file was replaced. Almost always empty. */
export type Notices = readonly string[];

/** A value of the store, and what a person must know of the file. */
export interface Stored<Value> {
  readonly value: Value;
  readonly notices: Notices;
}

export interface StoreOptions {
  readonly path: string;
  readonly busyMsMax: number;
}
