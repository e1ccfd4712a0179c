import { createHash } from 'node:crypto';
import type { Portal } from '../portal/client';
import { type Item, PACKAGE_TYPE } from '../portal/item';
import { userContentPages } from '../portal/listings';
import type { CallOptions } from '../portal/request';

/** Every package item that Portolan makes or adopts carries this tag and the run's id, where the portal lets it. */
export const OUR_TAG = 'portolan';

/** Names the package that an export makes, on portals that let us (from 11.3). */
export const exportName = (runId: string, purpose: 'export' | 'safeguard'): string => `portolan-${purpose}-${runId}`;

/** Title of the package that a run adds to its target. */
export const uploadName = (runId: string): string => `portolan-${runId}`;

/** The id that a run asks for when it adds its package: 32 hexadecimal digits, the shape of an item id. */
export const packageItemId = (runId: string): string =>
  createHash('sha256').update(`${runId}/package`).digest('hex').slice(0, 32);

/** Whether a package was made by this run: it carries the run's id as a tag or in its title. */
export const isOfRun = (item: Item, runId: string): boolean =>
  item.tags?.includes(runId) === true || item.title?.includes(runId) === true;

const named = /^portolan-(?:export-|safeguard-)?([a-z-]+-.+-[a-z0-9]+?)(?:\.epk)?$/;
const runTag = /^[a-z-]+-.+-[a-z0-9]+$/;

/** Whether a package is one of ours, by tag or name. */
export const isOurs = (item: Item): boolean => item.tags?.includes(OUR_TAG) === true || named.test(item.title ?? '');

/** The run that made a package of ours, where its name or a tag tells. */
export const runOfPackage = (item: Item): string | undefined =>
  named.exec(item.title ?? '')?.[1] ?? item.tags?.find((tag) => runTag.test(tag));

/**
 * Package items of an account, in its root folder and in all others: a portal may put what an export makes where
 * it likes.
 */
export async function packagesOf(portal: Portal, username: string, options?: CallOptions): Promise<Item[]> {
  const found: Item[] = [];
  const folders: (string | undefined)[] = [undefined];
  for (const folderId of folders) {
    for await (const page of userContentPages(portal, username, { folderId }, options)) {
      found.push(...page.items.filter((item) => item.type === PACKAGE_TYPE));
      if (folderId === undefined) folders.push(...page.folders.map((folder) => folder.id));
    }
  }
  return found;
}
