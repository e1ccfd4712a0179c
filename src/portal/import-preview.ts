import { z } from 'zod';
import type { Portal } from './client';
import { PortolanError } from '../model/errors';
import { PAGE_MAX } from './limits';
import { pagesOf, type PageRequest } from './page';
import { pathOf } from './path';
import { flag, listOf, number, requiredText, text } from './reading';
import type { CallOptions } from './request';

/** An item of the package, joined by the portal with what it holds itself. docs/portal-interface.md, "Import preview" */
export const previewRow = z.looseObject({
  id: requiredText,
  type: text,
  title: text,
  /** @format bytes */
  size: number,
  /** The importing portal holds an item of this id. */
  exists: flag,
  canImport: flag,
  created: number,
  modified: number,
});
export type PreviewRow = z.infer<typeof previewRow>;

export const packageSummary = z.looseObject({
  id: text,
  fileName: text,
  packageVersion: text,
  packageCreated: number,
  sourcePortalInfo: z
    .looseObject({ httpsUrl: text, httpUrl: text, version: text, portalId: text, isPortal: flag })
    .nullish()
    .catch(undefined),
});
export type PackageSummary = z.infer<typeof packageSummary>;

export const previewPage = z.looseObject({
  packageSummary: packageSummary.nullish().catch(undefined),
  /** Items in the package. */
  total: number,
  start: number,
  num: number,
  /** -1 on the last page. */
  nextStart: number,
  results: listOf(previewRow),
});
export type PreviewPage = z.infer<typeof previewPage>;

/** One page of a preview; the portal's own page has 25 rows. docs/portal-interface.md, "Import preview" */
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

/** All pages of a preview to the last, after previewImport has asked for it. */
export async function* previewPages(
  portal: Portal,
  groupId: string,
  previewId: string,
  { num = PAGE_MAX }: { num?: number } = {},
  options?: CallOptions,
): AsyncGenerator<PreviewPage> {
  let rows = 0;
  let total: number | undefined;
  const pages = pagesOf(
    {
      portal,
      operation: 'group.importPreview',
      num,
      sizeOf: (page: PreviewPage) => page.results.length,
      read: (page, o) => readPreviewPage(portal, groupId, previewId, page, o),
    },
    options,
  );
  for await (const page of pages) {
    rows += page.results.length;
    total = page.total ?? total;
    yield page;
  }
  if (total !== undefined && rows < total) {
    throw new PortolanError(
      'BAD_RESPONSE',
      `${portal.name} lists ${rows} of ${total} items of the package.`,
      {
        portal: portal.name,
        operation: 'group.importPreview',
      },
    );
  }
}
