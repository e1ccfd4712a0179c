import { EncryptedStore } from '../../../src/store/encrypted/encrypted-store';
import { LocalStore } from '../../../src/store/local/local-store';
import { AStore } from '../../domain/snapshot/a-store';
import { holdsWhenKilled } from '../../domain/snapshot/kills';
import { encryptionKey, localSite } from '../local/local-site';
import { storeRules } from '../store-rules';

storeRules('an encrypted store in a folder', () => localSite({ encrypted: true }));
holdsWhenKilled('an encrypted folder', async () => {
  const readKey = async () => Buffer.from(encryptionKey);
  return new AStore(undefined, (folder) => new EncryptedStore(new LocalStore(folder), readKey));
});
