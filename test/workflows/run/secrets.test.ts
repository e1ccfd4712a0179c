import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { afterAll, afterEach, beforeAll, describe, expect, it, jest } from '@jest/globals';
import { unsealKey } from '../../../src/activities/transfer/jobs';
import { Control, openControl } from '../../../src/domain/control/control';
import type { TemporalServer } from '../../../src/temporal/dev-server/temporal-server';
import { World } from '../../../src/simulator/world';
import { Site } from '../../support/site';
import { startTemporalOnDisk } from '../../support/temporal-on-disk';

let site: Site;
let folder: string;
let server: TemporalServer;

/** A server with its database on disk; that of the other suites keeps it in memory. */
beforeAll(async () => {
  folder = await mkdtemp(path.join(os.tmpdir(), 'portolan-secrets-'));
  server = await startTemporalOnDisk(folder);
});
afterAll(async () => {
  await server.stop();
  await rm(folder, { recursive: true, force: true });
});
afterEach(async () => {
  jest.restoreAllMocks();
  await site.close();
});

/** Encodings of a value: plain, in a URL, hexadecimal, and base64 at any offset. */
function disguises(value: string): Buffer[] {
  const base64 = ['', 'x', 'xx'].map((before) => {
    const text = Buffer.from(before + value).toString('base64');
    // Characters at both ends also encode bits of the neighbours.
    return text.slice(before.length === 0 ? 0 : 4, -4);
  });
  const forms = [value, encodeURIComponent(value), Buffer.from(value).toString('hex'), ...base64];
  return forms.map((form) => Buffer.from(form));
}

async function filesUnder(folder: string): Promise<string[]> {
  const entries = await readdir(folder, { withFileTypes: true, recursive: true });
  return entries.filter((entry) => entry.isFile()).map((entry) => path.join(entry.parentPath, entry.name));
}

describe('secret', () => {
  it('is in no payload, log, record, file or database [P15]', async () => {
    const password = 'Correct-Horse_Battery+Staple/7391';
    site = await Site.open({
      user: { username: 'owner', password },
      source: { passwords: { owner: password } },
      target: { passwords: { owner: password } },
      logLevel: 'trace',
      temporal: server.address,
    });
    const canary = 'canary-that-must-be-found-5f1c';
    // A simulated portal hashes every token and job key that it issues.
    const hashed = jest.spyOn(World.prototype, 'hash');
    const { record, handle } = await site.sync(site.route({ overwrite: true }), {
      startedBy: canary,
    });
    expect(record.status).toBe('succeeded');
    const secrets = new Map([['password', password]]);
    hashed.mock.calls.forEach(([text], index) => {
      if (/^[0-9a-f]{32}$/.test(text)) secrets.set(`job key ${text}`, text);
      else if (text.startsWith('eyJ'))
        secrets.set(`token ${text}`, `${text}.${hashed.mock.results[index]?.value as string}`);
    });
    const count = (kind: string): number =>
      [...secrets.keys()].filter((name) => name.startsWith(kind)).length;
    expect(count('token')).toBeGreaterThanOrEqual(2);
    expect(count('job key')).toBe(3);

    const history = JSON.stringify(await handle.fetchHistory());
    const files = [
      ...(await filesUnder(path.join(site.folder, 'store'))),
      ...(await filesUnder(path.join(site.folder, 'logs'))),
      ...(await filesUnder(folder)),
    ];
    const places: [string, Buffer][] = [['history', Buffer.from(history)]];
    // The journal of the database comes and goes.
    for (const file of files) places.push([file, await readFile(file).catch(() => Buffer.alloc(0))]);
    expect(places.length).toBeGreaterThan(4);
    // The search does find what is there.
    const seenIn = places
      .filter(([, bytes]) => disguises(canary).some((form) => bytes.includes(form)))
      .map(([place]) => path.basename(place));
    expect(seenIn).toEqual(
      expect.arrayContaining(['history', 'record.json', expect.stringMatching(/^temporal\.db/)]),
    );
    const leaks = places.flatMap(([place, bytes]) =>
      [...secrets].flatMap(([name, value]) =>
        disguises(value).some((form) => bytes.includes(form)) ? [`${name} in ${place}`] : [],
      ),
    );
    expect(leaks).toEqual([]);

    // Job keys are sealed with the control key, not with a portal's password.
    const sealed = [...history.matchAll(/"data":"([^"]+)"/g)]
      .flatMap(([, data = '']) => [
        ...Buffer.from(data, 'base64')
          .toString()
          .matchAll(/"sealedKey":"([^"]+)"/g),
      ])
      .map(([, key = '']) => key);
    expect(new Set(sealed).size).toBe(3);
    const control = await openControl(site.config);
    for (const each of new Set(sealed)) {
      expect(secrets.has(`job key ${unsealKey(control, handle.workflowId, each)}`)).toBe(true);
      expect(() => unsealKey(new Control(Buffer.from(password)), handle.workflowId, each)).toThrow(
        'the key of the job cannot be read with the current control key',
      );
    }
  });
});
