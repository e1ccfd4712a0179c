import type { CreatedItem, CreatedItems } from '../../model/transfer/created-items';
import type { Route } from '../../model/transfer/route';
import { isSameUser } from '../../model/text/same-user';
import type { Item } from '../../portal/resources/items/item';
import type { PortalFacts } from './portal-facts';

/** The importing accounts, and when the import started. */
export type Maker = Pick<CreatedItems, 'accounts' | 'since'>;

/** Accounts that own what the import creates. docs/reference/portal-interface.md, "Import" */
export const importAccounts = (target: PortalFacts, route: Pick<Route, 'target'>): string[] => [
  ...new Set([target.username, route.target.folderOwner].flatMap((account) => account ?? [])),
];

/**
 * Why the run is not known to have created an item; undefined if it is. Portals may date an imported item by its
 * import or by its source, so the date counts only if the import's own list is missing: then another import may have
 * created the item, and an earlier date shows that. Both times are the portal's own.
 */
function notMadeBy(
  { owner, created }: Pick<Item, 'owner' | 'created'>,
  { wasAbsent, isListed, givenTo }: CreatedItem,
  { accounts, since }: Maker,
): string | undefined {
  if (owner === undefined) return 'the portal does not report its owner';
  // The item may not have been given to its new owner yet.
  const owners = givenTo === undefined ? accounts : [...accounts, givenTo];
  if (!owners.some((account) => isSameUser(account, owner)))
    return `it belongs to ${owner}, but the run created its items as ${owners.join(' or ')}`;
  if (!wasAbsent) return 'the run did not confirm that it was missing right before the import';
  if (isListed) return undefined;
  if (created === undefined || since === null)
    return 'the import did not list it, and the portal does not report when it was created';
  return created < since ? 'the import did not list it, and it was created before the import' : undefined;
}

/** Why an item may have changed since the run; undefined if it has not. */
export function notAsLeft(
  found: Pick<Item, 'owner' | 'created' | 'modified'>,
  left: CreatedItem,
  maker: Maker,
): string | undefined {
  const not = notMadeBy(found, left, maker);
  if (not !== undefined) return not;
  const isTheirs = [left.owner ?? undefined, left.givenTo].some((owner) => isSameUser(owner, found.owner));
  if (left.owner !== null && !isTheirs)
    return `it belongs to ${found.owner}, but belonged to ${left.owner} after the run`;
  if (left.owner === null || left.modified === null || found.modified === undefined || left.edited === null)
    return 'Portolan cannot tell whether it has changed';
  return found.modified === left.modified ? undefined : 'it has changed since';
}

/** What a rollback knows of an item that the rolled-back run created. */
export interface CreatedLook {
  /** Why no run may change it. */
  readonly held?: string;
  /** Why it may have changed since the run. */
  readonly changed?: string;
  /** The approved plan removes it. */
  readonly isPlanned: boolean;
  /** The rollback was asked to delete what the run created. */
  readonly isRequested: boolean;
}

/** Why a rollback leaves an item; undefined if it deletes it. */
export function whyStays({ held, changed, isPlanned, isRequested }: CreatedLook): string | undefined {
  if (held !== undefined || changed !== undefined) return held ?? changed;
  if (!isRequested) return 'deletion was not requested';
  return isPlanned ? undefined : 'the plan does not list it';
}
