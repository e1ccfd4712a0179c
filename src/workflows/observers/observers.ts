import { banner } from './banner';
import { notifications } from './notifications';
import type { Run } from '../run/run';
import { taskNotifier } from './task-notifier';

/** Reacts to events of a run. It never fails the run, unless that was cancelled meanwhile. */
interface Observer {
  started?(run: Run): Promise<void>;
  /** The run waits for approval. */
  waiting?(run: Run): Promise<void>;
  /** The plan was approved or rejected, or the time ran out. */
  answered?(run: Run): Promise<void>;
  /** Just before the import. */
  importing?(run: Run): Promise<void>;
  /** The import has ended. Also called at the end of every run. */
  imported?(run: Run): Promise<void>;
  /** The run is about to park. What fails here is done at its end. */
  halted?(run: Run): Promise<void>;
  parked?(run: Run): Promise<void>;
  resumed?(run: Run): Promise<void>;
  /** The run has ended and its record is saved. */
  ended?(run: Run): Promise<void>;
}

/** Called in this order. */
const observers: readonly Observer[] = [banner, taskNotifier, notifications];

export async function observe(moment: keyof Observer, run: Run): Promise<void> {
  for (const observer of observers) await observer[moment]?.(run);
}
