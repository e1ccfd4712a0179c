import type { ZodType } from 'zod';
import type { Asked, ServerLine } from './server-connection';

/** Below the address of the server. */
export const API = '/api/v1';
/** As many as a server gives at a time. */
export const PAGE_MAX = 500;

/** A name as a part of an address; one that leads elsewhere is none. */
export const part = (name: string): string => encodeURIComponent(name).replace(/^\.+$/, '%00');

/** What a server answers by: its answers are read by the schemas that it answers by. */
export class Api {
  constructor(readonly line: ServerLine) {}

  async get<T>(path: string, schema: ZodType<T>, query?: Asked['query']): Promise<T> {
    return await this.line.ask(`${API}${path}`, schema, { query });
  }

  async post<T>(
    path: string,
    schema: ZodType<T>,
    body: unknown,
    more: Pick<Asked, 'headers' | 'query'> = {},
  ): Promise<T> {
    return await this.line.ask(`${API}${path}`, schema, { body: body ?? {}, ...more });
  }

  /** All pages of a list, one after the other. @param next the cursor of what comes after a page */
  async pages<T>(
    path: string,
    schema: ZodType<T>,
    next: (page: T) => string | undefined,
    query: Asked['query'] = {},
  ): Promise<T[]> {
    const pages: T[] = [];
    let cursor: string | undefined;
    do {
      const page = await this.get(path, schema, { ...query, limit: PAGE_MAX, cursor });
      pages.push(page);
      const older = next(page);
      // A server that gives the same page for ever is asked no more.
      cursor = older === cursor ? undefined : older;
    } while (cursor !== undefined);
    return pages;
  }
}
