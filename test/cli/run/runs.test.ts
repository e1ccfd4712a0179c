import { afterAll, beforeAll, beforeEach, describe, expect, it, jest } from '@jest/globals';
import type * as Prompts from '../../../src/cli/terminal/prompts';
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { parse, stringify } from 'yaml';
import { emptyGroupId, manyGroupId } from '../../../src/simulator/seed/seeds';
import type { Simulator } from '../../../src/simulator/simulator';
import { removeUp, writeUp } from '../../../src/temporal/dev-server/up-file';
import { Site } from '../../support/site';
import { until } from '../../support/until';
import { expectEnd } from '../../support/in-process';
import { typedIn } from '../../support/typed-in';

/** What somebody at a terminal answers, one after the other; nobody is there once all is said. */
const mockAnswers: string[] = [];
const mockAnswer = (): Promise<string | undefined> => Promise.resolve(mockAnswers.shift());
jest.mock('../../../src/cli/terminal/prompts', () => ({
  ...jest.requireActual<typeof Prompts>('../../../src/cli/terminal/prompts'),
  canAsk: () => mockAnswers.length > 0,
  choice: mockAnswer,
  line: mockAnswer,
}));

const items = 3;
/** Where every run needs an approval, since a route says so. */
const strictGroupId = 'e0000000000000000000000000000009';
let site: Site;
let source: Simulator;
let target: Simulator;

const { run, json, recordOf, expectRun } = typedIn(() => site.folder);
const inFolder = (name: string) => path.join(site.folder, name);
const written = () => readFileSync(inFolder('portolan.yaml'), 'utf8');

beforeAll(async () => {
  const from = { portal: 'staging', group: manyGroupId };
  const into = { portal: 'production', group: emptyGroupId };
  site = await Site.open({
    listed: true,
    source: { seed: 'many', seedItems: items },
    target: { seed: 'empty' },
    config: {
      routes: {
        asks: { source: from, target: into },
        free: { source: from, target: into, approval: 'none' },
        strict: { source: from, target: { ...into, group: strictGroupId }, approval: 'required' },
      },
    },
  });
  ({ source, target } = site);
  const { groups } = target.world;
  groups.put(strictGroupId, { ...groups.get(emptyGroupId)!, id: strictGroupId });
});
afterAll(() => site.close());
beforeEach(() => {
  for (const { id } of [...target.world.items.values()]) target.world.items.remove(id);
  target.faults.clear();
  target.clearRequests();
});

describe('a sync', () => {
  it('is announced by diffs and plans until the target has everything', async () => {
    const compared = await expectRun('diff free -o json', 20);
    expect(JSON.parse(compared.stdout)).toMatchObject({ counts: { create: items, keep: 0, extra: 0 } });

    await expectRun(
      'sync free --plan-only --exit-code',
      20,
      'The plan needs a temporary package on each portal. Both are removed afterwards.',
      /^PLAN [\w-]+ for production "Empty"\ncreate {2}3 {2}new on production\n/,
      'Target: unchanged. Exit status 20.',
    );

    const done = await expectRun(
      'sync free',
      0,
      /\nSUCCEEDED in [\d.]+s\. 3 imported\. Target: changed\. Exit status 0\.\n\ndetails {2}portolan run show [a-z0-9]{4}\n$/,
      /^free staging \(e000\.\.03\) -> production \(e000\.\.01\)\n/,
    );
    for (const phase of ['guard', 'export', 'download', 'upload', 'preview', 'import', 'verify', 'cleanup'])
      expect(done.stderr.match(new RegExp(`^ok {2}${phase} `, 'gm'))).toHaveLength(1);

    await expectRun('sync free --plan-only --exit-code', 0);
    const [arrived] = [...target.world.items.values()].filter(({ groups }) => groups.includes(emptyGroupId));
    await expectRun(
      'diff free',
      0,
      '3 same. Target: unchanged. Exit status 0.\nnext     portolan sync free\n',
    );

    // What the route keeps is no change, and what overwriting would do is said.
    source.world.items.change(arrived!.id, { modified: Date.now() });
    await expectRun(
      'diff free',
      0,
      '2 same, 1 kept. Target: unchanged. Exit status 0.\nkept     1 differ; with overwrite: true a sync would overwrite 1\nnext     portolan sync free\n',
    );
  });

  it('takes the decision of a watching person', async () => {
    const { runId } = await recordOf('sync strict');
    mockAnswers.push('list', 'later');
    await expectRun(
      `run watch ${runId}`,
      130,
      /^create {2}Count 1 +CSV .* c0+1/m,
      'Stopped watching; the run continues.',
    );
    mockAnswers.push('reject', 'not before the weekend');
    await expectRun(`run watch ${runId}`, 5);
    const { actions } = await recordOf(`run show ${runId}`);
    expect(actions.at(-1)).toMatchObject({ what: 'reject', reason: 'not before the weekend' });
  });

  it('is resumed by a watching person, and its page is opened', async () => {
    site.refuseImports({ times: 1 });
    const { runId } = await recordOf('sync free');
    mockAnswers.push('resume');
    await expectRun(`run watch ${runId}`, 0, /^why {6}PERMISSION_DENIED/m);

    const opened = inFolder('opened');
    const browser = inFolder('browser');
    writeFileSync(browser, `#!/bin/sh\necho "$1" > '${opened}'\n`, { mode: 0o755 });
    process.env.BROWSER = browser;
    await expectRun(`run show ${runId} --ui`, 2, "Start 'portolan up' here, with --ui for Temporal's Web UI");
    const { state } = site.config.temporal;
    mkdirSync(state, { recursive: true });
    await writeUp(state, { ui: 'http://127.88.3.9:23111' });
    await expectRun(`run show ${runId} --open`, 0);
    delete process.env.BROWSER;
    await removeUp(state);
    const page = () => Promise.resolve(existsSync(opened) ? readFileSync(opened, 'utf8') : '');
    // The page that tells, and not the events.
    expect(await until('the page is opened', page, (text) => text.endsWith('\n'))).toMatch(
      new RegExp(`^http://127.88.3.9:23111/.*/workflows/${runId}/[0-9a-f-]{36}/user-metadata\n$`),
    );
  });

  it('continues after a timeout and after Ctrl-C', async () => {
    // It neither ends before the wait for it is over, nor before the key is pressed.
    source.settings.jobPolls = Number.MAX_SAFE_INTEGER;
    const late = await expectRun('sync free --timeout 500ms', 124, 'Timed out; the run continues. Target: ');
    const [, runId = ''] = /^run +(\S+)$/m.exec(late.stderr) ?? [];
    const listeners = process.listenerCount('SIGINT');
    const watching = run(`run watch ${runId}`);
    await until('the watch to hear of keys', () => process.listenerCount('SIGINT') > listeners);
    process.emit('SIGINT');
    await expectEnd(watching, 130, 'Stopped watching; the run continues.');
    source.settings.jobPolls = 0;
    // A line for each phase, and then its record.
    const { status, stdout, stderr } = await run(`run watch ${runId} -o ndjson`);
    const events = stdout
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line) as Record<string, unknown>);
    expect(events.slice(0, -1).every(({ event }) => event === 'phase')).toBe(true);
    expect(events.at(-1)).toMatchObject({ status: 'succeeded', kind: 'sync' });
    expect([status, stderr]).toEqual([0, expect.not.stringContaining('\u001b')]);
  });

  it('is refused at once if no worker takes its work', async () => {
    const config = inFolder('idle.yaml');
    const { taskQueue, namespace } = site.config.temporal;
    writeFileSync(config, written().replace(taskQueue, 'nobody'));
    expect(await run(`sync free --config ${config}`)).toMatchObject({
      status: 11,
      stdout: '',
      stderr: `error NO_WORKER  No worker accepts work from task queue "nobody" in namespace "${namespace}".\n  Start the worker service. If everything is on one machine: portolan up --config ${config}; otherwise: portolan worker --config ${config}\n`,
    });
  });
});

it('clean removes the packages of a run that Temporal ended, and only with --yes', async () => {
  const waiting = await recordOf('sync asks');
  expect(await json('clean production')).toMatchObject([
    { runId: waiting.runId, state: 'in use', removed: false },
  ]);

  await site.temporal.client.workflow.getHandle(waiting.runId).terminate('test');
  await expectRun(
    `run show ${waiting.runId}`,
    0,
    /^FAILED /,
    'Temporal ended this run (terminated) before it could record its end',
  );

  // The index of Temporal knows a moment later that it is over.
  await expectEnd(
    until(
      'a package that is left over',
      () => run('clean production'),
      ({ stdout }) => !stdout.includes('in use'),
    ),
    0,
    new RegExp(`${waiting.runId} +left over\\n`),
    'No packages removed. To remove 1: portolan clean production --yes',
  );
  expect(await json('clean production --yes')).toMatchObject([{ state: 'left over', removed: true }]);
  await expectRun('clean staging --yes', 0);
});

it('doctor runs every guard of a route, and writes nothing', async () => {
  const open = inFolder('open.yaml');
  const hook = 'https://chat.example.com/hooks/T0K3N';
  const more = stringify({ limits: { packageBytes: 128 }, notify: [{ webhook: hook }] });
  writeFileSync(open, `${written()}${more}`, { mode: 0o644 });
  const { stdout } = await expectRun(
    `doctor free --config ${open}`,
    0,
    /^ \? {2}configuration .* can read it \(mode 0644\)$/m,
    /^ok {2}package size +about 192 bytes in 2 packages$/m,
  );
  for (const name of ['sign-in to staging', 'version order', 'store', 'control key', 'temporal', 'worker'])
    expect(stdout).toMatch(new RegExp(`^ok {2}${name} `, 'm'));
  expect(stdout).not.toContain('T0K3N');
  const posted = target.requests().filter(({ method }) => method === 'POST');
  expect(posted.every(({ path: where }) => where.endsWith('generateToken'))).toBe(true);
});

describe('portals that cannot be read', () => {
  const other = () => inFolder('other.yaml');
  beforeAll(() => {
    const given = parse(written()) as { portals: Record<string, object> };
    writeFileSync(inFolder('wrong'), 'wrong-pw\n');
    const { production } = given.portals;
    const auth = { type: 'password', username: 'owner', password: { file: 'wrong' } };
    const locked = { url: target.url.replace('127.0.0.1', 'localhost'), auth };
    const app = {
      url: 'http://127.0.0.1:1/portal/sharing/rest',
      auth: { type: 'clientCredentials', clientId: 'a', clientSecret: { file: 'wrong' } },
    };
    writeFileSync(other(), stringify({ ...given, portals: { production, locked, app }, routes: {} }));
  });

  it('are not called clean', async () => {
    const cleaned = await run(`clean --config ${other()}`);
    expect(cleaned.stdout).toBe('production  none\nlocked      not read\napp         not read\n');
    expect(cleaned.stderr).toContain('CREDENTIALS_REFUSED');
    expect(cleaned.status).toBe(1);
  });

  it('are each examined by doctor, which says what is wrong', async () => {
    await expectRun(
      `doctor --config ${other()}`,
      12,
      /^ok {2}sign-in to production +owner, org_publisher, at http/m,
      /^!! {2}sign-in to locked .*\[CREDENTIALS_REFUSED\]$/m,
      /^!! {2}sign-in to app .*\[CONNECTION_REFUSED\]$/m,
      'Target: unchanged. Exit status 12.',
    );
  });
});
