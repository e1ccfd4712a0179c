import type { Portal } from '../../../portal/client';
import type { Item } from '../../../portal/resources/items/item';
import type { CallOptions } from '../../../portal/http/request';
import { type Ask, asker } from '../retry';
import { type Lookup, lookupOn } from '../references/lookup';
import type { Origin } from '../references/origin';
import type { RoutePrefixes } from '../references/portal-addresses';

/** What is read of a row of the listing. */
export type ListedItem = Pick<Item, 'ownerFolder'>;

/** What the check of one item shares with that of the others: limits and answers once given. */
export interface VerifyContext {
  readonly origin: Origin;
  readonly target: Portal;
  readonly targetGroupId: string;
  /** The target group's listing by item id, read once after the import. */
  readonly listed: ReadonlyMap<string, ListedItem>;
  readonly prefixes: RoutePrefixes;
  /** Item ids of the source's hosted services by `serviceKey` of their address. @default none is known */
  readonly sourceServices?: ReadonlyMap<string, string>;
  readonly askTarget: Ask;
  readonly onTarget: Lookup;
  readonly options?: CallOptions;
}

export interface VerifyOptions {
  readonly origin: Origin;
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
  const { target, listed, options } = verify;
  const askTarget = asker(options?.signal);
  return {
    ...verify,
    askTarget,
    onTarget: lookupOn(target, askTarget, new Set(listed.keys()), options),
  };
}
