import type { ZodType } from 'zod';
import type { RequestOptions, ServerLine } from './server-connection';

/** Path below the server URL. */
export const API = '/api/v1';
/** Maximum page size of a server. */
export const PAGE_MAX = 500;

/** A name as a URL segment; refuses one that would change the path. */
export const part = (name: string): string => encodeURIComponent(name).replace(/^\.+$/, '%00');

/** Response schemas, the same that the server uses. */
export class Api {
  constructor(readonly line: ServerLine) {}

  async get<T>(path: string, schema: ZodType<T>, query?: RequestOptions['query']): Promise<T> {
    return await this.line.ask(`${API}${path}`, schema, { query });
  }

  async post<T>(
    path: string,
    schema: ZodType<T>,
    body: unknown,
    more: Pick<RequestOptions, 'headers' | 'query'> = {},
  ): Promise<T> {
    return await this.line.ask(`${API}${path}`, schema, { body: body ?? {}, ...more });
  }

  /** All pages of a list. @param next the cursor of what comes after a page */
  async pages<T>(
    path: string,
    schema: ZodType<T>,
    next: (page: T) => string | undefined,
    query: RequestOptions['query'] = {},
  ): Promise<T[]> {
    const pages: T[] = [];
    let cursor: string | undefined;
    do {
      const page = await this.get(path, schema, { ...query, limit: PAGE_MAX, cursor });
      pages.push(page);
      const older = next(page);
      // Stop if a server repeats a page.
      cursor = older === cursor ? undefined : older;
    } while (cursor !== undefined);
    return pages;
  }
}
