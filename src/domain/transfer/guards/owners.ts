import { mapLimited } from '../../../model/map-limited';
import type { GuardResult } from '../../../model/run/guard';
import type { OwnerMap } from '../../../model/transfer/apply-placement';
import type { Portal } from '../../../portal/client';
import { REQUESTS_AT_A_TIME } from '../../../portal/http/limiter';
import type { CallOptions } from '../../../portal/http/request';
import { findItem } from '../../../portal/resources/items/items';
import { findUser } from '../../../portal/resources/users';
import { isSameUser } from '../../../model/text/same-user';
import { newOwner } from '../arrangement/new-owners';
import type { PortalFacts } from '../portal-facts';
import { counted, pass, refuse, unknown } from './verdict';

/** Items that are to have owners, and who that is to be. */
export interface OwnedItems {
  readonly portal: Portal;
  readonly facts: PortalFacts;
  readonly owners: OwnerMap;
  /** To whom the import gives them. */
  readonly account?: string;
  /**
   * With their owners on the source; those that the target has keep theirs.
   *
   * @default everybody who is named must be there, whatever comes
   */
  readonly items?: readonly { readonly itemId: string; readonly owner?: string }[];
}

/** Items that one user is to get, as one name of the source or one setting says. */
interface Gift {
  readonly owner: string;
  readonly setting?: string;
  readonly itemIds: string[];
}

/** Every user who is to own a new item is there, and this account may give items to others. */
export async function ownersThere(owned: OwnedItems, options?: CallOptions): Promise<GuardResult[]> {
  const { portal, facts, items } = owned;
  if (!items) return await namedOwnersThere(owned, options);
  const gifts = giftsOf(owned, items);
  const users = new Map<string, boolean>();
  for (const owner of new Set(gifts.map((gift) => gift.owner)))
    users.set(owner, (await findUser(portal, owner, options)) !== undefined);
  const results: GuardResult[] = [];
  for (const gift of gifts.filter(({ owner }) => users.get(owner) === false)) {
    const count = await newAmong(portal, gift.itemIds, options);
    if (count > 0) results.push(ownerMissing(facts.name, gift, count));
  }
  if (results.length > 0) return results;
  const right = facts.fullAdmin ? undefined : await mayGive(owned, gifts, options);
  if (right) return [right];
  const names = [...users.keys()].sort().join(', ');
  return [pass(`owners on ${facts.name}`, names === '' ? `all items stay with ${owned.account}` : names)];
}

function giftsOf({ owners, account }: OwnedItems, items: NonNullable<OwnedItems['items']>): Gift[] {
  const gifts = new Map<string, Gift>();
  for (const { itemId, owner: source } of items) {
    const { owner, setting } = newOwner(source, owners, account);
    if (owner === undefined || isSameUser(owner, account)) continue;
    const key = JSON.stringify([owner, setting]);
    const gift = gifts.get(key) ?? { owner, setting, itemIds: [] };
    gift.itemIds.push(itemId);
    gifts.set(key, gift);
  }
  return [...gifts.values()];
}

const newAmong = async (portal: Portal, itemIds: readonly string[], options?: CallOptions): Promise<number> =>
  (await mapLimited(itemIds, REQUESTS_AT_A_TIME, (itemId) => findItem(portal, itemId, options))).filter(
    (found) => found === undefined,
  ).length;

function ownerMissing(portal: string, { owner, setting }: Gift, count: number): GuardResult {
  const items = counted(count, 'item');
  return refuse(`owners on ${portal}`, 'OWNER_NOT_FOUND', {
    saw:
      setting === undefined
        ? `owner ${owner} of ${items} does not exist on ${portal}`
        : `owner ${owner} of ${items} does not exist on ${portal} (owners.${setting})`,
    needs: `a user of ${portal} for each new item`,
    todo:
      setting === undefined
        ? `Add owners.map.${owner} or owners.default to the stage of the pipeline.`
        : `Set owners.${setting} of the stage to a user of ${portal}.`,
  });
}

async function mayGive(
  { portal, facts, account }: OwnedItems,
  gifts: readonly Gift[],
  options?: CallOptions,
): Promise<GuardResult | undefined> {
  const count = await newAmong(
    portal,
    gifts.flatMap(({ itemIds }) => itemIds),
    options,
  );
  return count === 0 ? undefined : notGiving(facts, `${counted(count, 'new item')} to others`, account);
}

/** @param what in words that follow "to give" */
function notGiving(
  { name: portal, username: who = 'an app', role }: PortalFacts,
  what: string,
  account = who,
): GuardResult {
  const name = `owners on ${portal}`;
  const needs = `an administrator, to give ${what}`;
  if (role === 'org_admin') {
    const saw = `${who} is an administrator with a custom role, not a default one`;
    return unknown(name, { saw, needs, todo: `Nothing; ${portal} decides.` });
  }
  return refuse(name, 'PERMISSION_DENIED', {
    saw: `${who} is not an administrator of ${portal}`,
    needs,
    todo: `Sign in to ${portal} as an administrator, or set owners.default of the stage to ${account}.`,
  });
}

/** Every user whom a stage of a pipeline names is there, whatever the next release brings. */
async function namedOwnersThere(
  { portal, facts, owners }: Pick<OwnedItems, 'portal' | 'facts' | 'owners'>,
  options?: CallOptions,
): Promise<GuardResult[]> {
  const settings = [
    ...(owners.default === undefined ? [] : [['default', owners.default] as const]),
    ...Object.entries(owners.map).map(([source, owner]) => [`map.${source}`, owner] as const),
  ];
  const users = new Map<string, boolean>();
  for (const owner of new Set(settings.map((setting) => setting[1])))
    users.set(owner, (await findUser(portal, owner, options)) !== undefined);
  const name = `owners on ${facts.name}`;
  const missing = settings.filter(([, owner]) => users.get(owner) === false);
  if (missing.length > 0)
    return missing.map(([setting, owner]) =>
      refuse(name, 'OWNER_NOT_FOUND', {
        saw: `owners.${setting} names ${owner}, who does not exist on ${facts.name}`,
        needs: `a user of ${facts.name}`,
        todo: `Set owners.${setting} of the stage to an existing user.`,
      }),
    );
  const others = [...users.keys()].filter((owner) => !isSameUser(owner, facts.username));
  return [
    (others.length > 0 && !facts.fullAdmin && notGiving(facts, `items to ${others.join(', ')}`)) ||
      pass(name, [...users.keys()].join(', ') || 'users with the same names'),
  ];
}
