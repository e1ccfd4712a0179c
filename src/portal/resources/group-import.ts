import type { Portal } from '../client';
import { PortolanError } from '../../model/errors/errors';
import { type PreviewPage, previewPage, readPreviewPage } from './import-preview';
import { withIds } from '../http/ids';
import { pathOf } from '../http/address';
import { anyObject } from '../http/reading';
import type { CallOptions } from '../http/request';
import { portalError } from '../http/response-limits';
import { type ResultLists, resultListsIn, type StartedJob, startedJobIn } from '../http/transfer-answer';
import { atLeast, type PortalVersion } from '../http/versions';

/** First releases of import parameters. docs/reference/portal-interface.md, "Import" */
const importSince = {
  folderId: '10.9',
  folderOwnerUsername: '10.9',
  /** `/` as folder id, for the root. */
  rootFolder: '11.4',
  keepPackageItemAfterImport: '11.3',
} as const;

export interface ImportRequest {
  /** The package item on this portal. */
  readonly itemId: string;
  /** @default all supported items of the package */
  readonly itemIdList?: readonly string[];
  readonly overwriteExistingItems: boolean;
  readonly async: boolean;
  /** Folder id, left out below 10.9; `/` for the root, left out below 11.4. */
  readonly folderId?: string;
  /** Left out below 10.9. */
  readonly folderOwnerUsername?: string;
  /** Left out below 11.3, where the package item is always removed. */
  readonly keepPackageItemAfterImport?: boolean;
  readonly version: PortalVersion;
}

/**
 * Imports items of a package into a group. docs/reference/portal-interface.md, "Import"
 *
 * @throws PortolanError GROUP_NOT_FOUND, PERMISSION_DENIED, BAD_REQUEST
 */
export async function importGroup(
  portal: Portal,
  groupId: string,
  request: ImportRequest,
  options?: CallOptions,
): Promise<StartedJob | ResultLists> {
  const known = (parameter: keyof typeof importSince) => atLeast(request.version, importSince[parameter]);
  const answer = await portal.call(
    {
      operation: 'group.import',
      method: 'POST',
      encoding: 'multipart',
      path: pathOf`community/groups/${groupId}/import`,
      params: {
        itemId: request.itemId,
        itemIdList: request.itemIdList,
        previewOnly: false,
        overwriteExistingItems: request.overwriteExistingItems,
        async: request.async,
        folderId: known(request.folderId === '/' ? 'rootFolder' : 'folderId') ? request.folderId : undefined,
        folderOwnerUsername: known('folderOwnerUsername') ? request.folderOwnerUsername : undefined,
        keepPackageItemAfterImport: known('keepPackageItemAfterImport')
          ? (request.keepPackageItemAfterImport ?? false)
          : undefined,
      },
      schema: anyObject,
      missing: 'GROUP_NOT_FOUND',
    },
    options,
  );
  const outcome = startedIn(portal, 'group.import', answer);
  if (outcome) return outcome;
  throw portalError('BAD_RESPONSE', portal.name, 'group.import', 'answered an import without a job or lists');
}

const startedIn = (
  portal: Portal,
  operation: string,
  answer: unknown,
): StartedJob | ResultLists | undefined =>
  withIds({ portal: portal.name, operation }, () => startedJobIn(answer) ?? resultListsIn(answer, 'Import'));

export type PreviewOutcome =
  | { readonly kind: 'preview'; readonly preview: PreviewPage }
  | { readonly kind: 'started'; readonly started: StartedJob | ResultLists };

/**
 * Asks for the preview of an import. An answer that holds a job or result lists means that the portal
 * ignored `previewOnly` and an import has *started*. Where the answer is no preview record, a page of a
 * browser among them, the first page is read from its own address. Where that fails too, it is empty for
 * an answer in JSON, so that whoever reads the pages finds out; another answer may come from a proxy, and
 * is the error that it looks like. docs/reference/portal-interface.md, "Import preview"
 */
export async function previewImport(
  portal: Portal,
  groupId: string,
  request: Pick<ImportRequest, 'itemId' | 'overwriteExistingItems' | 'version'>,
  options?: CallOptions,
): Promise<PreviewOutcome> {
  const { answer, page } = await askForPreview(portal, groupId, request, options);
  const started = startedIn(portal, 'group.previewImport', answer);
  if (started) return { kind: 'started', started };
  const record = withIds({ portal: portal.name, operation: 'group.previewImport' }, () =>
    previewPage.safeParse(answer),
  );
  if (record.success && (record.data.packageSummary || record.data.results.length > 0)) {
    return { kind: 'preview', preview: record.data };
  }
  const preview = await firstPage(portal, groupId, request.itemId, options);
  if (page && !preview) throw page;
  return { kind: 'preview', preview: preview ?? { results: [] } };
}

async function firstPage(
  portal: Portal,
  groupId: string,
  packageItemId: string,
  options?: CallOptions,
): Promise<PreviewPage | undefined> {
  try {
    return await readPreviewPage(portal, groupId, packageItemId, {}, options);
  } catch (error) {
    if (PortolanError.from(error).code === 'ABORTED') throw error;
    return undefined;
  }
}

const noRecord: ReadonlySet<string> = new Set(['BAD_RESPONSE', 'HTML_RESPONSE']);

/** The answer, or the error that stands for one that is not JSON though the request seems to be accepted. */
async function askForPreview(
  portal: Portal,
  groupId: string,
  request: Pick<ImportRequest, 'itemId' | 'overwriteExistingItems'>,
  options?: CallOptions,
): Promise<{ answer?: unknown; page?: PortolanError }> {
  try {
    const answer = await portal.call(
      {
        operation: 'group.previewImport',
        method: 'POST',
        encoding: 'multipart',
        path: pathOf`community/groups/${groupId}/import`,
        params: {
          itemId: request.itemId,
          previewOnly: true,
          overwriteExistingItems: request.overwriteExistingItems,
          async: false,
        },
        schema: anyObject,
        missing: 'GROUP_NOT_FOUND',
      },
      options,
    );
    return { answer };
  } catch (thrown) {
    const page = PortolanError.from(thrown);
    if (noRecord.has(page.code) && page.facts.httpStatus === 200) return { page };
    throw thrown;
  }
}
