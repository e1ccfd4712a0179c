import { aConfig } from '../../support/config';
import { describe, expect, it } from '@jest/globals';
import { bind } from '../../../src/activities/activities';
import type { ActivityDeps } from '../../../src/activities/deps';
import {
  putBannerBack,
  readBannerBefore,
  showBanner,
  type ShownBanner,
} from '../../../src/activities/portal-change/banners';
import { findTaskRun, writeTaskRun } from '../../../src/activities/portal-change/task-runs';
import type { Portals } from '../../../src/config/portal-pool';
import { Policy } from '../../../src/domain/policy/policy';
import { PortolanError } from '../../../src/model/errors/errors';
import type { Portal } from '../../../src/portal/client';
import { openStore } from '../../../src/store/open-store';
import { Attempts } from '../attempt/attempts';

const url = 'https://production.example.com/portal/sharing/rest';

/** Activities of a worker with a policy, at a portal that only notes that it was asked for something. */
function activitiesUnder(policy: string) {
  const auth = '{ type: token, token: { env: T } }';
  const config = aConfig(`portals: { production: { url: ${url}, auth: ${auth}, policy: ${policy} } }`);
  const store = openStore(config);
  let isAsked = false;
  const portal = new Proxy({} as Portal, {
    get() {
      isAsked = true;
      throw new PortolanError('UNAVAILABLE', 'it was asked');
    },
  });
  const portals: Portals = { open: () => portal, urlOf: () => url, isScratch: () => false };
  const deps = { portals, store, policy: new Policy(config, store) } as ActivityDeps;
  return {
    ...bind(deps, { findTaskRun, writeTaskRun, putBannerBack, readBannerBefore, showBanner }),
    isAsked: () => isAsked,
  };
}

const task = { portal: 'production', url, username: 'owner', taskId: 't', taskRunId: 'r' };
const banner = {
  runId: 'sync-1',
  target: { name: 'production', portalId: 'p' },
  ours: { text: 'Soon' },
  before: null,
} as unknown as ShownBanner;

type Activities = ReturnType<typeof activitiesUnder>;
const writes: Readonly<Record<string, (activities: Activities) => Promise<unknown>>> = {
  'a look at a task run before its update': ({ findTaskRun }) => findTaskRun(task),
  'an update of a task run': ({ writeTaskRun }) =>
    writeTaskRun({ task, report: { status: 'succeeded', result: '' } }),
  'a look at a banner before it is replaced': ({ readBannerBefore }) => readBannerBefore(banner),
  'a banner': ({ showBanner }) => showBanner(banner),
};

describe('a portal with writes: never', () => {
  it.each(Object.entries(writes))('gets no request for %s [P13]', async (_what, call) => {
    const activities = activitiesUnder('{ writes: never }');
    const thrown = await new Attempts(() => call(activities)).next();
    expect(thrown).toMatchObject({ type: 'POLICY_REFUSED', nonRetryable: true });
    expect(activities.isAsked()).toBe(false);
  });

  it('is requested to remove a banner of Portolan', async () => {
    const activities = activitiesUnder('{ writes: never }');
    await new Attempts(() => activities.putBannerBack(banner)).next();
    expect(activities.isAsked()).toBe(true);
  });
});

describe('a portal that requires approvals, outside its window', () => {
  it.each(Object.entries(writes))('gets a request for %s without approval', async (_what, call) => {
    const never = '[{ deny: { from: 2000-01-01, to: 2999-12-31 } }]';
    const activities = activitiesUnder(`{ writes: required, windows: ${never} }`);
    await new Attempts(() => call(activities)).next();
    expect(activities.isAsked()).toBe(true);
  });
});
