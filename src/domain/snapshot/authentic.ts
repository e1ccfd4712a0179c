import { createHmac, timingSafeEqual } from 'node:crypto';
import { z, type ZodType } from 'zod';
import type { ErrorCode } from '../../model/errors/error-codes';
import { PortolanError } from '../../model/errors/errors';
import { SNAPSHOT_FORMAT } from '../../model/snapshot/snapshot';
import type { Store } from '../../store/store';

/** A snapshot whose manifest cannot be read: somebody altered it, or a newer Portolan wrote it. */
export interface UnreadableSnapshot {
  readonly id: string;
  readonly code: ErrorCode;
  readonly why: string;
}

const ofTheFile: ReadonlySet<ErrorCode> = new Set<ErrorCode>([
  'SNAPSHOT_ALTERED',
  'SNAPSHOT_NEWER',
  'STORE_BROKEN',
]);

/** A file that is not as it should be; what keeps the store from being read at all is thrown on. */
export function whyUnreadable(id: string, thrown: unknown): UnreadableSnapshot {
  const error = PortolanError.from(thrown);
  if (!ofTheFile.has(error.code)) throw thrown;
  return { id, code: error.code, why: error.plainMessage };
}

/** The key under which what a snapshot says of itself is authenticated; it is not in the store. */
export type ReadKey = () => Promise<Buffer>;

const envelope = z.object({
  format: z.number(),
  content: z.unknown(),
  mac: z.string().regex(/^[0-9a-f]{64}$/),
});

/**
 * JSON files of a store that only holders of the key can write: `{ format, content, mac }`, where `mac` is HMAC-SHA256
 * in hex over the format, the file's own key and the content. A file that is moved or copied to another key is refused
 * as well.
 */
export class AuthenticFiles {
  constructor(
    private readonly store: Store,
    private readonly readKey: ReadKey,
  ) {}

  async write(key: string, content: unknown): Promise<void> {
    const mac = await this.macOf(key, SNAPSHOT_FORMAT, content);
    await this.store.writeJson(key, { format: SNAPSHOT_FORMAT, content, mac });
  }

  /** Undefined where there is none. Throws SNAPSHOT_ALTERED, SNAPSHOT_NEWER, STORE_BROKEN. */
  async read<T>(key: string, schema: ZodType<T>): Promise<T | undefined> {
    const found = await this.store.readJson(key, envelope).catch(asAltered);
    if (found === undefined) return undefined;
    const { format, content, mac } = found;
    const where = `${key} in ${this.store.where}`;
    if (format > SNAPSHOT_FORMAT) {
      throw new PortolanError(
        'SNAPSHOT_NEWER',
        `${where} has format ${format}; this Portolan reads up to ${SNAPSHOT_FORMAT}`,
      );
    }
    const desired = Buffer.from(await this.macOf(key, format, content), 'hex');
    const given = Buffer.from(mac, 'hex');
    if (given.length !== desired.length || !timingSafeEqual(given, desired)) {
      throw new PortolanError('SNAPSHOT_ALTERED', `${where} does not carry the mark of the store's key`);
    }
    const parsed = schema.safeParse(content);
    if (parsed.success) return parsed.data;
    throw new PortolanError('STORE_BROKEN', `${where} is not what Portolan writes there`);
  }

  private async macOf(key: string, format: number, content: unknown): Promise<string> {
    return createHmac('sha256', await this.readKey())
      .update(JSON.stringify([format, key, content]))
      .digest('hex');
  }
}

/** What is no longer JSON of the right form was written by somebody else, or has rotted: trying again mends neither. */
export function asAltered(thrown: unknown): never {
  const error = PortolanError.from(thrown);
  if (error.code !== 'STORE_BROKEN') throw thrown;
  throw new PortolanError('SNAPSHOT_ALTERED', error.plainMessage, {}, { cause: thrown });
}
