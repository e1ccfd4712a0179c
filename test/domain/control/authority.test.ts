import { aConfig, aPortal } from '../../support/config';
import { aFolder } from '../../support/folder';
import { rm, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { beforeEach, describe, expect, it } from '@jest/globals';
import type { Identity, ReceivedStart, Signed } from '../../../src/model/run/signature';
import type { Config } from '../../../src/config/config';
import { resolveRoute } from '../../../src/config/resolve-route';
import { noteEnd } from '../../../src/domain/control/admitted-start';
import type { AuthorizedWrite } from '../../../src/domain/control/authority';
import { openControl } from '../../../src/domain/control/control';
import { promotionOf } from '../../../src/model/release/promotion-input';
import { askedBy } from '../../../src/model/run/policy';
import { syncOfPart, type Approve, type SyncInput } from '../../../src/model/run/run-input';
import { partRunId } from '../../../src/model/run/run-id';
import { runRecord } from '../../../src/model/run/run';
import { keys } from '../../../src/store/keys';
import { LocalStore } from '../../../src/store/local/local-store';
import { keysUnder } from '../../../src/store/store';
import { runRecordOf } from '../../cli/run/records';
import { authorityOf, signed, signedStart } from '../../support/control';

let folder: string;

const ID = 'sync-transport-20261121T030000Z-k7q2';
const PLAN = 'a'.repeat(64);
const target = { portal: 'production', groupId: 'there' };

let config: Config;
let store: LocalStore;

function write(policy: object = {}) {
  const route = {
    source: { portal: 'staging', group: 'here' },
    target: { portal: 'production', group: 'there' },
    approval: 'none',
  };
  const portals = { staging: aPortal('staging'), production: aPortal('production', { policy }) };
  config = aConfig({ portals, routes: { transport: route } }, folder);
}

const authority = () => authorityOf(config, store);
const inputOf = (more: Partial<SyncInput> = {}): SyncInput => ({
  runId: ID,
  route: resolveRoute(config, { route: 'transport' }),
  startedBy: 'ann@desk',
  yes: false,
  ...more,
});
const startOf = (more?: Partial<SyncInput>) => signedStart(config, 'sync', inputOf(more));
/** A worker receives a start. */
const receive = (input: Signed & { runId?: string }, more: Partial<ReceivedStart> = {}) =>
  authority().admitStart({
    workflowType: 'sync',
    workflowId: input.runId ?? '',
    execution: 'first',
    input: JSON.parse(JSON.stringify(input)) as Signed,
    ...more,
  });
const admit = async (more?: Partial<SyncInput>) => receive(await startOf(more));
/** A run receives an answer, which may be signed for another one. */
const answer = async (
  workflowId: string,
  name: string,
  content: object,
  { identity, of = workflowId }: { identity?: Identity; of?: string } = {},
) => {
  const message = await signed(config, { workflowId: of }, name, content, identity);
  await authority().admitAnswer({ workflowId, name, message });
};
const approve = (more: Partial<Approve> = {}, identity: Identity = 'key', runId = ID) =>
  answer(runId, 'approve', { hash: 'x', sha256: PLAN, who: 'gislead', ...more }, { identity });
const said = (work: Promise<unknown>) =>
  work.then(
    () => 'yes',
    (thrown: Error) => thrown.message,
  );
const mayWrite = (more: Partial<AuthorizedWrite> = {}) =>
  said(authority().require(ID, { target, plan: PLAN, ...more }));

beforeEach(() => {
  folder = aFolder();
  store = new LocalStore(path.join(folder, 'store'));
  write();
});

describe('a start', () => {
  it('is accepted once, refused to another execution, and noted in its record', async () => {
    const start = await startOf();
    await receive(start);
    await receive(start);
    const reason = 'the start has been used before';
    expect(await said(receive(start, { execution: 'second' }))).toBe(`[NOT_AUTHENTIC] ${reason}`);
    expect(await store.readJson(keys.record(ID), runRecord)).toMatchObject({
      status: 'failed',
      target: 'untouched',
      actions: [{ who: 'ann@desk', identity: 'claimed', what: 'start refused', reason }],
      error: { code: 'NOT_AUTHENTIC' },
    });
  });

  it.each([
    '../../etc',
    'sync transport',
    `s${'x'.repeat(233)}`,
    `s${'x'.repeat(239)}`,
    `s${'x'.repeat(400)}`,
    '',
  ])('of a run with the id %p leaves nothing behind', async (workflowId) => {
    expect(await said(receive(await startOf(), { workflowId }))).toMatch(
      /the run ID was not created by Portolan$/,
    );
    expect(await keysUnder(store, '')).toEqual([]);
  });

  it('of a run with the longest ID is refused and noted in its record', async () => {
    const workflowId = `s${'x'.repeat(232)}`;
    expect(await said(receive(await startOf(), { workflowId }))).toMatch(/the start belongs to another run$/);
    expect(await store.readJson(keys.record(workflowId), runRecord)).toMatchObject({ status: 'failed' });
  });

  it('that claims to be another run is refused, and noted nowhere', async () => {
    const workflowId = 'sync-transport-forged';
    expect(await said(receive(await startOf(), { workflowId }))).toMatch(/the start belongs to another run$/);
    expect(await store.readJson(keys.record(ID), runRecord)).toBeUndefined();
  });
});

describe('a write', () => {
  it('is refused for a run that is over, which is not let in again either', async () => {
    await admit();
    expect(await mayWrite()).toBe('yes');
    await noteEnd(store, ID, '2026-11-21T04:00:00.000Z');
    expect(await mayWrite()).toMatch(/ ended at 2/);
    expect(await said(admit())).toMatch(/the start has been used before$/);
  });

  it('is refused for a run that was never accepted, even if the store has it [P14]', async () => {
    expect(await mayWrite()).toMatch(/was not accepted by this version with this store$/);
    const proof = { identity: 'claimed', mac: '0'.repeat(64) };
    await store.writeJson(keys.start(ID), {
      execution: 'first',
      workflowType: 'sync',
      input: { ...inputOf(), proof },
    });
    expect(await mayWrite()).toMatch(/signed with another control key/);
  });

  it('goes where the run was started for, and nowhere else [P13]', async () => {
    await admit();
    expect(await mayWrite()).toBe('yes');
    for (const elsewhere of [
      { ...target, groupId: 'elsewhere' },
      { ...target, portal: 'staging' },
    ])
      expect(await mayWrite({ target: elsewhere })).toMatch(/was not started to write to this target$/);
  });

  it("needs an approver's yes to that very plan where the policy requires it [P13]", async () => {
    write({ writes: 'required', approvers: { users: ['gislead', 'ann'] }, twoPeople: true });
    await admit({ yes: true });
    expect(await mayWrite({ isOwnPackage: true })).toBe('yes');
    expect(await mayWrite()).toMatch(/its plan has no approval$/);
    await approve({ sha256: 'b'.repeat(64) });
    expect(await mayWrite()).toMatch(/its plan has no approval$/);
    expect(await said(approve({ who: 'bob' }))).toMatch(/bob is not an approver; approvers: gislead, ann$/);
    // Who is known by a machine and by a key has one name.
    for (const who of ['ann', 'ann@desk'])
      expect(await said(approve({ who }))).toMatch(/ann.* started the run/);
    expect(await said(approve({ who: 'gislead@desk' }, 'claimed'))).toMatch(
      /the identity of gislead@desk is unverified/,
    );
    expect(await mayWrite()).toMatch(/its plan has no approval$/);
    await approve();
    write({ writes: 'required', approvers: { users: ['bob'] } });
    expect(await mayWrite()).toMatch(/gislead is not an approver; approvers: bob$/);
    write({ writes: 'required', approvers: { users: ['gislead', 'ann'] }, twoPeople: true });
    expect(await mayWrite()).toBe('yes');
    const forged = {
      hash: 'x',
      sha256: PLAN,
      who: 'gislead@desk',
      proof: { identity: 'claimed', mac: '00' },
    };
    await store.writeJson(keys.approval(ID), forged);
    expect(await mayWrite()).toMatch(/signed with another control key/);
  });

  it('takes --yes of a signed start where the policy asks, and no other word for it', async () => {
    write({ writes: 'ask' });
    await admit();
    expect(await mayWrite()).toMatch(/its plan has no approval$/);
    await rm(path.join(folder, 'store'), { recursive: true });
    await admit({ yes: true });
    expect(await mayWrite()).toBe('yes');
  });
});

describe('a rollback', () => {
  const ROLLBACK = 'rollback-transport-20261121T030000Z-k7q2';
  const mayUndo = (more: Partial<AuthorizedWrite> = {}) =>
    said(authority().require(ROLLBACK, { target, ...more }));
  const started = async (yes: boolean) => {
    const input = { ...inputOf({ runId: ROLLBACK, yes }), parent: ID };
    await receive(await signedStart(config, 'rollback', input), { workflowType: 'rollback' });
  };

  it.each([{}, { plan: PLAN }, { undoes: ID }])(
    'restores and removes nothing without the approval that an import needs: %j [P13]',
    async (asked) => {
      write({ writes: 'ask' });
      await started(false);
      expect(await mayUndo(asked)).toMatch(/its plan has no approval$/);
      await approve({}, 'key', ROLLBACK);
      expect(await mayUndo(asked)).toBe('yes');
      expect(await mayUndo({ ...asked, plan: 'b'.repeat(64) })).toMatch(/its plan has no approval$/);
    },
  );

  it('takes the --yes of its starter only if the policy asks for nobody else', async () => {
    write({ writes: 'ask' });
    await started(true);
    expect(await mayUndo({ undoes: ID })).toBe('yes');
    write({ writes: 'ask', twoPeople: true });
    expect(await mayUndo({ undoes: ID })).toMatch(/its plan has no approval$/);
  });
});
/** Whether a run hears what was said to another one. */
const hears = (workflowId: string, saidTo: string) =>
  said(answer(workflowId, 'cancel', { who: 'ann@desk' }, { of: saidTo }));

describe('a part of a search', () => {
  const BISECT = 'bisect-transport-20261121T030000Z-k7q2';
  const which = { number: 1, from: 1, count: 1 };
  const search = () => {
    const { options, ...ends } = inputOf().route;
    const route = { ...ends, options: { ...options, items: ['c1', 'c2'] } };
    return { ...inputOf({ runId: BISECT, route }), parent: ID, wholeFailed: true };
  };
  const part = () => syncOfPart(search(), which);
  const letSearchIn = async () => {
    const input = (await openControl(config)).signStart('bisect', BISECT, search());
    await receive(input, { workflowType: 'bisect' });
  };

  it('is signed as its search says, and for nothing else [P14]', async () => {
    expect(await said(authority().signPart(BISECT, which))).toMatch(/was not accepted/);
    await letSearchIn();
    const proof = await authority().signPart(BISECT, which);
    const { options, ...ends } = part().route;
    for (const other of [
      { startedBy: 'bob@desk' },
      { route: { ...ends, options: { ...options, items: ['c3'] } } },
      { route: { ...ends, options: { ...options, overwrite: true } } },
      { route: { ...ends, options, target: { ...ends.target, groupId: 'elsewhere' } } },
    ])
      expect(await said(receive({ ...part(), ...other, proof }))).toMatch(/or was modified$/);
    expect(await said(receive({ ...part(), proof }, { workflowType: 'rollback' }))).toMatch(
      /or was modified$/,
    );
    expect(await said(authority().require(part().runId, { target, plan: PLAN }))).toMatch(/was not accepted/);
    await receive({ ...part(), proof });
  });

  it('is refused if a starter has signed it [P14]', async () => {
    await letSearchIn();
    expect(await said(receive(await signedStart(config, 'sync', part())))).toMatch(
      /for another run, or was modified$/,
    );
  });

  it('is refused if its search was not accepted [P14]', async () => {
    await letSearchIn();
    const proof = await authority().signPart(BISECT, which);
    await store.remove(keys.start(BISECT));
    expect(await said(receive({ ...part(), proof }))).toMatch(/was not accepted/);
  });

  it('is not signed once the control key was replaced', async () => {
    await letSearchIn();
    const worker = authority();
    await worker.signPart(BISECT, which);
    await writeFile(path.join(folder, 'var', 'control.key'), 'another control key, which is long enough');
    expect(await said(worker.signPart(BISECT, which))).toMatch(/signed with another control key/);
  });

  it('is not signed for a run that has none, or under an ID that is none of its parts', async () => {
    await admit();
    expect(await said(authority().signPart(ID, which))).toMatch(/a sync has no child runs$/);
    await letSearchIn();
    const forged = { workflow: 'sync', input: { ...part(), runId: 'sync-transport-forged' } };
    expect(await said(authority().signChild(BISECT, forged))).toMatch(
      /sync-transport-forged is not a child run of bisect-/,
    );
  });

  it('hears what is said to its search, and nothing that is said to another run', async () => {
    expect(await hears(part().runId, BISECT)).toBe('yes');
    expect(await hears(part().runId, ID)).toMatch(/NOT_AUTHENTIC/);
  });
});

describe('a promotion that a schedule starts', () => {
  const DUE = 'promote-transport-weekly-2026-11-21T03:00:00Z';
  const PROMOTION = partRunId(DUE, 1);
  const GROUP = partRunId(PROMOTION, 3, 'restore');

  const tomorrow = new Date(Date.now() + 24 * 3_600_000).toISOString().slice(0, 10);
  const closed = { windows: [{ deny: { from: '2000-01-01', to: tomorrow } }] };
  const BACK = partRunId(PROMOTION, 4, 'rollback');
  const outcome = { pipeline: 'transport', stage: 'live', runId: PROMOTION, kind: 'promoted' };

  /** Lets the promotion in, and a part that imports a group and one that takes that back. */
  async function letPromotionIn() {
    const { route } = inputOf();
    const due = { startedBy: 'schedule weekly', yes: false, route, stage: 'live' };
    const base = DUE.slice(0, -'-2026-11-21T03:00:00Z'.length);
    const start = (await openControl(config)).signSchedule('promote', base, due);
    await receive(start, { workflowType: 'promote', workflowId: DUE });
    const promotion = promotionOf({ ...due, runId: DUE }, {
      route,
      stage: 'live',
      release: { id: 'transport-20261120T090000Z-k7q2', sha256: PLAN },
      groups: [],
      settings: false,
      categories: false,
      onFailure: 'park',
      placementRules: {},
    } as unknown as Parameters<typeof promotionOf>[1]);
    const proof = await authority().signChild(DUE, { workflow: 'promotion', input: promotion });
    await receive({ ...promotion, proof }, { workflowType: 'promotion' });
    for (const [workflow, runId] of [
      ['restore', GROUP],
      ['rollback', BACK],
    ] as const) {
      const input = { yes: false, startedBy: 'schedule weekly', route, runId };
      const its = await authority().signChild(PROMOTION, { workflow, input });
      await receive({ ...input, proof: its }, { workflowType: workflow });
    }
  }

  const asked = () => ({ ...askedBy('restore', inputOf().route, 'transport/live'), isApproved: true });
  /** Who waits for a window: the promotion, its import, its way back; and whom it keeps from writing. */
  const waiting = () =>
    Promise.all([
      ...[PROMOTION, GROUP, BACK].map(
        async (runId) => (await authority().windowOf(runId, asked())) !== undefined,
      ),
      ...[GROUP, BACK].map(async (runId) =>
        (await said(authority().require(runId, { target }))).startsWith('[WINDOW_CLOSED]'),
      ),
    ]);
  const resume = () => answer(PROMOTION, 'resume', { who: 'ann@desk' });
  /** Writes while no window is closed, and closes it. */
  const writeThenClose = async (more: Partial<AuthorizedWrite> = {}) => {
    write();
    await authority().require(GROUP, { target, ...more });
    write(closed);
  };
  const everyone = [true, true, true, true, true];
  const nobody = [false, false, false, false, false];

  it('goes on behind a window once it was let write, and until it is resumed', async () => {
    await letPromotionIn();
    write(closed);
    expect(await waiting()).toEqual(everyone);
    await writeThenClose({ isOwnPackage: true });
    expect(await waiting()).toEqual(everyone);
    await writeThenClose();
    expect(await waiting()).toEqual(nobody);
    await resume();
    expect(await waiting()).toEqual(everyone);
    await writeThenClose();
    expect(await waiting()).toEqual(nobody);
  });

  it('goes on with its way back although it was resumed, but with no import', async () => {
    await letPromotionIn();
    await writeThenClose();
    await resume();
    await store.writeJson(keys.promotion(outcome), {
      ...outcome,
      status: 'failed',
      release: 'transport-20261120T090000Z-k7q2',
      sha256: PLAN,
      at: '2026-11-21T04:00:00Z',
      who: 'schedule weekly',
      groups: [],
    });
    expect(await waiting()).toEqual([false, true, false, true, false]);
  });

  it('writes nothing of a blocked release unless it has begun, but rolls back [P11]', async () => {
    await letPromotionIn();
    const write = (runId: string) => said(authority().require(runId, { target }));
    const blocked = expect.stringContaining(
      '[RELEASE_BLOCKED] transport-20261120T090000Z-k7q2 is blocked by ana',
    );
    const block = { release: 'transport-20261120T090000Z-k7q2', who: 'ana', reason: 'wrong sums' };
    await store.writeJson(keys.block(PLAN), block);
    expect([await write(GROUP), await write(BACK)]).toEqual([blocked, 'yes']);
    await store.remove(keys.begun(PROMOTION));
    await store.remove(keys.block(PLAN));
    expect(await write(GROUP)).toBe('yes');
    await store.writeJson(keys.block(PLAN), block);
    expect(await write(GROUP)).toBe('yes');
    await resume();
    expect([await write(GROUP), await write(BACK)]).toEqual([blocked, 'yes']);
  });

  it('waits for a window whatever its record says [P13]', async () => {
    await letPromotionIn();
    write(closed);
    const record = runRecordOf({ runId: PROMOTION, kind: 'promotion', status: 'running', target: 'changed' });
    await store.writeJson(keys.record(PROMOTION), record);
    expect(await waiting()).toEqual(everyone);
  });

  it('passes on to its groups what is said to the run of the schedule', async () => {
    expect(await hears(GROUP, DUE)).toBe('yes');
    expect(await hears(GROUP, PROMOTION)).toBe('yes');
    expect(await hears(PROMOTION, GROUP)).toMatch(/NOT_AUTHENTIC/);
  });
});
