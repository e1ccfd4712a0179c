import { aConfig, aPortal } from '../../support/config';
import { describe, expect, it } from '@jest/globals';
import { WorkflowNotFoundError } from '@temporalio/client';
import { resolveRoute } from '../../../src/config/resolve-route';
import { requestedRunId, startRun } from '../../../src/service/run/start-run';
import { keys } from '../../../src/store/keys';
import { openStore } from '../../../src/store/open-store';
import type { TemporalClient } from '../../../src/temporal/connection';
import { runRecordOf } from '../../cli/run/records';

const requestId = 'night-1';
const runId = requestedRunId('sync', 'transport', requestId);

const config = aConfig({
  portals: { staging: aPortal('staging'), production: aPortal('gis') },
  routes: {
    transport: {
      source: { portal: 'staging', group: 'here' },
      target: { portal: 'production', group: 'there' },
    },
  },
});

/** A server that has forgotten every run that is over. */
const forgetful = {
  client: {
    workflow: {
      getHandle: () => ({
        describe: () => Promise.reject(new WorkflowNotFoundError('gone', runId, undefined)),
      }),
      start: () => Promise.reject(new Error('a run was started')),
    },
  },
} as unknown as TemporalClient;

const start = (options: object = {}, more: object = {}) => {
  const { options: given, ...route } = resolveRoute(config, { route: 'transport' });
  const asker = { who: 'ann@north', identity: 'claimed' } as const;
  return startRun(
    'sync',
    { config, temporal: forgetful, asker },
    { route: { ...route, options: { ...given, ...options } }, yes: false, requestId, ...more },
  );
};

describe('a request id whose run Temporal has forgotten', () => {
  it('names that run where the same is asked, and is refused where something else is', async () => {
    const store = openStore(config);
    const route = resolveRoute(config, { route: 'transport' });
    await store.writeJson(keys.record(runId), runRecordOf({ runId, status: 'succeeded' }));
    const proof = { at: 1, nonce: 'n', mac: 'm', identity: 'claimed' };
    const input = { route, yes: true, requestId, runId, startedBy: 'ben@south', proof };
    await store.writeJson(keys.start(runId), { execution: 'first', workflowType: 'sync', input });

    expect(await start()).toEqual({ runId, isNew: false });
    expect(await start({}, { reason: 'again' })).toEqual({ runId, isNew: false });
    for (const other of [
      () => start({ overwrite: !route.options.overwrite }),
      () => start({}, { snapshotId: 's' }),
    ])
      await expect(other()).rejects.toMatchObject({
        code: 'USAGE',
        plainMessage: `This request ID has already started ${runId} with other options.`,
      });
  });

  it('names that run where the store has no start of it', async () => {
    await openStore(config).remove(keys.start(runId));
    expect(await start({ planOnly: true })).toEqual({ runId, isNew: false });
  });
});
