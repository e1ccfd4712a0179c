import { readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { z } from 'zod';
import { buildOf } from '../../../src/temporal/deployment';
import { buildIdOf, builtBundlePath } from '../../../src/temporal/workflow-bundle';
import type { RunningWorker } from '../../../src/temporal/worker';
import { type Ended, Portolan } from '../../support/child';
import { inProcess } from '../../support/in-process';
import { jsonOf } from '../../support/json';
import { Rehearsal } from '../../support/rehearsal';
import { until } from '../../support/until';
import { startTestWorker } from '../../support/worker';

let rehearsal: Rehearsal;
/** The build of this installation, whose worker can be killed. */
let first: Portolan;
const others: RunningWorker[] = [];
const builds = { first: '', bad: '', next: '' };

const portolan = (...args: string[]): Promise<Ended> => inProcess(args, { cwd: rehearsal.folder });
const shown = async (runId: string): Promise<string> => (await portolan('run', 'show', runId)).stdout;
const view = z.object({
  current: z.string().optional(),
  builds: z.array(z.object({ id: z.string(), state: z.string(), runs: z.object({ open: z.number() }) })),
});
const status = async () => view.parse(jsonOf(await portolan('deploy', 'status', '-o', 'json')));
const built = path.join(__dirname, '..', '..', '..', 'dist', path.basename(builtBundlePath));

/** Where each run waits for answers that are being given, and a bad build fails for ever. */
const END_OF_A_RUN =
  /(function runToEnd\([^]*?)\(0, workflow_1\.condition\)\(workflow_1\.allHandlersFinished\)/;

/** A worker with workflow code that differs from this installation's. */
async function startOther(name: 'bad' | 'next', from: string | RegExp, to: string): Promise<void> {
  const codePath = path.join(rehearsal.folder, `${name}.js`);
  const text = await readFile(built, 'utf8');
  await writeFile(codePath, text.replace(from, to));
  builds[name] = await buildIdOf({ codePath });
  expect(await readFile(codePath, 'utf8')).not.toBe(text);
  others.push(await startTestWorker(rehearsal.config, rehearsal.folder, { bundlePath: codePath }));
}

/** A run that waits for an approval. */
async function waiting() {
  const handle = await rehearsal.start(rehearsal.route({}, { approval: 'required' }));
  await rehearsal.waiting(handle);
  return handle;
}

beforeAll(async () => {
  rehearsal = await Rehearsal.open({ worker: false, listed: true, deployment: 'rehearsal' });
  builds.first = await buildIdOf({ codePath: built });
  first = new Portolan(['worker'], { cwd: rehearsal.folder });
  await first.says(`worker version ${builds.first}`);
});
afterAll(async () => {
  first.child.kill('SIGKILL');
  for (const worker of others) await worker.stop();
  await rehearsal.close();
});

describe('a deployment with builds of the workflow code', () => {
  it('begins no run while no build is current, and says what to type', async () => {
    const refused = await portolan('sync', 'transport', '--no-wait');
    expect(refused).toMatchObject({ status: 11, stdout: '' });
    expect(refused.stderr).toContain(`portolan deploy set-current ${builds.first}`);
    expect((await portolan('deploy', 'status')).stdout).toContain(
      `No version is current: new runs go to unversioned workers, or wait if there are none. Set one: portolan deploy set-current ${builds.first}`,
    );
    for (const build of ['zzzz', builds.first.slice(0, 4)].map((each) => ['deploy', 'drain', each]))
      expect(await portolan(...build)).toMatchObject({ status: 2, stdout: '' });
    const set = await portolan('deploy', 'set-current', builds.first.slice(0, 6));
    expect(set.stdout).toContain(`version ${builds.first} now starts all new runs`);
    expect(await status()).toMatchObject({ current: builds.first });
  });

  it('keeps a run on the worker version that started it, and portal queues on the current one [P14]', async () => {
    const handle = await waiting();
    expect(buildOf(await handle.describe())).toBe(builds.first);
    await startOther('bad', END_OF_A_RUN, '$1(() => { throw new TypeError("a bad build"); })()');
    expect(await portolan('deploy', 'ramp', builds.bad, '--percent', '101')).toMatchObject({ status: 2 });
    const ramped = await portolan('deploy', 'ramp', builds.bad, '--percent', '0');
    expect(`${ramped.stdout}${ramped.stderr}`).toContain(`version ${builds.bad} now starts 0% of new runs`);
    await portolan('deploy', 'set-current', builds.bad);
    await rehearsal.approve(handle);
    const { record } = await rehearsal.ended(handle);
    expect(record.status).toBe('succeeded');
    const portalQueues = (more: string) =>
      rehearsal.temporal.client.workflow
        .count(`WorkflowType = 'portalQueue' AND ${more}`)
        .then(({ count }) => count);
    await until('portal queues that keep to no build', () =>
      portalQueues("TemporalWorkflowVersioningBehavior = 'AutoUpgrade'"),
    );
    expect(await portalQueues("TemporalWorkflowVersioningBehavior = 'Pinned'")).toBe(0);
  });

  it('brings what a bad build began back to the one before it', async () => {
    const handle = await rehearsal.start();
    await until(
      'its task to fail',
      () => shown(handle.workflowId),
      (words) => words.includes('workflow task failing'),
    );
    const refused = await portolan('deploy', 'drain', builds.bad, '--yes');
    expect(refused).toMatchObject({ status: 2, stdout: '' });
    expect(refused.stderr).toContain(`Version ${builds.bad} is the current one`);
    const back = await portolan('deploy', 'set-current', builds.first);
    expect(back.stdout).toContain(`portolan deploy drain ${builds.bad} --yes`);
    const look = await until(
      'the index to know that it keeps to that build',
      () => portolan('deploy', 'drain', builds.bad),
      ({ stdout }) => stdout.includes(handle.workflowId),
    );
    expect(look.status).toBe(2);
    expect(look.stdout).toContain('its workflow task is failing');
    expect(look.stdout).toContain(`No changes made. To move 1: portolan deploy drain ${builds.bad} --yes`);
    expect(await portolan('deploy', 'drain', builds.bad, '--yes')).toMatchObject({ status: 0 });
    expect((await rehearsal.ended(handle)).record.finishedAt).toBeDefined();
    expect(buildOf(await handle.describe())).toBe(builds.first);
  });

  it('moves a parked run to a new build once nobody has its own any more, and it is resumed there', async () => {
    const { target } = rehearsal;
    target.faults.add({
      match: { operation: 'group.import', params: { previewOnly: 'false' } },
      do: { error: { code: 403, message: 'Not now.' } },
    });
    const { handle, runId, record } = await rehearsal.sync(
      rehearsal.route({ full: true }, { overwrite: true }),
    );
    expect(record.status).toBe('parked');
    target.faults.clear();
    await startOther('next', 'which was parked', 'which had been parked');
    await portolan('deploy', 'set-current', builds.next);
    first.child.kill('SIGKILL');
    await first.ended;
    const refused = await portolan('run', 'resume', runId);
    expect(refused.status).toBe(11);
    expect(refused.stderr).toContain(`portolan deploy drain ${builds.first} --yes. Then repeat the command.`);
    expect(await shown(runId)).toContain(`no worker of version ${builds.first}, to which the run is pinned`);
    const drained = await portolan('deploy', 'drain', builds.first, '--yes');
    expect(drained.stdout).toMatch(new RegExp(`${runId} +parked +moved +no worker has its version`));
    expect((await portolan('run', 'resume', runId)).status).toBe(0);
    expect((await rehearsal.ended(handle, 1)).record.status).toBe('succeeded');
    const left = await until('no run to keep to the build before', status, (view) =>
      view.builds.every(({ runs }) => runs.open === 0),
    );
    expect(left.current).toBe(builds.next);
  });
});
