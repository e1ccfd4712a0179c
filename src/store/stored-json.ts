import type { ZodType } from 'zod';
import { PortolanError } from '../model/errors';

/** JSON of a store as its schema wants it. Throws STORE_BROKEN. @param what key and store, for people */
export function parseStored<T>(text: string, schema: ZodType<T>, what: string): T {
  try {
    return schema.parse(JSON.parse(text));
  } catch (cause) {
    throw new PortolanError('STORE_BROKEN', `${what} is not what Portolan writes there`, {}, { cause });
  }
}
