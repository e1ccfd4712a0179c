import type { GuardResult } from '../../../model/run/guard';
import type { RouteTarget } from '../../../model/transfer/route';
import type { Portal } from '../../../portal/client';
import { listFolders } from '../../../portal/resources/folders';
import type { CallOptions } from '../../../portal/http/request';
import { atLeast } from '../../../portal/http/versions';
import { optional } from '../retry';
import type { PortalFacts } from '../portal-facts';
import { named, pass, refuse, unknown } from './verdict';

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
