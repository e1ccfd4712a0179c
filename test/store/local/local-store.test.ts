import { storeRules } from '../store-rules';
import { localSite } from './local-site';

storeRules('a store in a folder', () => localSite());
