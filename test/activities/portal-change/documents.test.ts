import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { PortalPool } from '../../../src/config/portal-pool';
import {
  portalDocuments,
  draftAsBefore,
  type StagePortal,
} from '../../../src/domain/portal-change/documents';
import { type Content, expectedOf } from '../../../src/domain/portal-change/portal-document';
import { PortolanError } from '../../../src/model/errors/errors';
import type { DocumentKind } from '../../../src/model/portal-change/change';
import { keys } from '../../../src/store/keys';
import { AWorker } from '../a-worker';

let at: AWorker;
let portals: PortalPool;
beforeAll(async () => {
  at = await AWorker.open();
  portals = new PortalPool(at.config);
});
afterAll(async () => {
  await portals.close();
  await at.close();
});

const banner = { text: 'Soon', bgColor: 'red', fontColor: 'white', enabled: true };
const trees = (title: string, below: string) => ({
  categorySchema: [{ title: 'Stays' }, { title, categories: [{ title: below }] }],
});

/** Has the portal show a document. */
function show(kind: DocumentKind, content: Content): void {
  const { world } = at.target;
  if (kind === 'settings') world.changePortal({ settings: { ...content } });
  else world.changePortal(content);
}
const now = async (kind: DocumentKind): Promise<Content> =>
  (await portalDocuments[kind].read(portals.open('production'))).value;

/** A run that is let in, after people were shown what it changes. */
async function shown(kind: DocumentKind, wanted: Content) {
  const runId = `${kind}-production-${process.hrtime.bigint()}`;
  const portal = { portal: 'production', url: at.target.url };
  const expected = expectedOf(portalDocuments[kind], await now(kind), wanted);
  await at.letIn(kind === 'settings' ? 'settings' : 'categorySchema', { runId, portal, expected });
  await at.store.writeJson(keys.desired(runId), wanted);
  return { change: { runId, kind, portal } as const, expected };
}

describe('a repeated write of settings', () => {
  const properties = (surveyUrl: string | null) => ({ portalConfigProperties: { surveyUrl } });

  it.each([
    ['clears what still stands', 'https://old.example.com', undefined],
    ['does not take what someone else has set for cleared', 'https://other.example.com', 'PLAN_CHANGED'],
  ])('%s', async (_title, live, code) => {
    show('settings', properties('https://old.example.com'));
    const { change, expected } = await shown('settings', properties(null));
    await at.run(({ findChange }) => findChange({ ...change, expected }));
    show('settings', properties(live));
    const part = 'portalConfigProperties';
    const ended = await at
      .run(({ writeChange }) => writeChange({ ...change, part }), 2)
      .then(
        () => undefined,
        (thrown: unknown) => PortolanError.from(thrown).code,
      );
    expect(ended).toBe(code);
    const { portalConfigProperties } = await now('settings');
    expect(portalConfigProperties).toEqual(code === undefined ? null : { surveyUrl: live });
  });

  it('replaces nothing but the earlier values, and those that it writes', async () => {
    show('settings', { informationalBanner: { ...banner, text: 'Old', bgColor: 'blue' } });
    const { change, expected } = await shown('settings', { informationalBanner: banner });
    await at.run(({ findChange }) => findChange({ ...change, expected }));
    const write = () =>
      at.run(({ writeChange }) => writeChange({ ...change, part: 'informationalBanner' }), 2);
    const theirs = { informationalBanner: { ...banner, text: 'Theirs' } };
    show('settings', theirs);
    await expect(write()).rejects.toMatchObject({ code: 'PLAN_CHANGED' });
    expect(await now('settings')).toMatchObject(theirs);
    show('settings', { informationalBanner: { ...banner, text: 'Old' } });
    await write();
    expect(await now('settings')).toMatchObject({ informationalBanner: banner });
  });
});

it('a repeated write of categories replaces no others than those that people were shown', async () => {
  show('category-schema', trees('Roads', 'Lanes'));
  const { change, expected } = await shown('category-schema', trees('Streets', 'Lanes'));
  await at.run(({ findChange }) => findChange({ ...change, expected }));
  show('category-schema', trees('Roads', 'Rails'));
  const write = at.run(({ writeChange }) => writeChange({ ...change, part: 'categorySchema' }), 2);
  await expect(write).rejects.toMatchObject({ code: 'PLAN_CHANGED' });
  expect(await now('category-schema')).toMatchObject(trees('Roads', 'Rails'));
});

describe.each<[kind: DocumentKind, before: Content, wanted: Content, elsewhere: Content, other: Content]>([
  [
    'settings',
    { anonymousAccessNotice: null, informationalBanner: { ...banner, text: 'Old' } },
    {
      anonymousAccessNotice: { text: 'Terms', buttons: 'okOnly', enabled: true },
      informationalBanner: banner,
    },
    { informationalBanner: { ...banner, text: 'Older' } },
    // It replaces the same values.
    {
      anonymousAccessNotice: { text: 'Other terms', buttons: 'okOnly', enabled: true },
      informationalBanner: { ...banner, text: 'Later' },
    },
  ],
  [
    'category-schema',
    trees('Roads', 'Lanes'),
    { categorySchema: [{ title: 'Stays' }] },
    trees('Roads', 'Rails'),
    trees('Other', 'Lanes'),
  ],
  [
    'category-schema',
    trees('Roads', 'Lanes'),
    { categorySchema: [] },
    trees('Roads', 'Rails'),
    trees('Other', 'Lanes'),
  ],
])('a change of %s', (kind, before, wanted, elsewhere, other) => {
  const document = portalDocuments[kind];
  const stage = (): StagePortal => ({ portal: portals.open('production') }) as StagePortal;

  it('writes each part, is read back, and is undone from what was kept', async () => {
    show(kind, before);
    const { change, expected } = await shown(kind, wanted);
    const found = await at.run(({ findChange }) => findChange({ ...change, expected }));
    expect(found).toMatchObject({ saved: keys.before(change.runId), parts: Object.keys(wanted) });
    for (const part of found.parts) await at.run(({ writeChange }) => writeChange({ ...change, part }));
    expect(await at.run(({ checkChange }) => checkChange(change))).toEqual({ lacking: [], own: [] });
    expect(document.differences(await now(kind), wanted)).toEqual([]);
    const undo = await draftAsBefore(kind, stage(), at.store, change.runId);
    expect(document.differences(before, undo.wanted)).toEqual([]);
    expect(undo.isLeft).toBe(false);
    show(kind, elsewhere);
    expect(await draftAsBefore(kind, stage(), at.store, change.runId)).toMatchObject({ isLeft: true });
  });

  it('refuses values that nobody was shown, right before it writes as well', async () => {
    show(kind, before);
    const { change, expected } = await shown(kind, wanted);
    const { parts } = await at.run(({ findChange }) => findChange({ ...change, expected }));
    show(kind, elsewhere);
    const changed = { code: 'PLAN_CHANGED' };
    await expect(at.run(({ findChange }) => findChange({ ...change, expected }))).rejects.toMatchObject(
      changed,
    );
    const part = parts.at(-1) ?? '';
    await expect(at.run(({ writeChange }) => writeChange({ ...change, part }))).rejects.toMatchObject(
      changed,
    );
    expect(document.differences(await now(kind), elsewhere)).toEqual([]);
  });

  it('writes nothing else that took the place of what was shown, whenever it did', async () => {
    show(kind, before);
    const { change, expected } = await shown(kind, wanted);
    const { parts } = await at.run(({ findChange }) => findChange({ ...change, expected }));
    await at.store.writeJson(keys.desired(change.runId), other);
    const changed = { code: 'PLAN_CHANGED' };
    await expect(at.run(({ findChange }) => findChange({ ...change, expected }))).rejects.toMatchObject(
      changed,
    );
    const part = parts.at(-1) ?? '';
    for (const [attempt, mayBeThere] of [
      [1, false],
      [2, true],
    ] as const)
      await expect(
        at.run(({ writeChange }) => writeChange({ ...change, part }), attempt),
      ).rejects.toMatchObject({ ...changed, facts: { mayBeThere } });
    expect(document.differences(await now(kind), before)).toEqual([]);
  });

  it('leaves all as it is, with a warning, when a run that saved nothing is undone', async () => {
    show(kind, before);
    const { change } = await shown(kind, wanted);
    const undo = await draftAsBefore(kind, stage(), at.store, change.runId);
    expect(undo).toMatchObject({ changes: [], warnings: [expect.stringContaining('saved no')] });
  });
});
