import { createHmac, timingSafeEqual } from 'node:crypto';
import { z, type ZodType } from 'zod';
import type { ErrorCode } from '../../model/errors/error-codes';
import { PortolanError } from '../../model/errors/errors';
import { keys } from '../keys';
import { OuterStore, type Store } from '../store';

const envelope = z.object({ content: z.unknown(), mac: z.string().regex(/^[0-9a-f]{64}$/) });

/**
 * Signs the JSON files of another store with the store's key, so that others who can write there cannot create, alter
 * or move one: `{ content, mac }`, where `mac` is HMAC-SHA256 in hex over the file's own key and the content. A file
 * without a valid signature is refused with NOTE_ALTERED. Only `store.json` is not signed: processes compare their stores
 * by it also when their keys differ, and another ID in it only gets starts refused.
 */
export class AuthenticStore extends OuterStore implements Store {
  /** The key is read once. */
  private storeKey: Promise<Buffer> | undefined;

  /** Also checks that the store's key can be read. */
  async check(): Promise<void> {
    await this.inner.check();
    await this.sameKey();
  }

  async readJson<T>(key: string, schema: ZodType<T>): Promise<T | undefined> {
    if (key === keys.storeId) return await this.inner.readJson(key, schema);
    const found = await this.inner.readJson(key, envelope).catch(unlessFailing);
    if (found === undefined) return undefined;
    const where = this.named(key);
    const desired = await this.macOf(key, found.content);
    if (!timingSafeEqual(Buffer.from(found.mac, 'hex'), desired)) {
      throw new PortolanError('NOTE_ALTERED', `${where} is not signed with the key of this store`);
    }
    const parsed = schema.safeParse(found.content);
    if (parsed.success) return parsed.data;
    throw new PortolanError('STORE_BROKEN', `${where} is not a valid Portolan file`);
  }

  async writeJson(key: string, value: unknown): Promise<void> {
    if (key === keys.storeId) return await this.inner.writeJson(key, value);
    const mac = await this.macOf(key, value);
    await this.inner.writeJson(key, { content: value, mac: mac.toString('hex') });
  }

  private async macOf(key: string, content: unknown): Promise<Buffer> {
    return createHmac('sha256', await this.sameKey())
      .update(JSON.stringify([key, content]))
      .digest();
  }

  private async sameKey(): Promise<Buffer> {
    const reading = (this.storeKey ??= this.readKey());
    try {
      return await reading;
    } catch (thrown) {
      // An unreadable secret may be readable next time.
      if (this.storeKey === reading) this.storeKey = undefined;
      throw thrown;
    }
  }
}

/** A file that is no longer valid JSON was modified or damaged; a retry does not help. */
function unlessFailing(thrown: unknown): never {
  const error = PortolanError.from(thrown);
  // A failing file system says nothing about the content.
  const isFailingDisk = error.cause instanceof Error && 'syscall' in error.cause;
  if (error.code !== 'STORE_BROKEN' || isFailingDisk) throw thrown;
  throw new PortolanError('NOTE_ALTERED', error.plainMessage, {}, { cause: thrown });
}

const altered: ReadonlySet<ErrorCode> = new Set<ErrorCode>([
  'NOTE_ALTERED',
  'SNAPSHOT_ALTERED',
  'RELEASE_ALTERED',
]);

/** Whether an altered file was found; an encrypted store detects this itself. */
export const isAltered = (thrown: unknown): boolean => altered.has(PortolanError.from(thrown).code);

/** Whether one file is at fault, so that others can still be read. */
export const isFaultOfFile = (thrown: unknown): boolean =>
  isAltered(thrown) || PortolanError.from(thrown).code === 'STORE_BROKEN';

/**
 * A file that a run can do without. `why`: it was altered and counts as missing; anyone who can alter it could also
 * remove it.
 */
export async function readUnaltered<T>(
  store: Store,
  key: string,
  schema: ZodType<T>,
): Promise<{ readonly value?: T | undefined; readonly why?: string }> {
  try {
    return { value: await store.readJson(key, schema) };
  } catch (thrown) {
    if (!isAltered(thrown)) throw thrown;
    return { why: PortolanError.from(thrown).plainMessage };
  }
}

/** Gives an altered file the code of what it belongs to, such as a snapshot. */
export const alteredAs =
  (code: ErrorCode) =>
  (thrown: unknown): never => {
    if (!isAltered(thrown)) throw thrown;
    throw new PortolanError(code, PortolanError.from(thrown).plainMessage, {}, { cause: thrown });
  };
