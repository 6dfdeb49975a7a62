export type CallbackRequest =
  | {
      readonly action: "set";
      readonly message: string;
      readonly delaySeconds: number;
      /** -1 = forever. */
      readonly repeatCount: number;
    }
  | { readonly action: "list" }
  /** null = all of them. */
  | { readonly action: "cancel"; readonly callbackId: number | null };

export interface Callback {
  /** Slot: 0 to 7. */
  readonly callbackId: number;
  readonly message: string;
  readonly delaySeconds: number;
  /** Milliseconds to the next fire; 0 when it is due. */
  readonly nextFireMs: number;
  /** -1 = forever. */
  readonly firesLeft: number;
}

export interface CallbackReply {
  /** Those that are active now, by slot. */
  readonly callbacks: readonly Callback[];
  /** Those that were set or cancelled by this request. */
  readonly changed: readonly Callback[];
}

export interface CallbacksService {
  /** @throws AppError `limit` when all slots are full, `not_found` */
  perform(request: CallbackRequest): Promise<CallbackReply>;
}
