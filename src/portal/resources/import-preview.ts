import { z } from 'zod';
import type { Portal } from '../client';
import { PAGE_MAX } from '../http/limits';
import type { PageRequest } from '../http/page';
import { optionalId, requiredId } from '../http/ids';
import { pathOf } from '../http/address';
import { flag, label, listOf, number, text } from '../http/reading';
import type { CallOptions } from '../http/request';

/** An item of the package, joined by the portal with what it holds itself. docs/reference/portal-interface.md, "Import preview" */
export const previewRow = z.looseObject({
  id: requiredId('item'),
  type: label,
  title: label,
  /** @format bytes */
  size: number,
  /** The importing portal holds an item of this id. */
  exists: flag,
  canImport: flag,
  modified: number,
});
export type PreviewRow = z.infer<typeof previewRow>;

const packageSummary = z.looseObject({
  id: optionalId('package'),
  sourcePortalInfo: z
    .looseObject({ httpsUrl: text, httpUrl: text, version: text })
    .nullish()
    .catch(undefined),
});

export const previewPage = z.looseObject({
  packageSummary: packageSummary.nullish().catch(undefined),
  /** Items in the package. */
  total: number,
  /** -1 on the last page. */
  nextStart: number,
  results: listOf(previewRow),
});
export type PreviewPage = z.infer<typeof previewPage>;

/** One page of a preview; the portal's own page has 25 rows. docs/reference/portal-interface.md, "Import preview" */
export const readPreviewPage = async (
  portal: Portal,
  groupId: string,
  previewId: string,
  { start = 1, num = PAGE_MAX }: Partial<PageRequest>,
  options?: CallOptions,
): Promise<PreviewPage> =>
  portal.call(
    {
      operation: 'group.importPreview',
      path: pathOf`community/groups/${groupId}/importPreview/${previewId}`,
      params: { start, num },
      schema: previewPage,
    },
    options,
  );
