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
import type { Ended } from '../../support/child';
import { inProcess, said } from '../../support/in-process';
import { recordOf } from '../../support/json';

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

const run = (...args: string[]): Promise<Ended> => inProcess(args, { cwd: site.folder });
const inFolder = (name: string): string => path.join(site.folder, name);
const written = (): string => readFileSync(inFolder('portolan.yaml'), 'utf8');

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
    const compared = await run('diff', 'free', '-o', 'json');
    expect(compared.status).toBe(20);
    expect(JSON.parse(compared.stdout)).toMatchObject({ counts: { create: items, keep: 0, extra: 0 } });

    const planned = await run('sync', 'free', '--plan-only', '--exit-code');
    expect(planned).toMatchObject(
      said(20, 'The plan needs a temporary package on each portal. Both are removed afterwards.'),
    );
    expect(planned.stdout).toMatch(/^PLAN [\w-]+ for production "Empty"\ncreate {2}3 {2}new on production\n/);
    expect(planned.stdout).toContain('Target: unchanged. Exit status 20.');

    const done = await run('sync', 'free');
    expect(done.status).toBe(0);
    expect(done.stdout).toMatch(
      /\nSUCCEEDED in [\d.]+s\. 3 imported\. Target: changed\. Exit status 0\.\n\ndetails {2}portolan run show [a-z0-9]{4}\n$/,
    );
    expect(done.stderr).toMatch(/^free staging \(e000\.\.03\) -> production \(e000\.\.01\)\n/);
    for (const phase of ['guard', 'export', 'download', 'upload', 'preview', 'import', 'verify', 'cleanup'])
      expect(done.stderr.match(new RegExp(`^ok {2}${phase} `, 'gm'))).toHaveLength(1);

    expect((await run('sync', 'free', '--plan-only', '--exit-code')).status).toBe(0);
    const [arrived] = [...target.world.items.values()].filter(({ groups }) => groups.includes(emptyGroupId));
    expect(await run('diff', 'free')).toMatchObject(
      said(0, '3 same. Target: unchanged. Exit status 0.\nnext     portolan sync free\n'),
    );

    // What the route keeps is no change, and what overwriting would do is said.
    source.world.items.change(arrived!.id, { modified: Date.now() });
    expect(await run('diff', 'free')).toMatchObject(
      said(
        0,
        '2 same, 1 kept. Target: unchanged. Exit status 0.\nkept     1 differ; with overwrite: true a sync would overwrite 1\nnext     portolan sync free\n',
      ),
    );
  });

  it('takes the decision of a watching person', async () => {
    const { runId } = recordOf(await run('sync', 'strict', '-o', 'json'));
    mockAnswers.push('list', 'later');
    const left = await run('run', 'watch', runId);
    expect(left).toMatchObject({ status: 130 });
    expect(left.stderr).toMatch(/^create {2}Count 1 +CSV .* c0+1/m);
    expect(left.stderr).toContain('Stopped watching; the run continues.');
    mockAnswers.push('reject', 'not before the weekend');
    expect(await run('run', 'watch', runId)).toMatchObject({ status: 5 });
    const { actions } = recordOf(await run('run', 'show', runId, '-o', 'json'));
    expect(actions.at(-1)).toMatchObject({ what: 'reject', reason: 'not before the weekend' });
  });

  it('is resumed by a watching person, and its page is opened', async () => {
    target.faults.add({
      match: { operation: 'group.import', params: { previewOnly: 'false' } },
      times: 1,
      do: { error: { code: 403, message: 'You do not have permissions to perform this operation.' } },
    });
    const { runId } = recordOf(await run('sync', 'free', '-o', 'json'));
    mockAnswers.push('resume');
    const ended = await run('run', 'watch', runId);
    expect([ended.status === 0 ? '' : ended.stderr, ended.status]).toEqual(['', 0]);
    expect(ended.stderr).toMatch(/^why {6}PERMISSION_DENIED/m);

    const opened = inFolder('opened');
    const browser = inFolder('browser');
    writeFileSync(browser, `#!/bin/sh\necho "$1" > '${opened}'\n`, { mode: 0o755 });
    process.env.BROWSER = browser;
    const nowhere = await run('run', 'show', runId, '--ui');
    expect(nowhere).toMatchObject({ status: 2 });
    expect(nowhere.stderr).toContain("Start 'portolan up' here, with --ui for Temporal's Web UI");
    const { state } = site.config.temporal;
    mkdirSync(state, { recursive: true });
    await writeUp(state, { ui: 'http://127.88.3.9:23111' });
    expect(await run('run', 'show', runId, '--open')).toMatchObject({ status: 0 });
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
    const late = await run('sync', 'free', '--timeout', '500ms', '-o', 'json');
    expect(late).toMatchObject(said(124, 'Timed out; the run continues. Target: '));
    const { runId } = recordOf(late);
    const listeners = process.listenerCount('SIGINT');
    const watching = run('run', 'watch', runId);
    await until('the watch to hear of keys', () => process.listenerCount('SIGINT') > listeners);
    process.emit('SIGINT');
    expect(await watching).toMatchObject(said(130, 'Stopped watching; the run continues.'));
    source.settings.jobPolls = 0;
    // A line for each phase, and then its record.
    const { status, stdout, stderr } = await run('run', 'watch', runId, '-o', 'ndjson');
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
    expect(await run('sync', 'free', '--config', config)).toMatchObject({
      status: 11,
      stdout: '',
      stderr: `error NO_WORKER  No worker accepts work from task queue "nobody" in namespace "${namespace}".\n  Start the worker service. If everything is on one machine: portolan up --config ${config}; otherwise: portolan worker --config ${config}\n`,
    });
  });
});

describe('clean', () => {
  it('removes the packages of a run that Temporal ended, and only with --yes', async () => {
    const waiting = recordOf(await run('sync', 'asks', '-o', 'json'));
    const open = await run('clean', '-o', 'json', 'production');
    expect(JSON.parse(open.stdout)).toMatchObject([
      { runId: waiting.runId, state: 'in use', removed: false },
    ]);

    await site.temporal.client.workflow.getHandle(waiting.runId).terminate('test');
    const shown = await run('run', 'show', waiting.runId);
    expect(shown.stdout).toMatch(/^FAILED /);
    expect(shown.stdout).toContain('Temporal ended this run (terminated) before it could record its end');

    // The index of Temporal knows a moment later that it is over.
    const found = await until(
      'a package that is left over',
      () => run('clean', 'production'),
      ({ stdout }) => !stdout.includes('in use'),
    );
    expect(found.stdout).toMatch(new RegExp(`${waiting.runId} +left over\\n`));
    expect(found.stderr).toContain('No packages removed. To remove 1: portolan clean production --yes');
    const removed = await run('clean', 'production', '--yes', '-o', 'json');
    expect(JSON.parse(removed.stdout)).toMatchObject([{ state: 'left over', removed: true }]);
    expect((await run('clean', 'staging', '--yes')).status).toBe(0);
  });
});

describe('doctor', () => {
  it('runs every guard of a route, and writes nothing', async () => {
    const open = inFolder('open.yaml');
    const hook = 'https://chat.example.com/hooks/T0K3N';
    const more = stringify({ limits: { packageBytes: 128 }, notify: [{ webhook: hook }] });
    writeFileSync(open, `${written()}${more}`, { mode: 0o644 });
    const { status, stdout } = await run('doctor', 'free', '--config', open);
    expect(status).toBe(0);
    for (const name of ['sign-in to staging', 'version order', 'store', 'control key', 'temporal', 'worker'])
      expect(stdout).toMatch(new RegExp(`^ok {2}${name} `, 'm'));
    expect(stdout).toMatch(/^ \? {2}configuration .* can read it \(mode 0644\)$/m);
    expect(stdout).not.toContain('T0K3N');
    expect(stdout).toMatch(/^ok {2}package size +about 192 bytes in 2 packages$/m);
    const posted = target.requests().filter(({ method }) => method === 'POST');
    expect(posted.every(({ path: where }) => where.endsWith('generateToken'))).toBe(true);
  });
});

describe('portals that cannot be read', () => {
  const other = (): string => inFolder('other.yaml');
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
    const cleaned = await run('clean', '--config', other());
    expect(cleaned.stdout).toBe('production  none\nlocked      not read\napp         not read\n');
    expect(cleaned.stderr).toContain('CREDENTIALS_REFUSED');
    expect(cleaned.status).toBe(1);
  });

  it('are each examined by doctor, which says what is wrong', async () => {
    const ended = await run('doctor', '--config', other());
    expect(ended.status).toBe(12);
    expect(ended.stdout).toMatch(/^ok {2}sign-in to production +owner, org_publisher, at http/m);
    expect(ended.stdout).toMatch(/^!! {2}sign-in to locked .*\[CREDENTIALS_REFUSED\]$/m);
    expect(ended.stdout).toMatch(/^!! {2}sign-in to app .*\[CONNECTION_REFUSED\]$/m);
    expect(ended.stdout).toContain('Target: unchanged. Exit status 12.');
  });
});
