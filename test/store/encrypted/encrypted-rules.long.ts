import { localSite } from '../local/local-site';
import { storeRules } from '../store-rules';

storeRules('an encrypted store in a folder', () => localSite({ encrypted: true }));
