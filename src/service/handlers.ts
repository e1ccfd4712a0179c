import { freezeHandlers } from './freeze/freezes';
import type { Handlers } from './context';
import { pipelineHandlers } from './promotion/pipelines';
import { releaseHandlers } from './release/releases';
import { snapshotHandlers } from './snapshot/snapshots';

/** What carries out each operation of the contract. */
export const handlers: Handlers = {
  ...freezeHandlers,
  ...pipelineHandlers,
  ...releaseHandlers,
  ...snapshotHandlers,
};
