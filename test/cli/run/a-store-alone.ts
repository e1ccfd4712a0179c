import { indexRun } from '../../../src/domain/run/run-index';
import type { RunRecord } from '../../../src/model/run/run';
import { keys } from '../../../src/store/keys';
import { openStore } from '../../../src/store/open-store';
import { aConfig } from '../../support/config';
import { aFolder } from '../../support/folder';
import { runRecordOf } from './records';

/** A folder with a portolan.yaml and a store, which answers alone: Temporal is out of reach. */
export function aStoreAlone() {
  const folder = aFolder();
  const temporal = { address: '127.0.0.1:9', taskQueue: 'ours' };
  const config = aConfig({ temporal, store: { path: './store' }, portals: {} }, folder);
  const store = openStore(config);
  const put = async (changes: Partial<RunRecord>) => {
    const record = runRecordOf(changes);
    await indexRun(store, record);
    await store.writeJson(keys.record(record.runId), record);
  };
  return { folder, config, store, put };
}
