import { execFileSync } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import type { WorkflowHandle } from '@temporalio/client';
import { historyToJSON } from '@temporalio/common/lib/proto-utils';
import { afterEach, describe, it } from '@jest/globals';
import { Rehearsal } from './rehearsal';

/**
 * Records the histories that `replay.test.ts` replays, from the commit that is checked out. They stand for runs that
 * are under way when a new version is deployed, so they are recorded when a version is released, and never to make
 * a test pass: PORTOLAN_RECORD_HISTORIES=1 npx jest test/workflows/record-histories
 */
const recording = process.env.PORTOLAN_RECORD_HISTORIES === '1' ? describe : describe.skip;

recording('histories of this version', () => {
  let rehearsal: Rehearsal;
  afterEach(() => rehearsal.close());

  async function record(name: string, handle: WorkflowHandle): Promise<void> {
    const folder = path.join(__dirname, '..', 'histories');
    mkdirSync(folder, { recursive: true });
    const commit = execFileSync('git', ['rev-parse', 'HEAD'], { encoding: 'utf8' }).trim();
    const history: unknown = JSON.parse(historyToJSON(await handle.fetchHistory()));
    writeFileSync(path.join(folder, `${name}.json`), `${JSON.stringify({ commit, history })}\n`);
  }

  it('succeeded', async () => {
    rehearsal = await Rehearsal.open();
    await record('succeeded', (await rehearsal.sync()).handle);
  });

  it('overwritten', async () => {
    rehearsal = await Rehearsal.open({ fullSize: true });
    await record('overwritten', (await rehearsal.sync(rehearsal.route({ overwrite: true }))).handle);
  });

  it('waiting for an approval', async () => {
    rehearsal = await Rehearsal.open();
    const handle = await rehearsal.start(rehearsal.route({}, { approval: 'required' }));
    await rehearsal.waiting(handle);
    await record('waiting', handle);
    await handle.cancel();
    await rehearsal.ended(handle);
    await record('cancelled', handle);
  });

  it('failed', async () => {
    rehearsal = await Rehearsal.open({ target: { finalStatus: { import: 'failed' } } });
    await record('failed', (await rehearsal.sync()).handle);
  });
});
