import { banner } from './banner';
import { notifications } from './notifications';
import type { Observer } from './observer';
import type { Run } from '../run/run';
import { taskNotifier } from './task-notifier';

/** Called in this order. */
const observers: readonly Observer[] = [banner, taskNotifier, notifications];

export async function observe(moment: keyof Observer, run: Run): Promise<void> {
  for (const observer of observers) await observer[moment]?.(run);
}
