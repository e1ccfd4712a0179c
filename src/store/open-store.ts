import { LocalStore } from './local-store';
import type { Store } from './store';

/** `store:` of portolan.yaml. */
export interface StoreConfig {
  readonly type: 'local';
  /** Folder; relative ones are relative to the configuration file and made absolute when it is read. */
  readonly path: string;
}

export const openStore = (config: StoreConfig): Store => new LocalStore(config.path);
