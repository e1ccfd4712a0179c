import type { Verification, FindingKind, Remark } from '../../../model/transfer/verification';
import { maskSecrets } from '../../../model/text/mask-secrets';
import { cutText, MAX_TEXT_LENGTH, shortened } from '../../../model/text/plain-text';
import type { CallOptions } from '../../../portal/http/request';
import { PortolanError } from '../../../model/errors/errors';
import { knownSize, type SnapshotRow } from '../../../model/snapshot/snapshot';
import type { Portal } from '../../../portal/client';
import type { Item } from '../../../portal/resources/items/item';
import { GroupsOfItems } from '../../../portal/resources/items/item-groups';
import { dataAnswers } from '../../../portal/resources/items/items';
import { PlaceReader } from '../places';
import type { PortalFacts } from '../portal-facts';
import type { RouteAddresses } from '../references/addresses';
import { type Lookup, lookupOn, type Presence } from '../references/lookup';
import type { MappedTargets } from '../references/map';
import { retrier, type Retry } from '../retry';

/** Entries kept per item and list. */
export const OF_ONE_ITEM_MAX = 100;
/** Size limit of each list of a run, about five thousand entries. @format bytes of JSON */
const LIST_BYTES_MAX = 1_500_000;

/** Limit of the findings kept for the next run of a route. Below the limit of a list, so that none is missing. @format bytes of JSON */
export const REMEMBERED_BYTES_MAX = LIST_BYTES_MAX / 2;

/** The lists of a verification. */
export const keptLists = ['notChecked', 'external', 'findings'] as const;
type KeptList = (typeof keptLists)[number];

export const emptyVerification = (): Verification => ({
  checked: 0,
  references: 0,
  features: 0,
  notChecked: [],
  external: [],
  findings: [],
});

/** Total number in a list, including omitted ones. */
export const lengthOf = (whole: Verification, list: KeptList): number =>
  whole[list].length + (whole.leftOut?.[list] ?? 0);

/** Counts omitted entries. */
function leaveOut(whole: Verification, list: KeptList, count: number): void {
  if (count > 0) whole.leftOut = { ...whole.leftOut, [list]: (whole.leftOut?.[list] ?? 0) + count };
}

/** Combines several verifications, each list up to its limit. */
export class JoinedVerifications {
  readonly whole = emptyVerification();
  readonly #room = { notChecked: LIST_BYTES_MAX, external: LIST_BYTES_MAX, findings: LIST_BYTES_MAX };

  add(part: Verification): void {
    this.whole.checked += part.checked;
    this.whole.references += part.references;
    this.whole.features += part.features;
    for (const list of keptLists) {
      const kept = part[list].filter((entry) => this.#hasRoom(list, entry));
      const entries: Verification[KeptList][number][] = this.whole[list];
      entries.push(...kept);
      leaveOut(this.whole, list, lengthOf(part, list) - kept.length);
    }
  }

  /** After the first omitted entry, none is kept: the beginning stays. */
  #hasRoom(list: KeptList, entry: unknown): boolean {
    if (this.#room[list] >= 0) this.#room[list] -= Buffer.byteLength(JSON.stringify(entry));
    return this.#room[list] >= 0;
  }
}

/** Combines several verifications. */
export function joinVerifications(parts: readonly Verification[]): Verification {
  const joined = new JoinedVerifications();
  for (const part of parts) joined.add(part);
  return joined.whole;
}

/** Where something was found, and what. */
interface Place {
  readonly path?: string;
  readonly value?: string;
}

/** Collects the findings of one item. */
export class FindingsBuilder {
  private readonly verification = emptyVerification();

  constructor(
    private readonly itemId: string,
    private readonly title?: string,
  ) {}

  find(kind: FindingKind, { path, value, hint }: Place & { readonly hint: string }): void {
    this.add('findings', {
      itemId: this.itemId,
      title: this.title,
      kind,
      ...shownPlace({ path, value }),
      hint,
    });
  }

  notChecked(reason: string, at: Place = {}): void {
    this.add('notChecked', this.remark(reason, at));
  }

  external(reason: string, at: Place): void {
    this.add('external', this.remark(reason, at));
  }

  followed(references: number): void {
    this.verification.references += references;
  }

  counted(features: number): void {
    this.verification.features += features;
  }

  /** The result; an item counts as checked if no check was skipped. */
  end(): Verification {
    const { notChecked } = this.verification;
    return { ...this.verification, checked: notChecked.length === 0 ? 1 : 0 };
  }

  /** Beyond the limit, only the number is kept. */
  private add<List extends KeptList>(list: List, entry: Verification[List][number]): void {
    const { verification } = this;
    const kept: Verification[KeptList][number][] = verification[list];
    if (kept.length < OF_ONE_ITEM_MAX) kept.push(entry);
    else leaveOut(verification, list, 1);
  }

  private remark(reason: string, place: Place): Remark {
    return { itemId: this.itemId, ...shownPlace(place), reason: shortened(reason) };
  }
}

const shownPlace = ({ path, value }: Place): Place => ({
  path: path && shortened(path),
  value: value && shown(value),
});

/** A value as shown in records, masked: URLs in items may contain a token, key, signature or password. */
export const shown = (value: string): string => cutText(maskSecrets(value), 0, MAX_TEXT_LENGTH);

/** Where imported items come from, as far as the checks of them ask: a portal, or what a snapshot remembers of one. */
interface Origin {
  /** For people. */
  readonly name: string;
  readonly has: Lookup;
  /** Bytes of an item's data; undefined where that is not told. Throws what the portal answers. */
  dataSize(itemId: string): Promise<number | undefined>;
}

/** The portal itself: at most four requests at a time. */
export function originOn(portal: Portal, options?: CallOptions): Origin {
  const retry = retrier(options?.signal);
  return {
    name: portal.name,
    has: lookupOn(portal, retry, new Set(), options),
    dataSize: async (itemId) => (await retry(() => dataAnswers(portal, itemId, options))).sizeSeen,
  };
}

/** What a snapshot says of its group; it knows of nothing else, and says so. */
export function recordedOrigin(name: string, rows: readonly SnapshotRow[]): Origin {
  const items = new Map(rows.map((row) => [row.itemId.toLowerCase(), row]));
  const unknown = (what: string): Promise<Presence> =>
    Promise.reject(new PortolanError('NOT_SUPPORTED', `${name} does not show ${what} outside its group`));
  return {
    name,
    has: {
      item: (itemId) => {
        const row = items.get(itemId.toLowerCase());
        return row ? Promise.resolve({ state: 'there', title: row.title, type: row.type }) : unknown('items');
      },
      group: () => unknown('groups'),
      service: () => unknown('services'),
    },
    dataSize: (itemId) => Promise.resolve(knownSize(items.get(itemId.toLowerCase())?.size)),
  };
}

/** What is read of a row of the listing. */
type ListedItem = Pick<Item, 'ownerFolder'>;

/** What is verified, and how the portals are known. */
interface VerifyOptions {
  readonly origin: Origin;
  readonly target: Portal;
  readonly targetGroupId: string;
  /** The signed-in account. @default sees what any member sees */
  readonly account?: Partial<Pick<PortalFacts, 'username' | 'fullAdmin'>>;
  /** The target group's listing by item id, read once after the import. */
  readonly listed: ReadonlyMap<string, ListedItem>;
  readonly addresses: RouteAddresses;
  /** Item ids of the source's hosted services by `serviceKey` of their address. @default none is known */
  readonly sourceServices?: ReadonlyMap<string, string>;
  /** Where the map of a stage leads. @default nowhere */
  readonly mapped?: MappedTargets;
  readonly options?: CallOptions;
}

/** What the check of one item shares with that of the others: limits and answers once given. */
export interface VerifyContext extends VerifyOptions {
  readonly places: PlaceReader;
  readonly retryOnTarget: Retry;
  readonly onTarget: Lookup;
}

/** Opens a verification: at most four requests at a time to each portal, over all of its items. */
export function openVerification(verify: VerifyOptions): VerifyContext {
  const { target, listed, account = {}, options } = verify;
  const retryOnTarget = retrier(options?.signal);
  return {
    ...verify,
    places: new PlaceReader(target, new GroupsOfItems(target, options), account, options),
    retryOnTarget,
    onTarget: lookupOn(target, retryOnTarget, new Set(listed.keys()), options),
  };
}
