import type { ChangeInput } from './change';

/** Starts `settings apply` and `settings promote`; what is desired lies in the store, under `keys.desired`. */
export interface SettingsInput extends ChangeInput {
  /** Hash of the differences that were shown. */
  readonly expected: string;
  /** What people were told before it started, for the record. */
  readonly warnings: readonly string[];
}
