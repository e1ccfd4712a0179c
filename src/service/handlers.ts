import type { Handlers } from './context';
import { freezeHandlers } from './freeze/freezes';
import { hookHandlers } from './hook/hooks';
import { queueHandlers } from './run/queues';
import { scheduleHandlers } from './schedule/schedules';
import { statusHandlers } from './status/read-status';
import { routeHandlers } from './transfer/routes';

/** What carries out each operation of the contract. */
export const handlers: Handlers = {
  ...freezeHandlers,
  ...hookHandlers,
  ...queueHandlers,
  ...routeHandlers,
  ...scheduleHandlers,
  ...statusHandlers,
};
