import { describe, expect, it } from '@jest/globals';
import { type ComponentChildren, h } from 'preact';
import { contract } from '../../src/contract/contract';
import type { PortalQueueView } from '../../src/contract/queues';
import type { ScheduleRow } from '../../src/contract/schedules';
import { portalQueueId } from '../../src/model/run/portal-queue';
import { type Right, rights } from '../../src/model/rights';
import { Action } from '../../src/serve/page/actions/action';
import { actions, type PageAction } from '../../src/serve/page/actions/table';
import { QueuePart } from '../../src/serve/page/forms/queue-forms';
import { ScheduleForms } from '../../src/serve/page/forms/schedule-forms';
import { SyncForm } from '../../src/serve/page/forms/start-forms';
import { type Visit, VisitContext } from '../../src/serve/page/visit';
import type { Caller } from '../../src/service/may';
import { rendered } from './a-page';

describe.each(Object.entries<PageAction>(actions))('the form %s', (_id, action) => {
  const { operation, at, hidden = [], always = {}, fields } = action;

  it('sends what its operation takes', () => {
    const taken = Object.keys(contract[operation].input.shape);
    const inPath = [...at.matchAll(/:(\w+)/g)].map(([, name]) => name);
    // The name of the portal confirms; route and pipeline only lead back to their pages.
    const others = ['portal', 'route', 'pipeline'];
    const sent = [...inPath, ...hidden, ...Object.keys(always), ...Object.keys(fields)];
    expect([...taken, ...others]).toEqual(expect.arrayContaining(sent));
  });
});

const caller: Caller = { who: 'somebody', identity: 'key', rights };
const limited: Caller = { ...caller, routes: ['roads'], pipelines: [] };
const visit: Visit = {
  caller,
  path: '/',
  mayLeave: false,
  now: 0,
  assets: { style: '', script: '', mark: '' },
};

const shown = (node: ComponentChildren, given: Partial<Visit> = {}) => {
  const value = { ...visit, ...given };
  const root = rendered(h(VisitContext.Provider, { value, children: node }));
  return { root, commands: root.querySelectorAll('.command code').map(({ text }) => text) };
};

describe('the command of a form', () => {
  const restore = (fields?: Record<string, string>) =>
    shown(
      h(Action, {
        of: 'restore',
        known: { route: 'roads', to: 'south', into: 'g1' },
        choices: { snapshot: [['s1', 'one']], to: [['south', 'south']] },
      }),
      { typed: fields && { to: '/backups/roads/restore', fields } },
    ).commands;

  it('has the typed fields after a refusal, without empty ones', () => {
    expect(restore()).toEqual(['portolan restore s1 --to south --into g1']);
    expect(restore({ snapshot: 's1', to: 'south', into: ' ', reason: '', overwrite: 'yes' })).toEqual([
      'portolan restore s1 --to south --into "..." --overwrite',
    ]);
    expect(restore({ snapshot: 's1', to: 'south', into: ' g2 ', reason: " it's " })).toEqual([
      `portolan restore s1 --to south --into g2 --reason 'it'\\''s'`,
    ]);
    const resumed = h(Action, { of: 'resume', known: { run: 'sync-a-20261121T030000Z-k7q2' } });
    const typed = {
      to: '/runs/sync-a-20261121T030000Z-k7q2/resume',
      fields: { set: ' a=1  b=2 ', reason: '' },
    };
    expect(shown(resumed, { typed }).commands).toEqual([`portolan run resume k7q2 --set 'a=1' --set 'b=2'`]);
  });

  it('quotes hostile names [P16]', () => {
    const name = `"><b>it's\u202E $(x)`;
    const { root, commands } = shown(h(Action, { of: 'pause', known: { schedule: name } }));
    expect(commands).toEqual([`portolan schedule pause '"><b>it'\\''s $(x)' --reason "..."`]);
    expect(root.querySelector('b')).toBeNull();
    expect(root.querySelector('form')?.getAttribute('data-command')).toBe(
      `portolan schedule pause '"><b>it'\\''s $(x)'`,
    );
  });
});

describe('a form for a caller with limited rights', () => {
  it('has no button for what belongs to no route', () => {
    const view: PortalQueueView = {
      taskQueue: 'q',
      portal: 'south',
      direction: 'import',
      slots: 1,
      holders: [{ runId: 'sync-roads-20261121T030000Z-k7q2', since: '2026-11-21T03:00:00Z' }],
      waiting: [],
    };
    const queue = h(QueuePart, {
      queue: portalQueueId({ taskQueue: 'q', portal: 'south', direction: 'import' }),
      view,
    });
    expect(shown(queue).root.querySelectorAll('button[type=submit]')).toHaveLength(1);
    const { root } = shown(queue, { caller: limited });
    expect(root.querySelectorAll('button[type=submit]')).toHaveLength(0);
    expect(root.text).toContain('does not cover');
  });

  it('has no button for a schedule that another tool made', () => {
    const row: ScheduleRow = {
      name: 'nightly',
      kind: 'sync',
      route: 'roads',
      cron: '0 3 * * *',
      timezone: 'UTC',
      jitterMs: 0,
      origin: 'file',
      standing: 'not in portolan.yaml',
      paused: false,
      runs: [],
      next: [],
    };
    const buttons = (origin: ScheduleRow['origin']) =>
      shown(h(ScheduleForms, { row: { ...row, origin } }), { caller: limited }).root.querySelectorAll(
        'button[type=submit]',
      ).length;
    expect([buttons('file'), buttons('elsewhere')]).toEqual([2, 0]);
  });

  it('asks for no approval that the caller cannot give', () => {
    const ticks = (given: readonly Right[]) => {
      const node = h(Action, { of: 'bisect', known: { run: 'sync-roads-20261121T030000Z-k7q2' } });
      const { root } = shown(node, { caller: { ...caller, rights: given } });
      return root.querySelectorAll('input[name=yes]').length;
    };
    expect([ticks(rights), ticks(['view', 'start', 'operate'])]).toEqual([1, 0]);
  });

  it('offers only their routes', () => {
    const routes = (given: Partial<Visit>) =>
      shown(h(SyncForm, { routes: ['parks', 'roads'] }), given)
        .root.querySelectorAll('option')
        .map((each) => each.getAttribute('value'));
    expect(routes({})).toEqual(['parks', 'roads']);
    expect(routes({ caller: limited })).toEqual(['roads']);
  });
});
