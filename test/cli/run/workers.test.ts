import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { stringify } from 'yaml';
import { loadConfig } from '../../../src/config/load-config';
import { runReloadingWorker } from '../../../src/reloading-worker';
import type { ConfiguredWorker } from '../../../src/worker';
import { createWorkerLog } from '../../../src/temporal/worker-log';
import { transportItems } from '../../../src/simulator/seed/transport';
import { expectEnd, inProcess } from '../../support/in-process';
import { Site } from '../../support/site';
import { workflowBundlePath } from '../../support/temporal';
import { until } from '../../support/until';
import { typedIn } from '../../support/typed-in';

let at: Site;
let worker: ConfiguredWorker;
const events: string[] = [];

interface File {
  readonly store: object;
  readonly portals: Record<string, Record<string, unknown>>;
  readonly routes: object;
}
const file = () => path.join(at.folder, 'portolan.yaml');
const commands = typedIn(() => at.folder);
const given = () => commands.given<File>();

/** A command by another file, which says something else than that of the worker. */
async function typedBy(other: object, line: string) {
  const elsewhere = path.join(at.folder, 'other.yaml');
  commands.configure(other, elsewhere);
  return await commands.run(`${line} --config ${elsewhere}`);
}

beforeAll(async () => {
  at = await Site.open({ worker: false });
  const logger = createWorkerLog({ destination: { write: () => undefined } });
  worker = await runReloadingWorker(at.config, {
    bundlePath: workflowBundlePath(),
    logger,
    onEvent: (event) => events.push(event),
  });
});
afterAll(async () => {
  await worker?.stop();
  await at.close();
});

describe('a start', () => {
  const nights = { schedules: { nightly: { kind: 'sync', route: 'transport', cron: '0 3 * * *' } } };
  const starts = [
    'sync transport --yes',
    'backup create transport',
    'schedule apply --yes',
    'doctor transport',
    'status',
  ];

  it('is refused if the worker uses another store', async () => {
    const store = { type: 'local', path: path.join(at.folder, 'another-store') };
    for (const line of starts) {
      const { status, stdout, stderr } = await typedBy({ ...nights, store }, line);
      expect([line, status, stdout + stderr]).toEqual([
        line,
        2,
        expect.stringMatching(
          /Worker \d+@\S+ uses store \S+, but this configuration uses \S+, .*another-store/s,
        ),
      ]);
    }
  });

  it('is refused if the worker has another portal of that name', async () => {
    const { portals } = given();
    const { production = {} } = portals;
    const url = 'http://localhost:9/portal/sharing/rest';
    await expectEnd(
      typedBy({ portals: { ...portals, production: { ...production, url } } }, 'sync transport --yes'),
      2,
      `Portal production is ${url} here, but ${at.target.url} on worker`,
    );
  });

  it('is accepted from a file with other limits', async () => {
    await expectEnd(typedBy({ limits: { itemBytes: '1 GB' } }, 'doctor transport'), 0);
  });
});

describe('a worker', () => {
  /** Writes the file, and waits until it was looked at. */
  const change = async (text: string, says: string, isSo: () => boolean = () => true) => {
    events.length = 0;
    writeFileSync(file(), text);
    process.emit('SIGHUP');
    await until(says, () => events.some((event) => event.includes(says)) && isSo());
  };

  it('reloads its file, and refuses starts that need an unreadable secret', async () => {
    const before = given();
    const auth = { ...(before.portals['production']?.['auth'] as object), password: { file: 'gone' } };
    const production = { ...before.portals['production'], auth };
    const next = { ...before, portals: { ...before.portals, production } };
    const lacked = () => worker.view?.portals.map(({ lacks: why }) => why) ?? [];
    await change(stringify(next), `${file()} was reloaded`, () => lacked()[1] !== undefined);
    const lacks = expect.stringContaining(`file gone cannot be read (ENOENT)`);
    expect(worker.view?.portals).toMatchObject([{ name: 'staging' }, { name: 'production', lacks }]);
    await expectEnd(
      typedBy(before, 'sync transport --yes'),
      2,
      /Worker \S+ cannot sign in to production: .*file gone/,
    );
    // On a busy machine the worker may not respond in time.
    const look = await until(
      'what the worker lacks',
      () => typedBy(before, 'status -o json'),
      (seen) => seen.status === 2,
    );
    expect(JSON.parse(look.stdout)).toMatchObject({ unable: { code: 'SECRET_UNREADABLE' } });

    await change(stringify(before), `${file()} was reloaded`, () => lacked()[1] === undefined);
    await expectEnd(typedBy(before, `sync transport --yes --plan-only --items ${transportItems.pdf}`), 0);
  });

  it('keeps its configuration if a reload is refused', async () => {
    const before = given();
    const still = 'was not reloaded; the worker keeps its current configuration';
    await change('portals: [', still);
    expect(events.at(-1)).toContain('is not valid YAML');
    const temporal = { ...(before as { temporal?: object }).temporal, taskQueue: 'another' };
    await change(stringify({ ...before, temporal }), 'temporal changed; stop the worker and start it again');
    writeFileSync(file(), stringify(before));
    expect(loadConfig(file()).routes.size).toBe(1);
    await expectEnd(inProcess(['doctor', '--config', file()]), 0);
  });

  it('names its version and configuration in its identity', () => {
    expect(worker.identity).toMatch(/^\d+@\S+ portolan\/\S+\/[0-9a-f]{12}\/[0-9a-f]{12}\/0\/[0-9a-z]+$/);
  });

  it('is not taken for able if it does not respond', async () => {
    await worker.stop();
    const elsewhere = { limits: { itemBytes: '1 GB' }, routes: {} };
    const look = await typedBy(elsewhere, 'status -o json');
    expect(JSON.parse(look.stdout)).toMatchObject({
      notes: [expect.stringMatching(/^workers: .* did not respond in time$/)],
    });
  });
});
