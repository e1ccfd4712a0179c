import type { Handlers } from './context';
import { freezeHandlers } from './freeze/freezes';
import { hookHandlers } from './hook/hooks';
import { liveHandlers } from './live';
import { answerHandlers } from './run/answers';
import { queueHandlers } from './run/queues';
import { runHandlers } from './run/runs';
import { scheduleHandlers } from './schedule/schedules';
import { startHandlers } from './start/starts';
import { statusHandlers } from './status/read-status';
import { routeHandlers } from './transfer/routes';

/** What carries out each operation of the contract. */
export const handlers: Handlers = {
  ...answerHandlers,
  ...freezeHandlers,
  ...hookHandlers,
  ...liveHandlers,
  ...queueHandlers,
  ...routeHandlers,
  ...runHandlers,
  ...scheduleHandlers,
  ...startHandlers,
  ...statusHandlers,
};
