import type { Portal } from '../client';
import { ListingSize, portalError } from './response-limits';
import { PAGE_MAX } from './limits';
import type { CallOptions } from './request';

/** Where to read, in the paging that all listings share: rows are counted from 1. docs/reference/portal-interface.md, "Listings" */
export interface PageRequest {
  readonly start: number;
  readonly num: number;
}

export interface Page {
  /** Start of the next page; -1, or absent in the single-page form, when there is none. */
  readonly nextStart?: number;
}

interface Reading<P extends Page> {
  readonly portal: Portal;
  readonly operation: string;
  readonly num?: number;
  readonly read: (request: PageRequest, options?: CallOptions) => Promise<P>;
  /** How much the page holds; an empty first page is believed only while somebody is signed in. */
  readonly sizeOf: (page: P) => number;
}

/**
 * All pages of a listing, to the last. An empty first page is believed only after the portal has
 * confirmed that the one who signed in still is; otherwise it is read again after a new sign-in.
 *
 * @throws PortolanError BAD_RESPONSE where the portal's next page does not come after the present one;
 *   ANSWER_TOO_LARGE for a listing without end
 */
export async function* pagesOf<P extends Page>(
  reading: Reading<P>,
  options?: CallOptions,
): AsyncGenerator<P> {
  const num = reading.num ?? PAGE_MAX;
  const session = await reading.portal.signedIn();
  const listing = new ListingSize(reading.portal.name, reading.operation);
  const read = (request: PageRequest): Promise<P> => reading.read(request, { ...options, listing });
  for (let start = 1; ;) {
    let page = await read({ start, num });
    if (start === 1 && reading.sizeOf(page) === 0) {
      const still = await reading.portal.confirmSignedIn(session, options);
      if (still === 'renewed') page = await read({ start, num });
    }
    yield page;
    const next = page.nextStart ?? -1;
    if (next < 1) return;
    if (next <= start) {
      const { portal, operation } = reading;
      const words = `returned ${next} as the next page after ${start} of ${operation}`;
      throw portalError('BAD_RESPONSE', portal.name, operation, words);
    }
    start = next;
  }
}
