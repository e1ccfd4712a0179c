import { readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import type { WorkflowHandle } from '@temporalio/client';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { pinnedVersionOf } from '../../../src/temporal/deployment';
import { buildIdOf, builtBundlePath } from '../../../src/temporal/workflow-bundle';
import type { RunningWorker } from '../../../src/temporal/worker';
import { type Ended, Portolan } from '../../support/child';
import { inProcess } from '../../support/in-process';
import { Rehearsal } from '../../support/rehearsal';
import { temporalCli } from '../../support/temporal-cli';
import { until } from '../../support/until';
import { startTestWorker } from '../../support/worker';

let rehearsal: Rehearsal;
/** A worker of this installation's version, which can be killed. */
let first: Portolan;
const others: RunningWorker[] = [];
/** Build IDs. */
const versions = { first: '', bad: '', next: '' };

const portolan = (...args: string[]): Promise<Ended> => inProcess(args, { cwd: rehearsal.folder });
const shown = async (runId: string): Promise<string> => (await portolan('run', 'show', runId)).stdout;
const temporal = (line: string): Promise<string> => temporalCli(rehearsal.config, line);
const pinnedTo = async (run: WorkflowHandle): Promise<string | undefined> =>
  pinnedVersionOf(await run.describe())?.buildId;
const built = path.join(__dirname, '..', '..', '..', 'dist', path.basename(builtBundlePath));

/** Temporal refuses a version until it has seen its workers on both task queues. */
const setCurrent = (buildId: string): Promise<string> =>
  until(
    `version ${buildId} to be current`,
    () =>
      temporal(
        `temporal worker deployment set-current-version --deployment-name rehearsal --build-id ${buildId} --yes`,
      ),
    () => true,
  );

/** Where each run waits for decisions being handled; a bad version fails there for ever. */
const END_OF_A_RUN =
  /(function runToEnd\([^]*?)\(0, workflow_1\.condition\)\(workflow_1\.allHandlersFinished\)/;

/** Starts a worker with workflow code that differs from this installation's. */
async function startOther(name: 'bad' | 'next', from: string | RegExp, to: string): Promise<void> {
  const codePath = path.join(rehearsal.folder, `${name}.js`);
  const text = await readFile(built, 'utf8');
  await writeFile(codePath, text.replace(from, to));
  versions[name] = await buildIdOf({ codePath });
  expect(await readFile(codePath, 'utf8')).not.toBe(text);
  others.push(await startTestWorker(rehearsal.config, rehearsal.folder, { bundlePath: codePath }));
}

beforeAll(async () => {
  rehearsal = await Rehearsal.open({ worker: false, listed: true, deployment: 'rehearsal' });
  versions.first = await buildIdOf({ codePath: built });
  first = new Portolan(['worker'], { cwd: rehearsal.folder });
  await first.says(`worker version ${versions.first} of deployment "rehearsal"`);
});
afterAll(async () => {
  first.child.kill('SIGKILL');
  for (const worker of others) await worker.stop();
  await rehearsal.close();
});

describe('workers with versions', () => {
  it('start no run while no version is current, and say what to type', async () => {
    const refused = await portolan('sync', 'transport', '--no-wait');
    expect(refused).toMatchObject({ status: 11, stdout: '' });
    const [command = ''] = /temporal worker deployment .*/.exec(refused.stderr) ?? [];
    const { stdout } = await portolan('doctor', '--cluster');
    expect(stdout).toContain(`rehearsal: ${versions.first} inactive`);
    expect(stdout).toContain(command.replace(versions.first, 'VERSION'));
    await until(
      'the version to be current',
      () => temporal(`${command} --yes`),
      () => true,
    );
    expect((await portolan('doctor', '--cluster')).stdout).toContain(`rehearsal: ${versions.first} current`);
  });

  it('keep a run on the version that started it, and portal queues on the current one [P14]', async () => {
    const handle = await rehearsal.start(rehearsal.route({}, { approval: 'required' }));
    await rehearsal.waiting(handle);
    expect(await pinnedTo(handle)).toBe(versions.first);
    await startOther('bad', END_OF_A_RUN, '$1(() => { throw new TypeError("a bad version"); })()');
    await setCurrent(versions.bad);
    await rehearsal.approve(handle);
    const { record } = await rehearsal.ended(handle);
    expect(record.status).toBe('succeeded');
    const portalQueues = (more: string) =>
      rehearsal.temporal.client.workflow
        .count(`WorkflowType = 'portalQueue' AND ${more}`)
        .then(({ count }) => count);
    await until('portal queues that are pinned to no version', () =>
      portalQueues("TemporalWorkflowVersioningBehavior = 'AutoUpgrade'"),
    );
    expect(await portalQueues("TemporalWorkflowVersioningBehavior = 'Pinned'")).toBe(0);
  });

  it("let Temporal's CLI move the runs of a bad version back to the one before", async () => {
    const handle = await rehearsal.start();
    await until(
      'its task to fail',
      () => shown(handle.workflowId),
      (text) => text.includes('workflow task failing'),
    );
    await setCurrent(versions.first);
    const query = `TemporalWorkerDeploymentVersion='rehearsal:${versions.bad}' AND TemporalWorkflowVersioningBehavior='Pinned' AND ExecutionStatus='Running'`;
    await until("Temporal's list to know the run", async () => {
      const { count } = await rehearsal.temporal.client.workflow.count(query);
      return count === 1;
    });
    await temporal(
      `temporal workflow update-options --query "${query}" --yes --versioning-override-behavior pinned --versioning-override-deployment-name rehearsal --versioning-override-build-id ${versions.first}`,
    );
    expect((await rehearsal.ended(handle)).record.finishedAt).toBeDefined();
    expect(await pinnedTo(handle)).toBe(versions.first);
  });

  it('take over a parked run whose version no worker has any more, when it is resumed', async () => {
    const { target } = rehearsal;
    target.faults.add({
      match: { operation: 'group.import', params: { previewOnly: 'false' } },
      do: { error: { code: 403, message: 'Not now.' } },
    });
    const { handle, runId, record } = await rehearsal.sync(
      rehearsal.route({ full: true }, { overwrite: true }),
    );
    expect(record.status).toBe('parked');
    await startOther('next', 'which was parked', 'which had been parked');
    await setCurrent(versions.next);
    // While a worker of its version runs, the run stays there.
    expect((await portolan('run', 'resume', runId)).status).toBe(0);
    expect((await rehearsal.ended(handle, 1)).record.status).toBe('parked');
    expect(await pinnedTo(handle)).toBe(versions.first);
    target.faults.clear();
    first.child.kill('SIGKILL');
    await first.ended;
    expect(await shown(runId)).toMatch(
      new RegExp(`no worker of version ${versions.first} is running, .*portolan run resume`),
    );
    expect((await portolan('run', 'resume', runId)).status).toBe(0);
    expect((await rehearsal.ended(handle, 2)).record.status).toBe('succeeded');
    expect(await pinnedTo(handle)).toBe(versions.next);
  });
});
