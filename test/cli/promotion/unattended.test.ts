import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { spawn } from 'node:child_process';
import type { Writable } from 'node:stream';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { parse, stringify } from 'yaml';
import { runRecord, type RunRecord } from '../../../src/model/run/run';
import { scheduleId } from '../../../src/model/run/run-id';
import { emptyGroupId, manyGroupId } from '../../../src/simulator/seed/seeds';
import { builtInUsers } from '../../../src/simulator/seed/users';
import type { Ended } from '../../support/child';
import { inProcess } from '../../support/in-process';
import { describeLong } from '../../support/long';
import { Rehearsal } from '../../support/rehearsal';
import { until } from '../../support/until';
import { jsonOf } from '../../support/json';

const project = path.join(__dirname, '..', '..', '..');

let rehearsal: Rehearsal;
const run = (...args: string[]): Promise<Ended> => inProcess(args, { cwd: rehearsal.folder });
async function recordOf(...args: string[]): Promise<RunRecord> {
  return runRecord.parse(jsonOf(await run(...args, '-o', 'json')));
}

/** What the check of staging is to end with. */
const smoke = (status: number): void =>
  writeFileSync(
    path.join(rehearsal.folder, 'smoke.sh'),
    `#!/bin/sh\necho "$PORTOLAN_STAGE: map of the roads"; echo "password=planted" >&2; exit ${status}\n`,
    { mode: 0o755 },
  );

beforeAll(async () => {
  rehearsal = await Rehearsal.open({
    listed: true,
    user: builtInUsers.admin,
    source: { seed: 'many', seedItems: 2 },
    target: { seed: 'empty' },
    third: { name: 'production', seed: 'empty' },
    names: { source: 'dev', target: 'staging' },
    config: {
      routes: {},
      pipelines: {
        transport: {
          groups: ['roads'],
          stages: {
            dev: { portal: 'dev', groups: { roads: manyGroupId } },
            staging: {
              portal: 'staging',
              groups: { roads: emptyGroupId },
              approval: 'none',
              checks: [{ command: './smoke.sh' }, { name: 'always', command: 'true' }],
            },
            production: { portal: 'production', groups: { roads: emptyGroupId } },
          },
        },
      },
    },
  });
});
afterAll(() => rehearsal.close());

describe('a stage with checks', () => {
  it('holds no verified release until all of them pass, and what they printed is in the record', async () => {
    await recordOf('release', 'create', 'transport');
    smoke(3);
    const parked = await recordOf('promote', 'transport', '--to', 'staging', '--yes');
    expect(parked).toMatchObject({
      status: 'parked',
      parked: {
        phase: 'checks',
        code: 'CHECK_FAILED',
        reason: '1 of 2 checks of staging failed: smoke.sh ended with exit status 3',
      },
      checks: [
        {
          name: 'smoke.sh',
          status: 'failed',
          tries: 1,
          problem: 'ended with exit status 3',
          output: { stdout: 'staging: map of the roads', stderr: 'password=***' },
        },
        { name: 'always', status: 'passed', output: {} },
      ],
    });
    const { stdout } = await run('run', 'show', parked.runId);
    expect(stdout).toMatch(/^smoke\.sh +failed .* ended with exit status 3$/m);
    expect(stdout).toMatch(/^\| staging: map of the roads$/m);
    const early = await run('promote', 'transport', '--to', 'production', '--release', 'latest', '--yes');
    expect({ status: early.status, said: early.stderr }).toEqual({
      status: 1,
      said: expect.stringContaining('which comes before production'),
    });
    smoke(0);
    await run('run', 'resume', parked.runId);
    const resumed = await recordOf('run', 'watch', parked.runId);
    expect(resumed).toMatchObject({
      status: 'succeeded',
      checks: [{ status: 'passed' }, { status: 'passed' }],
    });
    expect(resumed.phases.find(({ name }) => name === 'checks')?.detail).toBe('2 passed');
    const status = await run('promote', 'status', 'transport');
    expect(status.stdout).toMatch(/verified +ok +ok, 2 checks/);
  });
});

describe('a schedule that promotes', () => {
  const ended = (runId: string): Promise<RunRecord> =>
    until(
      `${runId} to end`,
      () => recordOf('run', 'show', runId),
      ({ finishedAt }) => finishedAt !== undefined,
    );
  const triggered = async (): Promise<RunRecord> => {
    const { stdout } = await run('schedule', 'trigger', 'to-staging', '-o', 'json');
    return await ended((JSON.parse(stdout) as { runId: string }).runId);
  };

  it('brings the latest release that may go, by a promotion of its own, and has nothing to do the next time', async () => {
    const file = path.join(rehearsal.folder, 'portolan.yaml');
    const given = parse(readFileSync(file, 'utf8')) as object;
    const weekly = { kind: 'promote', pipeline: 'transport', stage: 'staging', cron: '0 6 * * MON' };
    const schedules = { 'to-staging': { ...weekly, reason: 'each week', paused: true } };
    const other = { asks: { ...weekly, stage: 'production', paused: true } };
    writeFileSync(file, stringify({ ...given, schedules: other }));
    expect((await run('schedule', 'apply', '--dry-run')).stderr).toContain(
      'asks: pipelines.transport.stages.production has approval: ask, so each promotion waits for approval of its plan until the next one is due\n',
    );
    writeFileSync(file, stringify({ ...given, schedules }));
    expect((await run('schedule', 'apply', '--yes')).stdout).toContain('promote transport, due 0 6 * * MON');
    const { world } = rehearsal.source;
    const [item] = [...world.items.values()].filter(({ groups }) => groups.includes(manyGroupId));
    world.items.change(item?.id ?? '', { title: 'Roads, later', modified: world.now() });
    const { release } = await recordOf('release', 'create', 'transport');
    const due = await triggered();
    expect(due).toMatchObject({
      kind: 'promote',
      status: 'succeeded',
      target: 'changed',
      scheduledBy: 'to-staging',
      release: { id: release?.id },
    });
    const [{ runId = '' } = {}] = due.children ?? [];
    expect(runId).toBe(`${due.runId.replace('promote', 'promotion')}_001`);
    expect(await recordOf('run', 'show', runId)).toMatchObject({
      kind: 'promotion',
      status: 'succeeded',
      parent: due.runId,
      startedBy: 'schedule to-staging',
    });
    expect(rehearsal.target.world.items.get(item?.id ?? '')?.title).toBe('Roads, later');
    const again = await triggered();
    expect(again).toMatchObject({ status: 'nothing-to-do', target: 'untouched' });
    expect(again.phases[0]?.detail).toBe(
      `${release?.id} is the current release of staging, and dev has no later one`,
    );
    const listed = await run('schedule', 'list');
    expect(listed.stdout).toMatch(/^to-staging +promote +transport .* nothing-to-do\b/m);
    writeFileSync(file, stringify(given));
    await run('schedule', 'apply', '--yes');
  });

  it('is not kept from its next run by a promotion that waits for approval', async () => {
    const file = path.join(rehearsal.folder, 'portolan.yaml');
    const given = parse(readFileSync(file, 'utf8')) as object;
    const asks = { kind: 'promote', pipeline: 'transport', stage: 'production', cron: '0 6 * * MON' };
    writeFileSync(file, stringify({ ...given, schedules: { asks } }));
    await run('schedule', 'apply', '--yes');
    const { temporal, config } = rehearsal;
    const schedule = temporal.client.schedule.getHandle(scheduleId(config.temporal.taskQueue, 'asks'));
    await schedule.update((before) => ({ ...before, spec: { intervals: [{ every: 1_000 }] } }));
    const { info } = await until(
      'two starts',
      () => schedule.describe(),
      ({ info: { numActionsTaken } }) => numActionsTaken >= 2,
    );
    await run('schedule', 'pause', 'asks', '--reason', 'enough');
    const [first] = info.recentActions;
    const due = await ended(first?.action.workflow.workflowId ?? '');
    expect(await recordOf('run', 'show', due.children?.[0]?.runId ?? '')).toMatchObject({
      kind: 'promotion',
      status: 'failed',
      target: 'untouched',
      scheduledBy: 'asks',
      error: {
        code: 'SUPERSEDED',
        message: expect.stringMatching(/^nobody approved plan \S+ before the next run, due at /),
      },
    });
    writeFileSync(file, stringify(given));
    await run('schedule', 'apply', '--yes');
    const last = jsonOf<RunRecord[]>(await run('run', 'list', '--route', 'transport', '-o', 'json'));
    for (const { runId, kind } of last.filter((each) => each.finishedAt === undefined))
      if (kind === 'promote') await run('run', 'cancel', runId, '--reason', 'the test is over');
    for (const { runId } of last) await ended(runId);
  });
});

interface Step {
  readonly of: string;
  readonly line: string;
}

/** A file of `examples/ci`. */
const example = (name: string): string => readFileSync(path.join(project, 'examples', 'ci', name), 'utf8');

interface Actions {
  readonly jobs: Record<string, { readonly steps: readonly { readonly run?: string }[] }>;
}
const actions = (): Step[] =>
  Object.values((parse(example('github-actions.yml')) as Actions).jobs).flatMap(({ steps }) =>
    steps.flatMap(({ run: line }) => (line === undefined ? [] : [{ of: 'GitHub Actions', line }])),
  );

const gitlab = (): Step[] =>
  Object.values(parse(example('gitlab-ci.yml')) as Record<string, { script?: string[] }>).flatMap(
    ({ script = [] }) => script.map((line) => ({ of: 'GitLab CI', line })),
  );

const jenkins = (): Step[] =>
  [...example('Jenkinsfile').matchAll(/^ *sh '(.*)'$/gm)].map(([, line = '']) => ({ of: 'Jenkins', line }));

/** As cron reads them: five fields, and what stands behind these is given to the shell, with each `\%` as `%`. */
const cron = (): Step[] =>
  [...example('crontab').matchAll(/^(?:[\d*,/-]+ ){5}(.*)$/gm)].map(([, line = '']) => ({
    of: 'cron',
    line: line.replaceAll('\\%', '%'),
  }));

describeLong('a job that promotes', () => {
  const steps = [...actions(), ...gitlab(), ...jenkins(), ...cron()];
  /** One build, under the name that each of them has for it. */
  const build = 'build-17';
  const variables = {
    GITHUB_RUN_ID: build,
    CI_PIPELINE_ID: build,
    BUILD_TAG: build,
    GITHUB_SHA: 'f00d',
    CI_COMMIT_SHA: 'f00d',
    GIT_COMMIT: 'f00d',
  };

  const bin = (): string => path.join(rehearsal.folder, 'bin');
  /** Puts a program of that name on the PATH of a job's machine. */
  function install(name: string, script: string): void {
    mkdirSync(bin(), { recursive: true });
    writeFileSync(path.join(bin(), name), `#!/bin/sh\n${script}\n`, { mode: 0o755 });
  }

  /** A line as the job's machine runs it: nothing is there but what the job says, and `portolan` on the PATH. */
  async function inShell(line: string): Promise<{ status: number | null; said: string }> {
    const child = spawn('/bin/sh', ['-e', '-c', line], {
      cwd: rehearsal.folder,
      env: { ...variables, PATH: `${bin()}:/usr/bin:/bin`, HOME: rehearsal.folder, NO_COLOR: '1' },
      stdio: ['ignore', 'ignore', 'pipe', 'pipe', 'pipe'],
    });
    const [, , words, asks, answers] = child.stdio;
    let said = '';
    words?.on('data', (piece: Buffer) => (said += piece.toString()));
    let asked = '';
    asks?.on('data', (piece: Buffer) => {
      asked += piece.toString();
      if (!asked.endsWith('\0\0')) return;
      const args = asked.slice(0, -2).split('\0');
      asked = '';
      void run(...args).then(({ status, stderr }) => {
        said += stderr;
        (answers as Writable).write(`${status}\n`);
      });
    });
    const status = await new Promise<number | null>((resolve, reject) => {
      child.once('error', reject).once('close', resolve);
    });
    return { status, said };
  }

  it('has each of its steps in a line that names no value of its own machine', () => {
    expect(steps.map(({ of }) => of)).toEqual([
      ...Array<string>(4).fill('GitHub Actions'),
      ...Array<string>(4).fill('GitLab CI'),
      ...Array<string>(4).fill('Jenkins'),
      ...Array<string>(2).fill('cron'),
    ]);
    for (const { line } of steps) expect(line).toMatch(/^portolan (?:release create|promote) transport /);
    // What a job's machine puts into a line itself, before the shell reads it, whoever names a branch can write.
    for (const { line } of steps) expect(line).not.toContain('${{');
  });

  it.each(actions())(
    'is what a machine does that has no more than the job gives it: $line',
    async ({ line }) => {
      install(
        'portolan',
        `exec '${process.execPath}' '${path.join(project, 'dist', 'cli', 'main.js')}' "$@"`,
      );
      const { status, said } = await inShell(line);
      expect({ status, said: status === 0 ? '' : said }).toEqual({ status: 0, said: '' });
    },
  );

  // The words that the shell makes of a line are given to this process, which is a tenth of the work.
  it.each(steps)('is one build, whoever runs it, and how often: $of: $line', async ({ line }) => {
    install('portolan', `printf '%s\\0' "$@" '' >&3; read -r status <&4; exit "$status"`);
    const { status, said } = await inShell(line);
    expect({ status, said: status === 0 ? '' : said }).toEqual({ status: 0, said: '' });
  });

  it('has made one release and brought it to staging, and production waits for somebody', async () => {
    const { stdout } = await run('release', 'list', '-o', 'json');
    const { releases } = JSON.parse(stdout) as { releases: { id: string; reason?: string }[] };
    expect(releases.map(({ reason }) => reason)).toEqual(['each evening', 'f00d', undefined, undefined]);
    const waiting = await until(
      'one run in the list that waits',
      async () => {
        const runs = jsonOf<RunRecord[]>(await run('run', 'list', '--route', 'transport', '-o', 'json'));
        return runs.filter(({ status }) => status === 'waiting');
      },
      ({ length }) => length === 1,
    );
    const { runId, plan } = await recordOf('run', 'show', waiting[0]?.runId ?? '');
    await run('run', 'approve', runId, '--plan', plan?.hash ?? '');
    expect(await recordOf('run', 'watch', runId)).toMatchObject({ status: 'succeeded' });
    const { items } = rehearsal.third.world;
    expect([...items.values()].filter(({ groups }) => groups.includes(emptyGroupId))).toHaveLength(2);
  });
});
