import { setTimeout as sleep } from 'node:timers/promises';

/** Resolves once it is so; the time limit is that of the test. */
export async function until(isSo: () => boolean | Promise<boolean>): Promise<void> {
  while (!(await isSo())) await sleep(50);
}
