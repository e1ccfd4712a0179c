import { readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { beforeEach, describe, expect, it } from '@jest/globals';
import { portalIdentity } from '../../../src/model/identity';
import { freezeLog } from '../../../src/domain/event-log';
import { Policy } from '../../../src/domain/policy/policy';
import { keys } from '../../../src/store/keys';
import { openStore } from '../../../src/store/open-store';
import type { Store } from '../../../src/store/store';
import { aConfig, aPortal } from '../../support/config';
import { aFolder } from '../../support/folder';
import { inProcess } from '../../support/in-process';

let folder: string;
beforeEach(() => {
  folder = aFolder();
  aConfig(
    { portals: { production: aPortal('gis'), prod: aPortal('GIS'), staging: aPortal('staging') } },
    folder,
  );
});

const typed = async (...args: string[]) => {
  const { status, stdout, stderr } = await inProcess(args, { cwd: folder });
  expect([status, stderr]).toEqual([0, '']);
  return stdout;
};
const events = async (...args: string[]) =>
  (JSON.parse(await typed('freezes', ...args, '-o', 'json')) as { what: string; reason?: string }[]).map(
    ({ what, reason }) => [what, reason].join(': '),
  );

describe('the freeze history', () => {
  it('keeps who, when and why, and shows them for each name of the portal [P13]', async () => {
    expect(await typed('freezes')).toBe('No portal was ever frozen.\n');
    await typed('freeze', 'production', '--reason', 'an\u001b[31m upgrade');
    await typed('unfreeze', 'prod', '--reason', 'it is done');
    await typed('unfreeze', 'production');
    await typed('freeze', 'staging', '--reason', 'editors count');

    expect(await events()).toEqual([
      'frozen: editors count',
      'unfrozen: it is done',
      'frozen: an\u001b[31m upgrade',
    ]);
    expect(await events('prod')).toEqual(['unfrozen: it is done', 'frozen: an\u001b[31m upgrade']);
    expect(await events('production')).toEqual(await events('prod'));
    const table = await typed('freezes', 'production');
    expect(table).toMatch(/^PORTAL +WHAT +AT +BY +REASON$/m);
    expect(table).toMatch(/^prod +unfrozen +\d{4}-\d\d-\d\d \d\d:\d\dZ +\S+@\S+ +it is done$/m);
    expect(table).toMatch(/^production +frozen .* upgrade$/m);
    expect(table).not.toContain('\u001b');
  });

  it('applies to another spelling of the address [P13]', async () => {
    await typed('freeze', 'production', '--reason', 'an upgrade');
    const url = 'http://gis.example.com:80/Portal/sharing/rest/';
    aConfig({ portals: { production: aPortal('gis', { url, insecure: true }) } }, folder);

    expect(await events('production')).toEqual(['frozen: an upgrade']);
    expect(await typed('unfreeze', 'production')).toContain('an upgrade');
  });
});

it('the current freezes list a portal once, also if one of its names is an alias', async () => {
  const inner = aPortal('inner', { aliases: ['https://gis.example.com/portal'] });
  const config = aConfig({ portals: { inner, production: aPortal('gis') } }, folder);
  const policy = new Policy(config, openStore(config));
  const freeze = { portal: 'production', who: 'ann@desk', at: 1, reason: 'an upgrade' };
  await policy.freeze(freeze);
  expect(await policy.freezes()).toEqual([freeze]);
});

it('an altered freeze is removed with a warning', async () => {
  await typed('freeze', 'staging', '--reason', 'editors count');
  const key = keys.freeze(portalIdentity('https://staging.example.com/portal/sharing/rest') ?? '');
  const file = path.join(folder, 'var', 'store', key);
  writeFileSync(file, readFileSync(file, 'utf8').replace('editors count', 'none'));
  expect(await typed('unfreeze', 'staging')).toBe(
    'unfrozen staging; its freeze record had been altered, so who froze it is unknown\n',
  );
  expect(await typed('unfreeze', 'staging')).toBe('staging is not frozen\n');
});

/** As much of a store as notes need. */
function notes() {
  const kept = new Map<string, unknown>();
  const store: Pick<Store, 'list' | 'readJson' | 'remove' | 'writeJson'> = {
    async *list(prefix) {
      yield* [...kept.keys()].filter((key) => key.startsWith(prefix)).sort();
    },
    readJson: (key, schema) => Promise.resolve().then(() => schema.parse(kept.get(key))),
    remove: async (key) => void kept.delete(key),
    writeJson: async (key, value) => void kept.set(key, value),
  };
  return { store: store as Store, kept };
}

describe('the log of freezes', () => {
  const event = { what: 'frozen', portal: 'production', who: 'ann@desk', reason: 'an upgrade' } as const;

  it('keeps the newest 1,000 of each portal', async () => {
    const { store } = notes();
    const log = freezeLog(store, 'https://gis');
    await freezeLog(store, 'https://staging').note({ ...event, at: 1 });
    for (let at = 1; at <= 1_003; at += 1) await log.note({ ...event, at });
    const { events: seen } = await log.read();
    expect(seen.map(({ at }) => at)).toEqual(Array.from({ length: 1_000 }, (_, index) => 1_003 - index));
    expect((await freezeLog(store).read()).events).toHaveLength(1_001);
  });

  it('names what cannot be read beside what can', async () => {
    const { store, kept } = notes();
    const log = freezeLog(store, 'https://gis');
    await log.note({ ...event, at: 1 });
    kept.set('freezes/log/https%3A%2F%2Fgis/x.json', { what: 'thawed' });
    expect(await log.read()).toEqual({
      events: [{ ...event, at: 1 }],
      unreadable: ['freezes/log/https%3A%2F%2Fgis/x.json'],
    });
  });
});
