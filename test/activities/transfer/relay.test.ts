import { partBytes } from '../../support/small-parts';
import { createHash } from 'node:crypto';
import { readdirSync, statSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { ApplicationFailure } from '@temporalio/common';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import type { CarriedPackage } from '../../../src/model/transfer/stored-package';
import type { FaultRule } from '../../../src/simulator/faults';
import { keys } from '../../../src/store/keys';
import { LocalStore } from '../../../src/store/local/local-store';
import type { PartialFile } from '../../../src/store/store';
import { partsSentAgain } from '../../transfers/cut-connection';
import { Attempts } from '../attempt/attempts';
import { until } from '../../support/until';
import { AWorker } from '../a-worker';

const MB = 1024 ** 2;
/** Three parts and a short one. */
const size = 3 * partBytes + MB + 5;

let at: AWorker;
let runId: string;
let source: string;
let runs = 0;
let attempts: Attempts<CarriedPackage>;

beforeAll(async () => {
  at = await AWorker.open();
  source = at.target.world.items.find(({ name, groups }) => name !== null && groups.length > 0)!.id;
});
afterAll(() => at.close());

beforeEach(async () => {
  runs += 1;
  runId = `sync-transport-20261121T030000Z-aa${String(runs).padStart(2, '0')}`;
  await at.letIn('sync', { runId, route: at.route });
  at.target.faults.clear();
  Object.assign(at.target.world.settings, { noRange: false });
  contains(runs);
  attempts = new Attempts(() => at.activities.relayPackage(asked(5000 * MB)));
});

const asked = (packageBytes: number) => ({
  runId,
  packageIndex: 0,
  itemId: source,
  key: keys.package(runId, 0),
  packageBytes,
  portal: at.facts,
  target: at.facts,
});

/** The package of the source, which has other bytes for another seed. */
const contains = (seed: number) => {
  at.target.world.items.change(source, { size, data: { kind: 'generated', seed } });
};

const faults = (...rules: FaultRule[]) => at.target.faults.add(...rules);

/** The next attempt of the run: it finds what the one before said last. */
async function carry() {
  const end = await attempts.next();
  if (end instanceof ApplicationFailure) throw new Error(`${end.type}: ${end.message}`);
  return end;
}

/** Its source breaks off once. */
async function carryUntilCut() {
  faults({ match: { operation: 'item.data' }, nth: 1, do: { cut: 20 * MB } });
  await expect(carry()).rejects.toThrow('RESPONSE_CUT');
}

/** What the upload then does, by which the whole package arrives. @returns how many parts it sent */
async function upload({ key, sha256, carried }: CarriedPackage) {
  const input = { runId, portal: at.facts, packageIndex: 0, key, sha256, again: true };
  const { itemId = (await at.call('addPackage', input)).itemId } = carried ?? {};
  const { sent } = await at.call('uploadParts', { ...input, itemId, differing: carried?.differing });
  const { world } = at.target;
  while (world.items.get(itemId)?.status !== 'completed') await sleep(20);
  const hash = createHash('sha256');
  for await (const chunk of world.files.readData(world.items.get(itemId)!)) hash.update(chunk as Buffer);
  expect(hash.digest('hex')).toBe(sha256);
  return sent;
}

/** Of the file that comes into the store. */
function bytesOnTheWay() {
  const folder = path.join(at.folder, 'store', keys.packagesOfRun(runId));
  const name = readdirSync(folder).find((file) => file.endsWith('.part'));
  return name === undefined ? 0 : statSync(path.join(folder, name)).size;
}

/** Requests of this test. */
const requestsSince = (begun: number) => at.target.requests().slice(begun);
const sentTo = (begun: number) =>
  requestsSince(begun).filter(({ operation, status }) => operation === 'item.addPart' && status === 200)
    .length;

describe('a relayed package', () => {
  it('is uploaded, not committed, when it is in the store', async () => {
    const begun = at.target.requests().length;
    const stored = await carry();
    expect(stored).toMatchObject({ sizeBytes: size, carried: { parts: 4, of: 4, differing: [] } });
    expect(requestsSince(begun).filter(({ operation }) => operation === 'item.commit')).toEqual([]);
    expect(await upload(stored)).toBe(0);
  });

  it('has uploaded parts before its download ends', async () => {
    await carryUntilCut();
    const item = [...at.target.world.items.values()].find(({ tags }) => tags.includes(runId));
    // The second one as well, unless it was still being written when the connection broke.
    expect(await at.target.world.files.parts(item!.id)).toContain(1);
  });

  it.each([
    ['offers Range', false],
    ['has no Range, and sends it from its first byte again', true],
  ])('is sent once when the source %s after a cut', async (_title, noRange) => {
    Object.assign(at.target.world.settings, { noRange });
    const begun = at.target.requests().length;
    await carryUntilCut();
    const stored = await carry();
    expect(stored.carried).toMatchObject({ parts: 4, of: 4, differing: [] });
    expect(await upload(stored)).toBe(0);
    expect(sentTo(begun)).toBe(4);
    expect(partsSentAgain(requestsSince(begun))).toEqual([]);
  });

  it('is not committed with bytes of another package', async () => {
    Object.assign(at.target.world.settings, { noRange: true });
    await carryUntilCut();
    contains(1000 + runs);
    // And nothing more goes up while the other one comes.
    faults({ match: { operation: 'item.addPart' }, do: { error: { code: 403, message: 'no' } } });
    const stored = await carry();
    expect(stored.carried).toMatchObject({ parts: 0, differing: expect.arrayContaining([1]) });
    at.target.faults.clear();
    expect(await upload(stored)).toBe(4);
  });

  it('is not committed with bytes of an earlier export by a resumed run [P11]', async () => {
    await carryUntilCut();
    // A resumed run begins a new activity, which knows nothing of the attempts before.
    attempts.said = undefined;
    contains(1000 + runs);
    await rm(path.join(at.folder, 'store', keys.packagesOfRun(runId)), { recursive: true });
    faults({ match: { operation: 'item.parts' }, do: { error: { code: 403, message: 'no' } } });
    const stored = await carry();
    at.target.faults.clear();
    expect(await upload(stored)).toBe(4);
  });

  it('is sent again when a dead worker had not reported its parts', async () => {
    await carryUntilCut();
    attempts.said = undefined;
    const begun = at.target.requests().length;
    const stored = await carry();
    expect(stored.carried).toMatchObject({ parts: 4, of: 4, differing: [] });
    expect(sentTo(begun)).toBe(4);
    expect(await upload(stored)).toBe(0);
  });

  it.each([
    ['a part', { operation: 'item.addPart' }],
    ['the item', { operation: 'item.add' }],
  ])('is downloaded also when the target refuses %s', async (_title, match) => {
    faults({ match, do: { error: { code: 403, message: 'no' } } });
    const stored = await carry();
    expect(stored.sizeBytes).toBe(size);
    expect(stored.carried).toMatchObject({ parts: 0, of: 4, differing: [] });
  });

  it('has one package item also when the response is lost', async () => {
    const begun = at.target.requests().length;
    faults({ match: { operation: 'item.add' }, nth: 1, when: 'after', do: 'reset' });
    expect((await carry()).carried).toMatchObject({ parts: 4, of: 4, differing: [] });
    expect(requestsSince(begun).filter(({ operation }) => operation === 'item.add')).toHaveLength(1);
  });

  it('continues after a broken part', async () => {
    faults({ match: { operation: 'item.addPart' }, nth: 2, do: 'reset' });
    const stored = await carry();
    // It is sent again as long as the package comes, and else by the upload.
    const { parts = 0 } = stored.carried ?? {};
    expect(parts).toBeGreaterThan(0);
    expect(stored.carried).toMatchObject({ of: 4, differing: [] });
    expect(await upload(stored)).toBe(4 - parts);
  });

  describe('into a store that returns nothing of a partial file', () => {
    const { openPartial } = LocalStore.prototype;
    const hides: readonly string[] = ['pieces', 'readable'] satisfies (keyof PartialFile)[];
    beforeAll(() => {
      LocalStore.prototype.openPartial = async function (this: LocalStore, key) {
        const partial = await openPartial.call(this, key);
        await partial.restart();
        return new Proxy(partial, {
          get(of, name) {
            if (name === 'lasting') return false;
            const value: unknown = hides.includes(name as string) ? undefined : Reflect.get(of, name, of);
            return typeof value === 'function' ? (value.bind(of) as unknown) : value;
          },
        });
      };
    });
    afterAll(() => {
      LocalStore.prototype.openPartial = openPartial;
    });

    it.each([
      ['resumes', false],
      ['starts over', true],
    ])('is sent part by part from a source that breaks and %s', async (_title, noRange) => {
      Object.assign(at.target.world.settings, { noRange });
      faults({ match: { operation: 'item.data' }, nth: 1, do: { cut: 20 * MB } });
      const begun = at.target.requests().length;
      const stored = await carry();
      const { parts = 0 } = stored.carried ?? {};
      expect(parts).toBeGreaterThan(0);
      expect(await upload(stored)).toBe(4 - parts);
      expect(sentTo(begun)).toBe(4);
    });

    it('leaves parts to the upload that arrive faster than they are sent', async () => {
      faults({ match: { operation: 'item.addPart' }, do: 'hold' });
      const carried = carry();
      await until('a part is on its way', () => at.target.faults.holding === 1);
      await until('all has come', () => bytesOnTheWay() === size);
      at.target.faults.clear();
      const stored = await carried;
      expect(stored.carried).toMatchObject({ parts: 1, of: 4, differing: [] });
      expect(await upload(stored)).toBe(3);
    });
  });

  it('sends nothing when it exceeds its limit or fits one request', async () => {
    const begun = at.target.requests().length;
    await expect(at.call('relayPackage', asked(10 * MB))).rejects.toThrow('PACKAGE_TOO_LARGE');
    at.target.world.items.change(source, { size: MB });
    expect((await carry()).carried).toBeUndefined();
    expect(requestsSince(begun).filter(({ method }) => method === 'POST')).toEqual([]);
  });
});
