import { rename, rm, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { afterEach, describe, expect, it } from '@jest/globals';
import type { WorkflowHandle } from '@temporalio/client';
import { messageNames } from '../../../src/model/run/run-input';
import { signed } from '../../support/control';
import { Site } from '../../support/site';
import { until } from '../../support/until';

let at: Site;
afterEach(() => at.close());

/** Takes the store away. @returns brings it back */
async function takeStoreAway() {
  const store = path.join(at.folder, 'store');
  await rename(store, `${store}-elsewhere`);
  await writeFile(store, '');
  return async () => {
    await rm(store);
    await rename(`${store}-elsewhere`, store);
  };
}

/** How many timers and workflow tasks a run has begun. */
async function seenOf(handle: WorkflowHandle) {
  const { events = [] } = await handle.fetchHistory();
  return {
    timers: (events ?? []).filter((event) => event.timerStartedEventAttributes).length,
    tasks: (events ?? []).filter((event) => event.workflowTaskStartedEventAttributes).length,
  };
}

describe('run whose store is away', () => {
  it('waits with timers, and continues when the store is back', async () => {
    at = await Site.open();

    const bringBack = await takeStoreAway();
    const handle = await at.start();
    const { tasks } = await until(
      'two timers',
      () => seenOf(handle),
      ({ timers }) => timers === 2,
    );
    expect(tasks).toBeLessThanOrEqual(3);
    const name = messageNames.resume;
    const resume = await signed(at.config, handle, name, { who: 'a@b' });
    const answered = at.send(handle, name, resume);
    await bringBack();
    await expect(answered).rejects.toMatchObject({
      plainMessage: 'The run refused it: the run is running, not parked',
    });
    expect((await at.ended(handle)).record.status).toBe('succeeded');
  });

  it('can be cancelled while it waits', async () => {
    at = await Site.open();

    await takeStoreAway();
    const handle = await at.start();
    await until(
      'a timer',
      () => seenOf(handle),
      ({ timers }) => timers > 0,
    );
    await handle.cancel();
    await expect(handle.result()).rejects.toMatchObject({ cause: { name: 'CancelledFailure' } });
    expect(await at.state(handle)).toMatchObject({ status: 'cancelled', error: { code: 'CANCELLED' } });
  });
});
