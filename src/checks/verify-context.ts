import type { Portal } from '../portal/client';
import type { Item } from '../portal/item';
import type { CallOptions } from '../portal/request';
import { type Ask, asker } from './asking';
import { type Lookup, lookupOn } from './lookup';
import type { RoutePrefixes } from './prefixes';

/** What is read of a row of the listing. */
export type ListedItem = Pick<Item, 'ownerFolder'>;

/** What the check of one item shares with that of the others: limits and answers once given. */
export interface VerifyContext {
  readonly source: Portal;
  readonly target: Portal;
  readonly targetGroupId: string;
  /** The target group's listing by item id, read once after the import. */
  readonly listed: ReadonlyMap<string, ListedItem>;
  readonly prefixes: RoutePrefixes;
  /** Item ids of the source's hosted services by `serviceKey` of their address. @default none is known */
  readonly sourceServices?: ReadonlyMap<string, string>;
  readonly askSource: Ask;
  readonly askTarget: Ask;
  readonly onSource: Lookup;
  readonly onTarget: Lookup;
  readonly options?: CallOptions;
}

export interface VerifyOptions {
  readonly source: Portal;
  readonly target: Portal;
  readonly targetGroupId: string;
  readonly listed: ReadonlyMap<string, ListedItem>;
  readonly prefixes: RoutePrefixes;
  /** Item ids of the source's hosted services by `serviceKey` of their address. @default none is known */
  readonly sourceServices?: ReadonlyMap<string, string>;
  readonly options?: CallOptions;
}

/** Opens a verification: at most four requests at a time to each portal, over all of its items. */
export function openVerification(verify: VerifyOptions): VerifyContext {
  const { source, target, listed, options } = verify;
  const askSource = asker(options?.signal);
  const askTarget = asker(options?.signal);
  return {
    ...verify,
    askSource,
    askTarget,
    onTarget: lookupOn(target, askTarget, new Set(listed.keys()), options),
    onSource: lookupOn(source, askSource, new Set(), options),
  };
}
