import type { z } from 'zod';
import type { Config } from '../config/config';
import type { Contract } from '../contract/contract';
import type { Needs, Operation } from '../contract/operation';
import type { Person } from '../model/run/signature';
import type { Store } from '../store/store';
import type { TemporalClient } from '../temporal/connection';
import type { May } from './may';

/** What a handler works with. `temporal` is there as the operation says that it needs it. */
export interface Context {
  readonly config: Config;
  /** Where the configuration was read from. @default its path */
  readonly file?: string;
  readonly store: Store;
  readonly asker: Person;
  readonly may: May;
  readonly say: (words: string) => void;
  /** Ends the work. @default nothing does */
  readonly signal?: AbortSignal;
  readonly requestId?: string;
  readonly attended: boolean;
  /** Called right before a run is started. */
  readonly begins?: () => void;
}

type Opened<N extends Needs> = N extends 'temporal'
  ? { readonly temporal: TemporalClient }
  : N extends 'readable'
    ? { readonly temporal?: TemporalClient }
    : unknown;

/** What carries out operations. */
export type Handlers<T extends Readonly<Record<string, Operation>> = Contract> = {
  readonly [K in keyof T]: (
    context: Context & Opened<T[K]['needs']>,
    input: z.output<T[K]['input']>,
  ) => Promise<
    T[K] extends { readonly stream: string }
      ? AsyncGenerator<z.input<T[K]['answer']>>
      : z.input<T[K]['answer']>
  >;
};
