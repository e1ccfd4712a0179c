import type { Portal } from '../client';
import { withIds } from '../http/ids';
import { pathOf } from '../http/address';
import { anyObject } from '../http/reading';
import type { CallOptions } from '../http/request';
import { portalError } from '../http/response-limits';
import {
  type ExportedPackage,
  packageItemIn,
  type ResultLists,
  resultListsIn,
  type StartedJob,
  startedJobIn,
} from '../http/transfer-answer';
import { atLeast, type PortalVersion } from '../http/versions';

/** First releases of export parameters. docs/reference/portal-interface.md, "Export" */
export const exportSince = {
  outputFilename: '11.3',
  exportContentFolderId: '11.4',
  previewOnly: '11.4',
} as const;

export interface ExportRequest {
  /** @default all supported items of the group */
  readonly itemIdList?: readonly string[];
  /** Title of the package item, without `.epk`; left out below 11.3. */
  readonly outputFilename?: string;
  /** Folder id for the package item, `/` for the root; left out below 11.4. */
  readonly exportContentFolderId?: string;
  /** False would have the portal answer with the file itself, which JSON cannot carry: it refuses then. */
  readonly async: boolean;
  readonly version: PortalVersion;
}

/**
 * Exports items of a group into a package item. The lists come in place of a job where nothing can be
 * exported. docs/reference/portal-interface.md, "Export"
 *
 * @throws PortolanError GROUP_NOT_FOUND, PERMISSION_DENIED
 */
export async function exportGroup(
  portal: Portal,
  groupId: string,
  request: ExportRequest,
  options?: CallOptions,
): Promise<StartedJob | ResultLists | ExportedPackage> {
  const { version } = request;
  const known = (parameter: keyof typeof exportSince) => atLeast(version, exportSince[parameter]);
  const answer = await portal.call(
    {
      operation: 'group.export',
      method: 'POST',
      encoding: 'multipart',
      path: pathOf`community/groups/${groupId}/export`,
      params: {
        itemIdList: request.itemIdList,
        outputFilename: known('outputFilename') ? request.outputFilename : undefined,
        exportContentFolderId: known('exportContentFolderId') ? request.exportContentFolderId : undefined,
        async: request.async,
        previewOnly: known('previewOnly') ? false : undefined,
      },
      schema: anyObject,
      missing: 'GROUP_NOT_FOUND',
    },
    options,
  );
  const outcome = withIds({ portal: portal.name, operation: 'group.export' }, () => outcomeIn(answer));
  if (outcome) return outcome;
  const words = 'answered an export without a job, lists or a package';
  throw portalError('BAD_RESPONSE', portal.name, 'group.export', words);
}

function outcomeIn(answer: unknown): StartedJob | ResultLists | ExportedPackage | undefined {
  const outcome = startedJobIn(answer) ?? resultListsIn(answer, 'Export');
  if (outcome) return outcome;
  const itemId = packageItemIn(answer);
  return itemId ? { kind: 'package', itemId } : undefined;
}
