import { isDeepStrictEqual } from 'node:util';
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
function show(kind: DocumentKind, content: Content) {
  const { world } = at.target;
  if (kind === 'settings') world.changePortal({ settings: { ...content } });
  else world.changePortal(content);
}
const now = async (kind: DocumentKind) =>
  (await portalDocuments[kind].read(portals.open('production'))).value;

/** A run that is let in, after people were shown what it changes. */
async function shown(kind: DocumentKind, wanted: Content) {
  const runId = `${kind}-production-${process.hrtime.bigint()}`;
  const portal = { portal: 'production', url: at.target.url };
  const expected = expectedOf(portalDocuments[kind], await now(kind), wanted);
  await at.letIn(kind === 'settings' ? 'settings' : 'categorySchema', { runId, portal, expected });
  await at.store.writeJson(keys.desired(runId), wanted);
  return { change: { runId, kind, portal }, expected };
}

const survey = (surveyUrl: string | null) => ({ portalConfigProperties: { surveyUrl } });
const old = { informationalBanner: { ...banner, text: 'Old', bgColor: 'blue' } };
const older = { informationalBanner: { ...banner, text: 'Old' } };
const theirs = { informationalBanner: { ...banner, text: 'Theirs' } };

describe('a repeated write', () => {
  it.each<
    [
      title: string,
      kind: DocumentKind,
      was: Content,
      wanted: Content,
      live: Content,
      code: string | undefined,
    ]
  >([
    [
      'clears a value that is still set',
      'settings',
      survey('https://old'),
      survey(null),
      survey('https://old'),
      undefined,
    ],
    [
      'keeps a value that someone else set',
      'settings',
      survey('https://old'),
      survey(null),
      survey('https://other'),
      'PLAN_CHANGED',
    ],
    [
      'keeps a banner of someone else',
      'settings',
      old,
      { informationalBanner: banner },
      theirs,
      'PLAN_CHANGED',
    ],
    [
      'replaces a part of an earlier banner',
      'settings',
      old,
      { informationalBanner: banner },
      older,
      undefined,
    ],
    [
      'writes no settings that are there',
      'settings',
      old,
      { informationalBanner: banner },
      { informationalBanner: banner },
      undefined,
    ],
    [
      'writes no categories that are there',
      'category-schema',
      trees('Roads', 'Lanes'),
      trees('Streets', 'Lanes'),
      trees('Streets', 'Lanes'),
      undefined,
    ],
    [
      'keeps categories of someone else',
      'category-schema',
      trees('Roads', 'Lanes'),
      trees('Streets', 'Lanes'),
      trees('Roads', 'Rails'),
      'PLAN_CHANGED',
    ],
  ])('%s', async (_title, kind, was, wanted, live, code) => {
    show(kind, was);
    const { change, expected } = await shown(kind, wanted);
    await at.call('findChange', { ...change, expected });
    show(kind, live);
    at.target.clearRequests();
    const [part = ''] = Object.keys(wanted);
    const ended = await at.call('writeChange', { ...change, part }, 2).then(
      () => undefined,
      (thrown: unknown) => PortolanError.from(thrown).code,
    );
    expect(ended).toBe(code);
    const isWrite = /^(settings\.update|categorySchema\.assign)$/;
    const posts = at.target.requests().filter(({ operation }) => isWrite.test(operation));
    expect(posts).toHaveLength(code === undefined && !isDeepStrictEqual(live, wanted) ? 1 : 0);
    const left = code === undefined ? wanted : live;
    expect(portalDocuments[kind].differences(await now(kind), left)).toEqual([]);
  });
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
    { categorySchema: [] },
    trees('Roads', 'Rails'),
    trees('Other', 'Lanes'),
  ],
])('a change of %s', (kind, before, wanted, elsewhere, other) => {
  const document = portalDocuments[kind];
  const stage = () => ({ portal: portals.open('production') }) as StagePortal;

  it('writes and checks each part, and is rolled back from the saved values', async () => {
    show(kind, before);
    const { change, expected } = await shown(kind, wanted);
    const found = await at.call('findChange', { ...change, expected });
    expect(found).toMatchObject({ saved: keys.before(change.runId), parts: Object.keys(wanted) });
    for (const part of found.parts) await at.call('writeChange', { ...change, part });
    expect(await at.call('checkChange', change)).toEqual({ lacking: [], own: [] });
    expect(document.differences(await now(kind), wanted)).toEqual([]);
    const undo = await draftAsBefore(kind, stage(), at.store, change.runId);
    expect(document.differences(before, undo.wanted)).toEqual([]);
    expect(undo.isLeft).toBe(false);
    show(kind, elsewhere);
    expect(await draftAsBefore(kind, stage(), at.store, change.runId)).toMatchObject({ isLeft: true });
  });

  it('writes only shown values over shown values, and looks right before it writes', async () => {
    show(kind, before);
    const { change, expected } = await shown(kind, wanted);
    const { parts } = await at.call('findChange', { ...change, expected });
    const part = parts.at(-1) ?? '';
    const find = () => at.call('findChange', { ...change, expected });
    const write = (attempt = 1) => at.call('writeChange', { ...change, part }, attempt);
    const changed = { code: 'PLAN_CHANGED' };
    show(kind, elsewhere);
    await expect(find()).rejects.toMatchObject(changed);
    await expect(write()).rejects.toMatchObject(changed);
    expect(document.differences(await now(kind), elsewhere)).toEqual([]);

    show(kind, before);
    await at.store.writeJson(keys.desired(change.runId), other);
    await expect(find()).rejects.toMatchObject(changed);
    for (const [attempt, mayBeThere] of [
      [1, false],
      [2, true],
    ] as const)
      await expect(write(attempt)).rejects.toMatchObject({ ...changed, facts: { mayBeThere } });
    expect(document.differences(await now(kind), before)).toEqual([]);
  });

  it('is left with a warning when a rolled-back run saved nothing', async () => {
    show(kind, before);
    const { change } = await shown(kind, wanted);
    const undo = await draftAsBefore(kind, stage(), at.store, change.runId);
    expect(undo).toMatchObject({ changes: [], warnings: [expect.stringContaining('saved no')] });
  });
});
