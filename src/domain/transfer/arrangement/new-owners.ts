import { isSameUser } from '../../../model/text/same-user';
import type { OwnerMap, PutRight } from '../../../model/transfer/apply-placement';
import type { Route } from '../../../model/transfer/route';
import type { Portal } from '../../../portal/client';
import type { CallOptions } from '../../../portal/http/request';
import { findUser } from '../../../portal/resources/users';
import type { PortalFacts } from '../portal-facts';

/** By what an owner is named: the words that follow `owners.` in the configuration, or the source itself. */
export interface NewOwner {
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
    private readonly right: PutRight,
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
