import { type ZodType, z } from 'zod';
import { PortolanError } from '../../model/errors/errors';
import { EncryptedFile } from './encrypted-file';
import { EncryptedPartial } from './encrypted-partial';
import { keys } from '../keys';
import { openNote, sealedNote, sealNote } from './sealed-note';
import { checkByUse, encryptionMarker, parseStored } from '../store-check';
import { OuterStore, type PartialFile, type Store, type StoredFile } from '../store';

/**
 * Encrypts everything written to another store; only names and approximate sizes are visible there. Sizes and ranges
 * refer to the plain content. Data that was modified or encrypted with another key is refused with SNAPSHOT_ALTERED.
 */
export class EncryptedStore extends OuterStore implements Store {
  /** Also checks that the key is the one the store was created with. */
  async check(): Promise<void> {
    if (!(await this.readMarker())) {
      await this.refusePlain();
      await this.writeJson(keys.encryption, { since: new Date().toISOString() });
    }
    await checkByUse(this);
  }

  async readJson<T>(key: string, schema: ZodType<T>): Promise<T | undefined> {
    const note = await this.inner.readJson(key, sealedNote);
    if (note === undefined) return undefined;
    const what = this.named(key);
    return parseStored(openNote(await this.readKey(), key, note, what), schema, what);
  }

  async writeJson(key: string, value: unknown): Promise<void> {
    await this.inner.writeJson(key, sealNote(await this.readKey(), key, JSON.stringify(value)));
  }

  override async openPartial(key: string): Promise<PartialFile> {
    const storeKey = await this.readKey();
    return await EncryptedPartial.begin(await this.inner.openPartial(key), storeKey, this.named(key));
  }

  override async openFile(key: string): Promise<StoredFile | undefined> {
    const file = await this.inner.openFile(key);
    return file && new EncryptedFile(file, this.readKey, this.named(key));
  }

  private async readMarker(): Promise<boolean> {
    try {
      return (await this.readJson(keys.encryption, encryptionMarker)) !== undefined;
    } catch (thrown) {
      if (PortolanError.from(thrown).code !== 'SNAPSHOT_ALTERED') throw thrown;
      throw new PortolanError(
        'CONFIG_INVALID',
        `store.encryption.key is not the key that encrypts the store at ${this.where}`,
      );
    }
  }

  /** A store that was started unencrypted would be half readable. */
  private async refusePlain(): Promise<void> {
    for await (const key of this.inner.list('')) {
      if (!key.endsWith('.json')) continue;
      const note = await this.inner.readJson(key, z.unknown());
      if (note === undefined || sealedNote.safeParse(note).success) return;
      throw new PortolanError(
        'CONFIG_INVALID',
        `the store at ${this.where} is not encrypted; use another folder, bucket or prefix for an encrypted store`,
      );
    }
  }
}
