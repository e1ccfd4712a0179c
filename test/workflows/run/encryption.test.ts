import { randomBytes } from 'node:crypto';
import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import type { WorkflowHandle } from '@temporalio/client';
import { stringify } from 'yaml';
import type { Config } from '../../../src/config/config';
import { readEncryptionKeys } from '../../../src/config/temporal/encryption-keys';
import { loadConfig } from '../../../src/config/load-config';
import { defineSearchAttributeKey } from '@temporalio/common';
import { searchAttributeNames } from '../../../src/model/run/run-id';
import { openRuns } from '../../../src/service/run/lookup/indexed-runs';
import { startRun } from '../../../src/service/run/start-run';
import { resolveBackup } from '../../../src/config/resolve-route';
import type { BackupInput } from '../../../src/model/run/run-input';
import { applySchedules } from '../../../src/service/schedule/apply-schedules';
import { approveRun } from '../../../src/service/run/send-decision';
import { readRun } from '../../../src/service/run/read-run';
import { readRunEvents } from '../../../src/service/run/run-events';
import { requireAbleWorkers } from '../../../src/service/run/compatible-workers';
import { transportItems } from '../../../src/simulator/seed/transport';
import { connectTemporal, type TemporalClient } from '../../../src/temporal/connection';
import type { TemporalServer } from '../../../src/temporal/dev-server/temporal-server';
import type { RunningWorker } from '../../../src/temporal/worker';
import { itLong } from '../../support/long';
import { Rehearsal, type RehearsalOptions } from '../../support/rehearsal';
import { startTemporalOnDisk } from '../../support/temporal-on-disk';
import { until } from '../../support/until';
import { startTestWorker } from '../../support/worker';

let folder: string;
let server: TemporalServer;
let rehearsal: Rehearsal;
let worker: RunningWorker | undefined;
const connected: TemporalClient[] = [];

/** The server of all suites keeps nothing on disk, where this one looks. */
beforeAll(async () => {
  folder = await mkdtemp(path.join(os.tmpdir(), 'portolan-encryption-'));
  server = await startTemporalOnDisk(folder);
});
afterAll(async () => {
  await server.stop();
  await rm(folder, { recursive: true, force: true });
});
afterEach(async () => {
  await worker?.stop();
  worker = undefined;
  await Promise.all(connected.splice(0).map(({ connection }) => connection.close()));
  await rehearsal.close();
});

/** Keys in files, as portolan.yaml names them, the first one encrypts. */
async function keysOf(...ids: readonly string[]): Promise<{ id: string; key: { file: string } }[]> {
  return await Promise.all(
    ids.map(async (id) => {
      const file = path.join(folder, `key-${id}`);
      await writeFile(file, randomBytes(32).toString('hex'), { flag: 'wx', mode: 0o600 }).catch(
        () => undefined,
      );
      return { id, key: { file } };
    }),
  );
}

/** The configuration of the rehearsal with another `temporal.encryption`. */
async function withEncryption(encryption: unknown): Promise<Config> {
  const { temporal, path: file } = rehearsal.config;
  const given = (await readFile(file, 'utf8')).replace(/^temporal:\n(?: .*\n)+/m, '');
  const { address, namespace, taskQueue } = temporal;
  const other = path.join(rehearsal.folder, `portolan-${randomBytes(4).toString('hex')}.yaml`);
  await writeFile(other, `${stringify({ temporal: { address, namespace, taskQueue, encryption } })}${given}`);
  return loadConfig(other);
}

async function connect(config: Config): Promise<TemporalClient> {
  const keys = await readEncryptionKeys(config.temporal.encryption);
  const temporal = await connectTemporal({ address: server.address }, config.temporal.namespace, keys);
  connected.push(temporal);
  return temporal;
}

/** Ends the worker, and starts one by another configuration; runs are asked by it from then on. */
async function restartWith(encryption: unknown): Promise<{ config: Config; temporal: TemporalClient }> {
  await rehearsal.stopWorker();
  await worker?.stop();
  const config = await withEncryption(encryption);
  worker = await startTestWorker(config, rehearsal.folder);
  return { config, temporal: await connect(config) };
}

const sourcesOf = (config: Config, temporal: TemporalClient) => ({
  config,
  temporal,
  store: rehearsal.store,
});

/** Where in the database one of the words is to be read, as it stands there. */
async function seenInDatabase(words: readonly string[]): Promise<string[]> {
  const files = (await readdir(folder)).filter((name) => name.startsWith('temporal.db'));
  const bytes = await Promise.all(files.map((name) => readFile(path.join(folder, name))));
  return words.filter((word) => bytes.some((each) => each.includes(word)));
}

/** Words that somebody could wish nobody else to read, each in another place. */
const canaries = (mark: string) => ({
  who: `who-${mark}-5f1c`,
  approver: `approver-${mark}-5f1c`,
  reason: `reason-${mark}-5f1c`,
  words: `portal-words-${mark}-5f1c`,
  end: `end-${mark}-5f1c`,
  title: `title-${mark}-5f1c`,
});

/** What each stack trace of a failed activity names. */
const STACK = 'HeartbeatInterceptor.execute';

/** A portal that once cannot, and once will not; and an item with a title. */
async function open(
  said: ReturnType<typeof canaries>,
  more: Pick<RehearsalOptions, 'encryption' | 'listed'> = {},
): Promise<void> {
  const fails = (operation: string, code: number, message: string, nth: number) => ({
    match: { operation },
    nth,
    do: { error: { code, message } },
  });
  rehearsal = await Rehearsal.open({
    ...more,
    temporal: server.address,
    config: { schedules: { nightly: { kind: 'sync', route: 'transport', cron: '0 3 * * *' } } },
    source: { faults: { rules: [fails('group.export', 400, said.end, 2)] } },
    target: { faults: { rules: [fails('group.importPreview', 500, said.words, 1)] } },
  });
  const item = rehearsal.source.world.items.get(transportItems.image);
  if (!item) throw new Error('the seed has no image');
  rehearsal.source.world.items.put(item.id, { ...item, title: said.title });
}

/** Everything is exported, also where nothing has changed. */
const started = (said: ReturnType<typeof canaries>): Promise<WorkflowHandle> =>
  rehearsal.start(rehearsal.route({ full: true }, { approval: 'required' }), {
    startedBy: said.who,
    reason: said.reason,
  });

describe('what Temporal holds', () => {
  it('can be read nowhere in its database with temporal.encryption, of failures neither, and goes on with the next key [P23]', async () => {
    const said = canaries('sealed');
    await open(said, { encryption: { keys: await keysOf('first') }, listed: true });
    const handle = await started(said);
    await rehearsal.waiting(handle);

    // The key is exchanged while the run waits: its history is read with the one, and goes on with the other.
    const { config, temporal } = await restartWith({ keys: await keysOf('second', 'first') });
    const again = temporal.client.workflow.getHandle(handle.workflowId);
    await rehearsal.approve(again, { who: said.approver });
    const { record } = await rehearsal.ended(again);
    expect(record).toMatchObject({ status: 'succeeded', startedBy: said.who });
    // What failed on the way is told in its own words to whoever has the keys.
    const events = JSON.stringify(await readRunEvents(temporal, handle.workflowId));
    expect(events).toContain(said.words);
    expect(events).not.toContain('Encoded failure');
    const failed = await rehearsal.ended(await started(said));
    expect(failed.record.error?.message).toContain(said.end);
    expect(JSON.stringify(await readRunEvents(temporal, failed.runId))).toContain(said.end);

    expect(await seenInDatabase([...Object.values(said), STACK])).toEqual([]);
    // What it can be found by stays readable, and so is what is encrypted with which key.
    const open_ = [handle.workflowId, 'Encoded failure', 'encryption-key-id', 'transport'];
    expect(await seenInDatabase(open_)).toEqual(open_);

    // Whoever lacks a key is told which one, and nothing else.
    const missing = { code: 'ENCRYPTION_KEY_MISSING', message: expect.stringContaining('key "first"') };
    for (const keys of [undefined, { keys: await keysOf('second') }]) {
      const blind = await withEncryption(keys);
      const client = await connect(blind);
      await expect(readRun(sourcesOf(blind, client), handle.workflowId)).rejects.toMatchObject(missing);
      await expect(readRunEvents(client, handle.workflowId)).rejects.toMatchObject(missing);
    }
    await rm(path.join(folder, 'key-other'), { force: true });
    const [other] = await keysOf('other');
    const false_ = await withEncryption({ keys: [{ ...other, id: 'first' }] });
    await expect(readRunEvents(await connect(false_), handle.workflowId)).rejects.toMatchObject({
      code: 'PAYLOAD_ALTERED',
    });
    // Before anything is started, too.
    await expect(
      requireAbleWorkers({ config: false_, temporal: await connect(false_) }, []),
    ).rejects.toMatchObject({ code: 'CONFIG_MISMATCH', message: expect.stringContaining('key "first"') });
    await requireAbleWorkers({ config, temporal }, []);

    // Whatever others in the namespace encrypt with keys of their own: what goes on is known, and what it needs is kept.
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
    const asking = { ...sourcesOf(config, temporal), asker: rehearsal.asker };
    const { runId } = await startRun<BackupInput>('backup', asking, {
      route: resolveBackup(config, 'transport'),
      yes: false,
      tags: [],
      keep: { last: 1 },
      scheduledBy: 'nightly',
    });
    const backup = await rehearsal.ended(temporal.client.workflow.getHandle(runId));
    const retention = backup.record.phases.find(({ name }) => name === 'retention');
    expect([backup.record.status, retention?.detail]).toEqual(['succeeded', '1 kept, 0 forgotten']);
  });

  it('of runs that began in clear goes on encrypted, and of runs that began encrypted in clear [P23]', async () => {
    const said = canaries('plain');
    await open(said);
    const handle = await started(said);
    await rehearsal.waiting(handle);
    // What is looked for is there to be found.
    const before = [said.who, said.reason, said.words, STACK];
    await until(
      'the words in the database',
      () => seenInDatabase(before),
      (seen) => seen.length === before.length,
    );

    const applied = async ({ config, temporal }: { config: Config; temporal: TemporalClient }) => {
      const { changes } = await applySchedules({ config, temporal }, {});
      return changes.map(({ change, fields }) => [change, ...fields]);
    };
    expect(await applied(rehearsal)).toEqual([['create']]);

    const keys = await keysOf('third');
    const sealed = await restartWith({ keys });
    // What a schedule starts is encrypted once it is applied again.
    expect(await applied(sealed)).toEqual([['change', { field: 'encryption', from: 'none', to: 'third' }]]);
    expect(await applied(sealed)).toEqual([['unchanged']]);
    const approved = sealed.temporal.client.workflow.getHandle(handle.workflowId);
    const { plan } = await rehearsal.state(approved);
    const asker = { who: said.approver, identity: 'claimed' } as const;
    await approveRun({ ...sealed, asker }, handle.workflowId, {
      hash: plan?.hash ?? '',
      sha256: plan?.sha256,
    });
    expect((await rehearsal.ended(approved)).record.status).toBe('succeeded');
    expect(await seenInDatabase([said.approver])).toEqual([]);
    expect(JSON.stringify(await readRunEvents(sealed.temporal, handle.workflowId))).toContain(said.words);

    const open_ = await restartWith({ keys, write: false });
    const shown = await readRun(sourcesOf(open_.config, open_.temporal), handle.workflowId);
    expect(shown.record.status).toBe('succeeded');
    const failed = await rehearsal.ended(await started(said));
    expect(failed.record.error?.message).toContain(said.end);
    expect(await seenInDatabase([said.end])).toEqual([said.end]);
  });

  itLong(
    'that a worker lacks the key of is left as it is, with the key by name, and goes on once the worker has it',
    async () => {
      const said = canaries('lacking');
      await open(said, { encryption: { keys: await keysOf('fourth') }, listed: true });
      const handle = await started(said);
      await rehearsal.waiting(handle);
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
      await rehearsal.waiting(again);
      await rehearsal.approve(again);
      expect((await rehearsal.ended(again)).record.status).toBe('succeeded');
    },
  );
});
