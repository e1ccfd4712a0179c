import type { CreatedItem, CreatedItems } from '../../model/transfer/created-items';
import type { Route } from '../../model/transfer/route';
import { isSameUser } from '../../model/text/same-user';
import type { Item } from '../../portal/resources/items/item';
import type { PortalFacts } from './portal-facts';

/** Who imported, and since when what he imported can be there. */
export type Maker = Pick<CreatedItems, 'accounts' | 'since'>;

/** Accounts to which an import gives what it creates. docs/reference/portal-interface.md, "Import" */
export const importAccounts = (target: PortalFacts, route: Pick<Route, 'target'>): string[] => [
  ...new Set([target.username, route.target.folderOwner].flatMap((account) => account ?? [])),
];

/**
 * Why an item need not be one that the run made; undefined where it is. Both times are the portal's own, so that no
 * clock of ours matters.
 */
export function notMadeBy(
  { owner, created }: Pick<Item, 'owner' | 'created'>,
  { accounts, since }: Maker,
): string | undefined {
  if (owner === undefined || created === undefined || since === null)
    return 'it cannot be known whether the run made it';
  if (!accounts.some((account) => isSameUser(account, owner)))
    return `it belongs to ${owner}, and the run made its own as ${accounts.join(' or ')}`;
  return created < since
    ? 'the portal says that it was created before the run could have made it'
    : undefined;
}

/** The same, and why somebody may have changed it since; undefined where it is as the run left it. */
export function notAsLeft(
  found: Pick<Item, 'owner' | 'created' | 'modified'>,
  left: CreatedItem,
  maker: Maker,
): string | undefined {
  // Whom the run was about to give it to may not have got it any more.
  const given = left.givenTo === undefined ? [] : [left.givenTo];
  const not = notMadeBy(found, { ...maker, accounts: [...new Set([...maker.accounts, ...given])] });
  if (not !== undefined) return not;
  const owners = [left.owner ?? found.owner, left.givenTo];
  if (!owners.some((owner) => isSameUser(owner, found.owner)))
    return `it belongs to ${found.owner}, and belonged to ${left.owner} after the run`;
  if (left.owner === null || left.modified === null || found.modified === undefined || left.edited === null)
    return 'it cannot be known whether somebody has changed it';
  return found.modified === left.modified ? undefined : 'somebody has changed it since';
}
