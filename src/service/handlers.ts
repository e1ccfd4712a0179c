import type { Handlers } from './context';
import { freezeHandlers } from './freeze/freezes';
import { hookHandlers } from './hook/hooks';
import { liveHandlers } from './live';
import { documentHandlers } from './portal-change/documents';
import { pipelineHandlers } from './promotion/pipelines';
import { releaseHandlers } from './release/releases';
import { answerHandlers } from './run/answers';
import { queueHandlers } from './run/queues';
import { runHandlers } from './run/runs';
import { scheduleHandlers } from './schedule/schedules';
import { snapshotHandlers } from './snapshot/snapshots';
import { startHandlers } from './start/starts';
import { statusHandlers } from './status/read-status';
import { routeHandlers } from './transfer/routes';

/** What carries out each operation of the contract. */
export const handlers: Handlers = {
  ...answerHandlers,
  ...documentHandlers,
  ...freezeHandlers,
  ...hookHandlers,
  ...liveHandlers,
  ...pipelineHandlers,
  ...queueHandlers,
  ...releaseHandlers,
  ...routeHandlers,
  ...runHandlers,
  ...scheduleHandlers,
  ...snapshotHandlers,
  ...startHandlers,
  ...statusHandlers,
};
