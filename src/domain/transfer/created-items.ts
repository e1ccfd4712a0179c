import { isSameUser } from '../../model/identity';
import type { OwnerMap, PlacementRules } from '../../model/transfer/placement';
import type { Route } from '../../model/transfer/route';
import type { Portal } from '../../portal/client';
import type { CallOptions } from '../../portal/http/request';
import { findUser } from '../../portal/resources/users';
import type { PortalFacts } from './portal-facts';
import type { CreatedItem, CreatedItems } from '../../model/transfer/plan';
import type { Item } from '../../portal/resources/items/item';

/** By what an owner is named: the words that follow `owners.` in the configuration, or the source itself. */
interface NewOwner {
  /** Undefined where the account that imports is not known either. */
  readonly owner?: string;
  /** `map.NAME` or `default`; absent where the name is the source's, or the account that imports. */
  readonly setting?: string;
}

/** To whom an import gives what it creates. docs/reference/portal-interface.md, "Import" */
export const importAccount = (
  { username }: Pick<PortalFacts, 'username'>,
  { target }: Pick<Route, 'target'>,
): string | undefined => target.folderOwner ?? username;

/**
 * Who gets an item that somebody owns on the source: whom the map names for that user, else the default, else the user
 * of the same name. Without owners everything stays with the account that imports.
 */
export function newOwner(
  source: string | undefined,
  owners: OwnerMap | undefined,
  account: string | undefined,
): NewOwner {
  if (!owners) return { owner: account };
  const mapped = source === undefined ? undefined : mappedIn(owners, source);
  if (mapped) return { owner: mapped[1], setting: `map.${mapped[0]}` };
  if (owners.default !== undefined) return { owner: owners.default, setting: 'default' };
  return { owner: source ?? account };
}

const mappedIn = ({ map }: OwnerMap, source: string): [string, string] | undefined =>
  Object.entries(map).find(([name]) => isSameUser(name, source));

/** Who gets items of the source, under the names that the target writes; it is asked once for each. */
export class NewOwners {
  private readonly known = new Map<string, Promise<string | undefined>>();

  constructor(
    private readonly portal: Portal,
    private readonly right: PlacementRules,
    private readonly account: string | undefined,
    private readonly options?: CallOptions,
  ) {}

  /** @param source the owner there. Undefined where the target has no such user. */
  async of(source: string | undefined): Promise<string | undefined> {
    const { owner } = newOwner(source, this.right.owners, this.account);
    if (owner === undefined || isSameUser(owner, this.account)) return this.account;
    const found = this.known.get(owner) ?? this.named(owner);
    this.known.set(owner, found);
    return await found;
  }

  private async named(owner: string): Promise<string | undefined> {
    return (await findUser(this.portal, owner, this.options))?.username;
  }
}

/** The importing accounts, and when the import started. */
type Maker = Pick<CreatedItems, 'accounts' | 'since'>;

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
