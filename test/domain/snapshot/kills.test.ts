import { EncryptedStore } from '../../../src/store/encrypted/encrypted-store';
import { LocalStore } from '../../../src/store/local/local-store';
import { encryptionKey } from '../../store/local/local-site';
import { AStore } from './a-store';
import { holdsWhenKilled } from './kills';

// In a bucket: test/store/s3/s3-snapshots.long.ts
holdsWhenKilled('a folder', async () => new AStore());
holdsWhenKilled('an encrypted folder', async () => {
  const readKey = async (): Promise<Buffer> => Buffer.from(encryptionKey);
  return new AStore(undefined, (folder) => new EncryptedStore(new LocalStore(folder), readKey));
});
