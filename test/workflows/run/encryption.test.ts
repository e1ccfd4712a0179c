import { randomBytes } from 'node:crypto';
import { readdir, readFile, rm, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { afterAll, afterEach, beforeAll, describe, expect, it, jest } from '@jest/globals';
import { unsealKey } from '../../../src/activities/transfer/jobs';
import { Control, openControl } from '../../../src/domain/control/control';
import { World } from '../../../src/simulator/world';
import { stringify } from 'yaml';
import type { Config } from '../../../src/config/config';
import { readEncryptionKeys } from '../../../src/config/temporal/encryption-keys';
import { loadConfig } from '../../../src/config/load-config';
import { defineSearchAttributeKey } from '@temporalio/common';
import { searchAttributeNames } from '../../../src/model/run/run-id';
import { openRuns } from '../../../src/service/run/lookup/indexed-runs';
import { applySchedules } from '../../../src/service/schedule/apply-schedules';
import { approveRun } from '../../../src/service/run/send-decision';
import { readRun } from '../../../src/service/run/read-run';
import { readRunEvents } from '../../../src/service/run/run-events';
import { requireAbleWorkers } from '../../../src/service/run/compatible-workers';
import { transportItems } from '../../../src/simulator/seed/transport';
import { connectTemporal, type TemporalClient } from '../../../src/temporal/connection';
import type { RunningWorker } from '../../../src/temporal/worker';
import { itLong } from '../../support/long';
import { type OwnServer, startOwnServer } from '../../support/own-server';
import { Site, type SiteOptions } from '../../support/site';
import { until } from '../../support/until';
import { startTestWorker } from '../../support/worker';

let server: OwnServer;
let site: Site;
let worker: RunningWorker | undefined;
const connected: TemporalClient[] = [];

/** A server with its database on disk; that of the other suites keeps it in memory. */
beforeAll(async () => {
  server = await startOwnServer(undefined, 'temporal.db');
});
afterAll(() => server.close());
afterEach(async () => {
  await worker?.stop();
  worker = undefined;
  await Promise.all(connected.splice(0).map(({ connection }) => connection.close()));
  await site.close();
});

/** `temporal.encryption.keys` with keys in files. The first key encrypts. */
async function keysOf(...ids: readonly string[]) {
  return await Promise.all(
    ids.map(async (id) => {
      const file = path.join(server.folder, `key-${id}`);
      await writeFile(file, randomBytes(32).toString('hex'), { flag: 'wx', mode: 0o600 }).catch(
        () => undefined,
      );
      return { id, key: { file } };
    }),
  );
}

/** The configuration of the site with another `temporal.encryption`. */
async function withEncryption(encryption: unknown): Promise<Config> {
  const { temporal, path: file } = site.config;
  const given = (await readFile(file, 'utf8')).replace(/^temporal:\n(?: .*\n)+/m, '');
  const { address, namespace, taskQueue } = temporal;
  const other = path.join(site.folder, `portolan-${randomBytes(4).toString('hex')}.yaml`);
  await writeFile(other, `${stringify({ temporal: { address, namespace, taskQueue, encryption } })}${given}`);
  return loadConfig(other);
}

async function connect(config: Config) {
  const keys = await readEncryptionKeys(config.temporal.encryption);
  const temporal = await connectTemporal({ address: server.address }, config.temporal.namespace, keys);
  connected.push(temporal);
  return temporal;
}

/** Replaces the worker by one with another configuration. */
async function restartWith(encryption: unknown): Promise<{ config: Config; temporal: TemporalClient }> {
  await site.stopWorker();
  await worker?.stop();
  const config = await withEncryption(encryption);
  worker = await startTestWorker(config, site.folder);
  return { config, temporal: await connect(config) };
}

const sourcesOf = (config: Config, temporal: TemporalClient) => ({
  config,
  temporal,
  store: site.store,
});

/** The texts that the database holds in plaintext. */
async function seenInDatabase(words: readonly string[]) {
  const files = (await readdir(server.folder)).filter((name) => name.startsWith('temporal.db'));
  const bytes = await Promise.all(files.map((name) => readFile(path.join(server.folder, name))));
  return words.filter((word) => bytes.some((each) => each.includes(word)));
}

/** Texts that nobody else should read, each from another place. */
const canaries = (mark: string) => ({
  who: `who-${mark}-5f1c`,
  approver: `approver-${mark}-5f1c`,
  reason: `reason-${mark}-5f1c`,
  words: `portal-words-${mark}-5f1c`,
  end: `end-${mark}-5f1c`,
  title: `title-${mark}-5f1c`,
});

/** In the stack trace of every failed activity. */
const STACK = 'HeartbeatInterceptor.execute';

/** Portals of which each fails once, the source for good, and an item with a title. */
async function open(
  said: ReturnType<typeof canaries>,
  more: Pick<SiteOptions, 'encryption' | 'listed'> = {},
) {
  const fails = (operation: string, code: number, message: string, nth: number | number[]) => ({
    match: { operation },
    nth,
    do: { error: { code, message } },
  });
  site = await Site.open({
    ...more,
    temporal: server.address,
    config: { schedules: { nightly: { kind: 'sync', route: 'transport', cron: '0 3 * * *' } } },
    source: { faults: { rules: [fails('group.export', 400, said.end, 2)] } },
    target: { faults: { rules: [fails('group.importPreview', 500, said.words, [1, 2])] } },
  });
  site.source.world.items.change(transportItems.image, { title: said.title });
}

/** Starts a sync that exports the item, even if unchanged. */
const started = (said: ReturnType<typeof canaries>) =>
  site.start(site.route({ full: true, items: [transportItems.image] }, { approval: 'required' }), {
    startedBy: said.who,
    reason: said.reason,
  });

describe('encrypted run', () => {
  it('leaves no plaintext in the database, and continues with the next key [P23]', async () => {
    const said = canaries('sealed');
    await open(said, { encryption: { keys: await keysOf('first') }, listed: true });
    const handle = await started(said);
    await site.waiting(handle);

    // The key is rotated while the run waits: its history is read with one key and continued with the other.
    const { config, temporal } = await restartWith({ keys: await keysOf('second', 'first') });
    const again = temporal.client.workflow.getHandle(handle.workflowId);
    await site.approve(again, { who: said.approver });
    const { record } = await site.ended(again);
    expect(record).toMatchObject({ status: 'succeeded', startedBy: said.who });
    // With the keys, failures are readable.
    const events = JSON.stringify(await readRunEvents(temporal, handle.workflowId));
    expect(events).toContain(said.words);
    expect(events).not.toContain('Encoded failure');
    const failed = await site.ended(await started(said));
    expect(failed.record.error?.message).toContain(said.end);
    expect(JSON.stringify(await readRunEvents(temporal, failed.runId))).toContain(said.end);

    expect(await seenInDatabase([...Object.values(said), STACK])).toEqual([]);
    // The texts to find a run by, and the IDs of keys, stay readable.
    const open_ = [handle.workflowId, 'Encoded failure', 'encryption-key-id', 'transport'];
    expect(await seenInDatabase(open_)).toEqual(open_);

    // Without a key, the error names it.
    const missing = { code: 'ENCRYPTION_KEY_MISSING', message: expect.stringContaining('key "first"') };
    for (const keys of [undefined, { keys: await keysOf('second') }]) {
      const blind = await withEncryption(keys);
      const client = await connect(blind);
      await expect(readRun(sourcesOf(blind, client), handle.workflowId)).rejects.toMatchObject(missing);
      await expect(readRunEvents(client, handle.workflowId)).rejects.toMatchObject(missing);
    }
    await rm(path.join(server.folder, 'key-other'), { force: true });
    const [other] = await keysOf('other');
    const false_ = await withEncryption({ keys: [{ ...other, id: 'first' }] });
    await expect(readRunEvents(await connect(false_), handle.workflowId)).rejects.toMatchObject({
      code: 'PAYLOAD_ALTERED',
    });
    // A start is refused before it is sent.
    await expect(
      requireAbleWorkers({ config: false_, temporal: await connect(false_) }, []),
    ).rejects.toMatchObject({ code: 'CONFIG_MISMATCH', message: expect.stringContaining('key "first"') });
    await requireAbleWorkers({ config, temporal }, []);

    // Runs that others encrypt with their own keys do not hide open runs, whose packages are needed.
    const theirs = await connect(await withEncryption({ keys: await keysOf('theirs') }));
    const kind = defineSearchAttributeKey(searchAttributeNames.kind, 'KEYWORD');
    const { workflowId: other_ } = await theirs.client.workflow.start('sync', {
      workflowId: 'sync-of-others',
      taskQueue: 'of-others',
      memo: { of: 'others' },
      typedSearchAttributes: [{ key: kind, value: 'sync' }],
    });
    await until(
      'the run of others in the index',
      () => openRuns(temporal),
      (open) => open.has(other_),
    );
  });

  itLong('may have begun in plaintext, and may end so [P23]', async () => {
    const said = canaries('plain');
    await open(said);
    const handle = await started(said);
    await site.waiting(handle);
    // The search does find plaintext.
    const before = [said.who, said.reason, said.words, STACK];
    await until(
      'the texts in the database',
      () => seenInDatabase(before),
      (seen) => seen.length === before.length,
    );

    const applied = async ({ config, temporal }: { config: Config; temporal: TemporalClient }) => {
      const { changes } = await applySchedules({ config, temporal }, {});
      return changes.map(({ change, fields }) => [change, ...fields]);
    };
    expect(await applied(site)).toEqual([['create']]);

    const keys = await keysOf('third');
    const sealed = await restartWith({ keys });
    // Starts of a schedule are encrypted once it is applied again.
    expect(await applied(sealed)).toEqual([['change', { field: 'encryption', from: 'none', to: 'third' }]]);
    expect(await applied(sealed)).toEqual([['unchanged']]);
    const approved = sealed.temporal.client.workflow.getHandle(handle.workflowId);
    const { plan } = await site.state(approved);
    const asker = { who: said.approver, identity: 'claimed' } as const;
    await approveRun({ ...sealed, asker }, handle.workflowId, {
      hash: plan?.hash ?? '',
      sha256: plan?.sha256,
    });
    expect((await site.ended(approved)).record.status).toBe('succeeded');
    expect(await seenInDatabase([said.approver])).toEqual([]);
    expect(JSON.stringify(await readRunEvents(sealed.temporal, handle.workflowId))).toContain(said.words);

    const open_ = await restartWith({ keys, write: false });
    const shown = await readRun(sourcesOf(open_.config, open_.temporal), handle.workflowId);
    expect(shown.record.status).toBe('succeeded');
    const failed = await site.ended(await started(said));
    expect(failed.record.error?.message).toContain(said.end);
    expect(await seenInDatabase([said.end])).toEqual([said.end]);
  });

  itLong('names the key that its worker lacks, and continues once the worker has it', async () => {
    const said = canaries('lacking');
    await open(said, { encryption: { keys: await keysOf('fourth') }, listed: true });
    const handle = await started(said);
    await site.waiting(handle);
    await restartWith({ keys: await keysOf('fifth') });
    await handle.signal('nothing that it knows');
    const config = await withEncryption({ keys: await keysOf('fifth', 'fourth') });
    const temporal = await connect(config);
    const shown = await until(
      'a task that fails',
      () => readRun(sourcesOf(config, temporal), handle.workflowId),
      ({ failing }) => failing !== undefined,
    );
    expect(shown.failing?.message).toContain('encrypted with key "fourth"');
    expect(shown.notes.join()).toContain('fourth');

    await restartWith({ keys: await keysOf('fifth', 'fourth') });
    const again = temporal.client.workflow.getHandle(handle.workflowId);
    await site.waiting(again);
    await site.approve(again);
    expect((await site.ended(again)).record.status).toBe('succeeded');
  });
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

async function filesUnder(where: string) {
  const entries = await readdir(where, { withFileTypes: true, recursive: true });
  return entries.filter((entry) => entry.isFile()).map((entry) => path.join(entry.parentPath, entry.name));
}

const { csv } = transportItems;

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
    const { record, handle } = await site.sync(site.route({ overwrite: true, items: [csv] }), {
      startedBy: canary,
    });
    expect(record.status).toBe('succeeded');
    const secrets = new Map([['password', password]]);
    hashed.mock.calls.forEach(([text], index) => {
      if (/^[0-9a-f]{32}$/.test(text)) secrets.set(`job key ${text}`, text);
      else if (text.startsWith('eyJ'))
        secrets.set(`token ${text}`, `${text}.${hashed.mock.results[index]?.value as string}`);
    });
    const count = (kind: string) => [...secrets.keys()].filter((name) => name.startsWith(kind)).length;
    expect(count('token')).toBeGreaterThanOrEqual(2);
    expect(count('job key')).toBe(3);

    const history = JSON.stringify(await handle.fetchHistory());
    const files = [
      ...(await filesUnder(path.join(site.folder, 'store'))),
      ...(await filesUnder(path.join(site.folder, 'logs'))),
      ...(await filesUnder(server.folder)),
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
