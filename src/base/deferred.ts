/** A promise with its settle functions, for code that learns the outcome in a callback. */
export interface Deferred<T> {
  readonly promise: Promise<T>;
  readonly resolve: (value: T) => void;
  readonly reject: (reason: unknown) => void;
}

export function createDeferred<T>(): Deferred<T> {
  return Promise.withResolvers<T>();
}
