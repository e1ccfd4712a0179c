import type { GuardResult } from '../../../model/run/run';
import { compareReleases, type Release, atLeast } from '../../../portal/http/versions';
import type { PortalFacts } from '../portal-facts';
import { countOf } from '../../../model/text/words';
import { pass, refuse, unknown, named } from './verdict';
import { portalIdentities, portalIdentity, isSameUser } from '../../../model/identity';
import { portalAddress } from '../references/addresses';
import type { RouteTarget } from '../../../model/transfer/route';
import type { Portal } from '../../../portal/client';
import { listFolders } from '../../../portal/resources/folders';
import type { CallOptions } from '../../../portal/http/request';
import { optional } from '../retry';
import { mapLimited } from '../../../model/map-limited';
import type { OwnerMap } from '../../../model/transfer/placement';
import { REQUESTS_AT_A_TIME } from '../../../portal/http/limiter';
import { findItem } from '../../../portal/resources/items/items';
import { findUser } from '../../../portal/resources/users';
import { newOwner } from '../created-items';
import type { TargetState } from '../../../model/run/phase';

/** First release with group export and import: docs/reference/portal-interface.md, "Versions". */
const first = { major: 10, minor: 8, patch: 1, text: '10.8.1' } as const;

/** Group export and import exist on self-managed portals only. */
export function selfManaged(facts: PortalFacts): GuardResult {
  const name = `deployment of ${facts.name}`;
  if (facts.isPortal === true) return pass(name, 'self-managed');
  const needs = 'ArcGIS Enterprise';
  if (facts.isPortal === false) {
    return refuse(name, 'NOT_SELF_MANAGED', {
      saw: `${facts.name} is ArcGIS Online`,
      needs,
      todo: 'Use an ArcGIS Enterprise portal in the route; ArcGIS Online cannot export or import groups.',
    });
  }
  return unknown(name, {
    saw: `${facts.name} does not report how it is deployed`,
    needs,
    todo: 'Check that its url leads to an ArcGIS Enterprise portal.',
  });
}

/** Each end must run 10.8.1 or later. */
export function newEnough(facts: PortalFacts): GuardResult {
  const name = `version of ${facts.name}`;
  const needs = `${first.text} or later`;
  if (facts.release === undefined) {
    return unknown(name, {
      saw:
        facts.version === '' ? `${facts.name} reports no version` : `version "${facts.version}" is unknown`,
      needs,
      todo: `Check the version of ${facts.name} yourself.`,
    });
  }
  if (compareReleases(facts.release, first) >= 0) return pass(name, facts.release.text);
  return refuse(name, 'VERSION_TOO_OLD', {
    saw: `${facts.name} runs ${facts.release.text}`,
    needs,
    todo: `Upgrade ${facts.name}; older portals cannot export or import groups.`,
  });
}

/** A package is imported by the release that made it, or by a later one. */
export function releaseOrder(source: PortalFacts, target: PortalFacts): GuardResult {
  const name = 'version order';
  const needs = "the source's version or later on the target";
  if (source.release === undefined || target.release === undefined || isOpen(source, target)) {
    return unknown(name, {
      saw: `${source.name} ${source.release?.text ?? '?'}, ${target.name} ${target.release?.text ?? '?'}`,
      needs,
      todo: 'Compare the two versions yourself; an older target refuses the package.',
    });
  }
  const saw = `${source.release.text} -> ${target.release.text}`;
  if (compareKnown(source.release, target.release) <= 0) return pass(name, saw);
  return refuse(name, 'TARGET_OLDER', {
    saw: `${target.name} runs ${target.release.text}, older than ${source.release.text} on ${source.name}`,
    needs,
    todo: `Upgrade ${target.name} to ${source.release.text} or later.`,
  });
}

/** Whether one is only known to run a release "or later", which may lie before the other's or after it. */
function isOpen(source: PortalFacts, target: PortalFacts): boolean {
  if (!source.release || !target.release) return true;
  const order = compareKnown(source.release, target.release);
  if (source.release.orLater) return order <= 0 && source.version !== target.version;
  return target.release.orLater === true && order > 0;
}

/**
 * From 11 on the third number is a patch, and only some portals tell it: then what both tell is compared.
 * Before, it makes a release of its own, such as 10.9.1.
 */
function compareKnown(a: Release, b: Release): number {
  const patched = a.major >= 11 && a.major === b.major && a.minor === b.minor;
  return patched && (a.patch === 0 || b.patch === 0) ? 0 : compareReleases(a, b);
}

/**
 * An export makes an item on the source. Whether a read-only portal lets it is documented by nobody, so
 * that the portal decides: docs/reference/portal-interface.md, "Portal" and "Export".
 */
export function packable(facts: PortalFacts): GuardResult {
  const name = `writing to ${facts.name}`;
  if (!facts.readOnly) return pass(name, 'not read-only');
  return unknown(name, {
    saw: `${facts.name} is read-only, but an export creates its package there as an item`,
    needs: 'a portal that accepts changes',
    todo: `If the export fails, turn off read-only mode of ${facts.name}.`,
  });
}

/** Nothing can be created, changed or deleted on a read-only portal: docs/reference/portal-interface.md, "Portal". */
export function writable(facts: PortalFacts): GuardResult {
  const name = `writing to ${facts.name}`;
  if (!facts.readOnly) return pass(name, 'not read-only');
  return refuse(name, 'TARGET_READ_ONLY', {
    saw: `${facts.name} is read-only`,
    needs: 'a portal that accepts changes',
    todo: `Turn off read-only mode of ${facts.name}.`,
  });
}

const name = 'two portals';

/**
 * The worker must know the same portals as the starter.
 *
 * @param differing the portals for which that is not so, with both addresses, in words
 */
export function sameConfiguration(differing: readonly string[]): GuardResult {
  const guard = 'configuration';
  if (differing.length === 0) return pass(guard, 'same portals here and on the worker');
  return refuse(guard, 'CONFIG_MISMATCH', {
    saw: differing.join('; '),
    needs: 'the same portals in both configurations',
    todo: 'Use the same portals in both portolan.yaml files.',
  });
}

/**
 * The ends of a route must be two portals. They are one when their addresses, aliases included, name one
 * and the same, or when they describe themselves alike. The portal's id alone proves nothing: most self-managed
 * portals carry the same one.
 */
export function twoPortals(source: PortalFacts, target: PortalFacts): GuardResult {
  const saw = sameAddress(source, target) ?? sameSelf(source, target);
  if (saw === undefined) return pass(name, `${source.name} and ${target.name}`);
  return refuse(name, 'SAME_PORTAL', {
    saw,
    needs: 'two different portals; items keep their IDs',
    todo: 'Choose another portal for one end of the route.',
  });
}

/** Whether both are one portal, by the same signs: what a snapshot remembers may be where it is to go. */
export const isOnePortal = (source: PortalFacts, target: PortalFacts): boolean =>
  (sameAddress(source, target) ?? sameSelf(source, target)) !== undefined;

function sameAddress(source: PortalFacts, target: PortalFacts): string | undefined {
  const addresses = new Set(portalIdentities(source));
  const shared = portalIdentities(target).find((address) => addresses.has(address));
  return shared === undefined ? undefined : `${source.name} and ${target.name} both lead to ${shared}`;
}

/** Both report one id and one host name, in whatever way they are reached. */
function sameSelf(source: PortalFacts, target: PortalFacts): string | undefined {
  if (source.portalId !== target.portalId) return undefined;
  const address = portalIdentity(source.hostname ?? '');
  if (
    address === undefined ||
    address !== portalIdentity(target.hostname ?? '') ||
    !proves(address, source, target)
  ) {
    return undefined;
  }
  return `${source.name} and ${target.name} both report the address ${address}`;
}

/**
 * A host name without port and path, under which both are reached as well, is the machine's and not the
 * portal's: several portals may live there.
 */
function proves(address: string, source: PortalFacts, target: PortalFacts): boolean {
  if (address.includes('/') || address.includes(':')) return true;
  const hosts = [source.url, target.url].map((url) => portalAddress(url)?.host.replace(/:\d+$/, ''));
  return !hosts.every((host) => host === address);
}

/** First release that lets an importer choose the folder. docs/reference/portal-interface.md, "Import" */
const FOLDER_SINCE = '10.9';

/**
 * The folder that a route names: the target can import into one of choice, and its owner has it. An account that may
 * not look into another's folders leaves that open. docs/reference/portal-interface.md, "Folders"
 */
export async function folderThere(
  portal: Portal,
  { folderId, folderOwner }: Pick<RouteTarget, 'folderId' | 'folderOwner'>,
  target: PortalFacts,
  options?: CallOptions,
): Promise<GuardResult | undefined> {
  if (!folderId && !folderOwner) return undefined;
  const name = `folder on ${target.name}`;
  if (!atLeast(target.release, FOLDER_SINCE)) {
    return refuse(name, 'NOT_SUPPORTED', {
      saw: `${target.name} runs ${target.release?.text ?? 'an unknown version'}`,
      needs: `${FOLDER_SINCE} or later to choose a folder`,
      todo: 'Remove folder and folderOwner from the route; the portal then chooses the folder.',
    });
  }
  const owner = folderOwner ?? target.username;
  if (!folderId || !owner) return pass(name, `${target.name} runs ${target.release?.text}`);
  const folders = await optional((o) => listFolders(portal, owner, o), options);
  const needs = `a folder with ID ${folderId} that belongs to ${owner}`;
  if (folders === undefined) {
    return unknown(name, {
      saw: `this account cannot read the folders of ${owner}`,
      needs,
      todo: `Check the folders of ${owner} on ${target.name}.`,
    });
  }
  const found = folders.find(({ id }) => id === folderId);
  if (found) return pass(name, `"${found.title}" of ${owner}`);
  const there = folders.map(({ id, title }) => `${title} (${id})`);
  return refuse(name, 'NOT_FOUND', {
    saw: there.length > 0 ? `${owner} has ${named(there)}` : `${owner} has no folder`,
    needs,
    todo: 'Choose an existing folder: target.folder in portolan.yaml, or --set target.folder=ID for a parked run.',
  });
}

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
  /** Absent if it is asked for whatever comes. */
  readonly itemIds?: string[];
}

/** Every user who is to own a new item is there, and this account may give items to others. */
export async function ownersThere(owned: OwnedItems, options?: CallOptions): Promise<GuardResult[]> {
  const { portal, facts, account, items } = owned;
  const gifts = items ? giftsOf(owned, items) : namedOwners(owned.owners);
  const users = new Map<string, boolean>();
  for (const { owner } of gifts)
    if (!users.has(owner)) users.set(owner, (await findUser(portal, owner, options)) !== undefined);
  const missing: GuardResult[] = [];
  for (const gift of gifts.filter(({ owner }) => !users.get(owner))) {
    const count = gift.itemIds && (await newAmong(portal, gift.itemIds, options));
    if (count !== 0) missing.push(ownerMissing(facts.name, gift, count));
  }
  if (missing.length > 0) return missing;
  if (!facts.fullAdmin) {
    const others = items ? gifts : gifts.filter(({ owner }) => !isSameUser(owner, facts.username));
    const ids = others.flatMap(({ itemIds = [] }) => itemIds);
    const count = items ? await newAmong(portal, ids, options) : others.length;
    const what = items
      ? `${countOf(count, 'new item')} to others`
      : `items to ${others.map(({ owner }) => owner).join(', ')}`;
    if (count > 0) return [notGiving(facts, what, items && account)];
  }
  const nobody = items ? `all items stay with ${account}` : 'users with the same names';
  return [pass(`owners on ${facts.name}`, [...users.keys()].sort().join(', ') || nobody)];
}

/** Every user whom a stage of a pipeline names, whatever the next release brings. */
const namedOwners = (owners: OwnerMap): Gift[] => [
  ...(owners.default === undefined ? [] : [{ owner: owners.default, setting: 'default' }]),
  ...Object.entries(owners.map).map(([source, owner]) => ({ owner, setting: `map.${source}` })),
];

function giftsOf({ owners, account }: OwnedItems, items: NonNullable<OwnedItems['items']>): Gift[] {
  const gifts = new Map<string, Gift & { readonly itemIds: string[] }>();
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

function ownerMissing(portal: string, { owner, setting }: Gift, count: number | undefined): GuardResult {
  const items = count === undefined ? '' : ` of ${countOf(count, 'item')}`;
  const named = setting === undefined ? '' : ` (owners.${setting})`;
  return refuse(`owners on ${portal}`, 'OWNER_NOT_FOUND', {
    saw: `owner ${owner}${items} does not exist on ${portal}${named}`,
    needs: `a user of ${portal} for each new item`,
    todo:
      setting === undefined
        ? `Create that user, or name another: owners.map.${owner} or owners.default of the stage in a pipeline.`
        : `Set owners.${setting} of the stage to a user of ${portal}.`,
  });
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

/** A drill that imports needs a portal on which nobody works. */
export function scratchPortal(name: string, isScratch: boolean): GuardResult {
  const guard = 'scratch portal';
  if (isScratch) return pass(guard, `${name} has role: scratch in portolan.yaml`);
  return refuse(guard, 'NOT_SCRATCH', {
    saw: `${name} does not have role: scratch in portolan.yaml`,
    needs: 'a portal nobody works on; the drill imports into it and deletes the items again',
    todo: "Set the route's drill to a scratch portal, or drill without --import.",
  });
}

/** What is read of the record of a run that is to be undone. */
export interface UndoneRun {
  readonly target: TargetState;
  readonly plan?: { readonly overwrite: number };
}

/**
 * Whether a run that took no safeguard left everything that was there as it was: by its record, and by the plan that
 * it followed.
 */
export function nothingToRestore(runId: string, record: UndoneRun | undefined): GuardResult {
  const guard = 'nothing to restore';
  const overwrote = record?.target === 'untouched' ? 0 : (record?.plan?.overwrite ?? 0);
  if (record && overwrote === 0) return pass(guard, `${runId} overwrote nothing`);
  return refuse(guard, 'SNAPSHOT_NOT_FOUND', {
    saw: record ? `${runId} had ${overwrote} items to overwrite` : `${runId} left no record`,
    needs: 'the safeguard of the overwritten items',
    todo: 'List snapshots: portolan snapshot list',
  });
}
