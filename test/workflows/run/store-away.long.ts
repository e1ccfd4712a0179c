import { rename, rm, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { afterEach, describe, expect, it } from '@jest/globals';
import { openControl } from '../../../src/domain/control/control';
import { Rehearsal } from '../../support/rehearsal';
import { until } from '../../support/until';

let rehearsal: Rehearsal;
afterEach(() => rehearsal.close());

describe('a run whose store is away when it starts', () => {
  it('waits by a timer, and continues when the store is back', async () => {
    rehearsal = await Rehearsal.open();
    await openControl(rehearsal.config);
    const folder = path.join(rehearsal.folder, 'store');
    await rename(folder, `${folder}-elsewhere`);
    await writeFile(folder, 'no folder');
    const handle = await rehearsal.start();
    await until('a timer', async () => {
      const { events } = await handle.fetchHistory();
      return events?.some(({ timerStartedEventAttributes: timer }) => timer);
    });
    await rm(folder);
    await rename(`${folder}-elsewhere`, folder);
    const { record } = await rehearsal.ended(handle);
    expect(record.status).toBe('succeeded');
  });
});
