import { createHmac, hkdfSync, timingSafeEqual } from 'node:crypto';
import { z, type ZodType } from 'zod';
import type { ErrorCode } from '../../model/errors/error-codes';
import { PortolanError } from '../../model/errors/errors';
import type { Store } from '../store';

/** The key of a store, which is not in the store. */
export type ReadKey = () => Promise<Buffer>;

/** Distinguishes sorts of files: a file of one sort is never accepted as another. */
export interface SortOfFiles {
  /** Default format of written files. */
  readonly format: number;
  /** Newer ones are refused. @default format */
  readonly upTo?: number;
  /** Derives a separate key for this sort. @default the store's key as it is */
  readonly label?: string;
  /** Code for files modified or signed with another key. */
  readonly altered: ErrorCode;
  /** Code for files of a later version. */
  readonly newer: ErrorCode;
}

const envelope = z.object({
  format: z.number(),
  content: z.unknown(),
  mac: z.string().regex(/^[0-9a-f]{64}$/),
});

/**
 * JSON files of a store that only holders of its key can write: `{ format, content, mac }`, where `mac` is HMAC-SHA256
 * in hex over the format, the file's own key and the content. A file that is moved or copied to another key is refused
 * as well.
 */
export class AuthenticFiles {
  constructor(
    private readonly store: Store,
    private readonly readKey: ReadKey,
    private readonly sort: SortOfFiles,
  ) {}

  async write(key: string, content: unknown, format = this.sort.format): Promise<void> {
    await this.store.writeJson(key, { format, content, mac: await this.macOf(key, format, content) });
  }

  /** Undefined if there is no such file. Throws STORE_BROKEN besides the codes of its sort. */
  async read<T>(key: string, schema: ZodType<T>): Promise<T | undefined> {
    const { sort, store } = this;
    const found = await store.readJson(key, envelope).catch((thrown) => asAltered(thrown, sort.altered));
    if (found === undefined) return undefined;
    const { format, content, mac } = found;
    const where = `${key} in ${store.where}`;
    const { upTo = sort.format } = sort;
    if (format > upTo) {
      throw new PortolanError(
        sort.newer,
        `${where} has format ${format}; this version of Portolan reads up to ${upTo}`,
      );
    }
    const desired = Buffer.from(await this.macOf(key, format, content), 'hex');
    const given = Buffer.from(mac, 'hex');
    if (given.length !== desired.length || !timingSafeEqual(given, desired)) {
      throw new PortolanError(sort.altered, `${where} is not signed with the key of this store`);
    }
    const parsed = schema.safeParse(content);
    if (parsed.success) return parsed.data;
    throw new PortolanError('STORE_BROKEN', `${where} is not a valid Portolan file`);
  }

  private async macOf(key: string, format: number, content: unknown): Promise<string> {
    const storeKey = await this.readKey();
    const { label } = this.sort;
    const own = label === undefined ? storeKey : Buffer.from(hkdfSync('sha256', storeKey, '', label, 32));
    return createHmac('sha256', own)
      .update(JSON.stringify([format, key, content]))
      .digest('hex');
  }
}

/** A file that is no longer valid JSON was modified or damaged; a retry does not help. */
export function asAltered(thrown: unknown, altered: ErrorCode): never {
  const error = PortolanError.from(thrown);
  // A failing file system says nothing about the content.
  const isFailingDisk = error.cause instanceof Error && 'syscall' in error.cause;
  if (error.code !== 'STORE_BROKEN' || isFailingDisk) throw thrown;
  throw new PortolanError(altered, error.plainMessage, {}, { cause: thrown });
}
