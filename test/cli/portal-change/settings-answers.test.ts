import { randomBytes } from 'node:crypto';
import { describe, expect, it, jest } from '@jest/globals';
import { MockActivityEnvironment } from '@temporalio/testing';
import { DefaultLogger } from '@temporalio/worker';
import { bind } from '../../../src/activities/activities';
import type { ActivityDeps } from '../../../src/activities/deps';
import { writeChange } from '../../../src/activities/portal-change/documents';
import { PortalPool } from '../../../src/config/portal-pool';
import { runRecord } from '../../../src/model/run/run';
import type { DocumentChangeInput } from '../../../src/model/portal-change/change';
import { keys } from '../../../src/store/keys';
import { apply, at, banner, give, notice, recordOf, settings, shown, updatesDuring } from './settings-site';
import { authorityOf, signedStart } from '../../support/control';

describe('portolan settings apply, on a portal that answers in other ways', () => {
  it('sends again what never arrived, once it has seen that', async () => {
    at.target.faults.add({ match: { operation: 'settings.update' }, nth: 1, do: 'reset' });
    const { ended, updates } = await updatesDuring(() => apply({ informationalBanner: banner }));
    expect(recordOf(ended)).toMatchObject({ status: 'succeeded' });
    expect(updates).toBe(2);
    expect(shown(at.target)).toEqual({ informationalBanner: banner });
  });

  it('sends nothing where the portal no longer shows what somebody said yes to', async () => {
    const runId = `settings-production-${randomBytes(6).toString('hex')}`;
    await at.store.writeJson(keys.desired(runId), { informationalBanner: banner });
    const input: DocumentChangeInput = {
      runId,
      operation: 'apply',
      portal: { portal: 'production', url: at.target.url },
      startedBy: 'test',
      expected: 'another',
      warnings: [],
    };
    const { updates } = await updatesDuring(async () =>
      at.temporal.client.workflow
        .execute('settings', {
          workflowId: runId,
          taskQueue: at.config.temporal.taskQueue,
          args: [await signedStart(at.config, 'settings', input)],
        })
        .catch(() => undefined),
    );
    expect(updates).toBe(0);
    expect(await at.store.readJson(keys.record(runId), runRecord)).toMatchObject({
      status: 'failed',
      target: 'untouched',
      error: { code: 'PLAN_CHANGED' },
    });
    const portals = new PortalPool(at.config);
    const deps = {
      portals,
      store: at.store,
      authority: authorityOf(at.config, at.store),
    } as unknown as ActivityDeps;
    await at.store.writeJson(keys.before(runId), { informationalBanner: { text: 'another' } });
    const write = new MockActivityEnvironment({ attempt: 1 }, { logger: new DefaultLogger('ERROR') }).run(
      bind(deps, { writeChange }).writeChange,
      { ...input, kind: 'settings', part: 'informationalBanner' } as const,
    );
    await expect(write.finally(() => portals.close())).rejects.toMatchObject({ code: 'PLAN_CHANGED' });
    expect(shown(at.target)).toEqual({});
  });

  it('looks where the answer is lost, and sends nothing twice that arrived', async () => {
    at.target.faults.add({ match: { operation: 'settings.update' }, nth: 1, when: 'after', do: 'reset' });
    const { ended, updates } = await updatesDuring(() =>
      apply({ anonymousAccessNotice: notice, informationalBanner: banner }),
    );
    expect(recordOf(ended)).toMatchObject({ status: 'succeeded' });
    expect(updates).toBe(2);
    expect(shown(at.target)).toEqual({ anonymousAccessNotice: notice, informationalBanner: banner });
  });

  it('says what was written where a later object is refused', async () => {
    at.target.faults.add({
      match: { operation: 'settings.update' },
      nth: 2,
      do: { error: { code: 400, message: 'No banners today.' } },
    });
    const ended = await apply({ anonymousAccessNotice: notice, informationalBanner: banner });
    expect(ended.status).toBe(1);
    const record = recordOf(ended);
    expect(record).toMatchObject({ status: 'failed', target: 'changed', error: { code: 'BAD_REQUEST' } });
    expect(record.error?.message).toMatch(/No banners today/);
    expect((await settings('apply', 'production', '--saved', record.runId, '--yes')).status).toBe(0);
    expect(shown(at.target)).toEqual({ anonymousAccessNotice: null });
  });

  it('names the field where a portal answers success and keeps the old value', async () => {
    give(at.target, { informationalBanner: banner });
    const kept = jest.spyOn(at.target.world, 'changePortal').mockImplementation(() => undefined);
    const ended = await apply({ informationalBanner: { text: 'New' } }).finally(() => kept.mockRestore());
    expect(ended.status).toBe(1);
    expect(recordOf(ended)).toMatchObject({
      status: 'failed',
      target: 'changed',
      error: {
        code: 'NOT_TAKEN',
        message: 'production reported success, but shows different values: informationalBanner.text',
      },
    });
  });
});
