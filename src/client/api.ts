import type { ZodType } from 'zod';
import type { Asked, ServerLine } from './server-connection';

/** Path below the server URL. */
export const API = '/api/v1';
/** Maximum page size of a server. */
export const PAGE_MAX = 500;

/** A name as a URL segment; refuses one that would change the path. */
export const part = (name: string): string => encodeURIComponent(name).replace(/^\.+$/, '%00');

/** Response schemas, the same that the server uses. */
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
}
