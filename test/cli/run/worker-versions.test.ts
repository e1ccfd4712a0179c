import { readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import type { WorkflowHandle } from '@temporalio/client';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { pinnedVersionOf } from '../../../src/temporal/task-queue';
import { buildIdOf, builtBundlePath } from '../../../src/temporal/workflow-bundle';
import { transportItems } from '../../../src/simulator/seed/transport';
import type { RunningWorker } from '../../../src/temporal/worker';
import { Portolan } from '../../support/child';
import { Site } from '../../support/site';
import { temporalCli } from '../../support/temporal-cli';
import { until } from '../../support/until';
import { startTestWorker } from '../../support/worker';
import { expectRefused } from '../../support/in-process';
import { typedIn } from '../../support/typed-in';

let site: Site;
/** A worker of this installation's version, which can be stopped. */
let first: Portolan;
let next: RunningWorker | undefined;
/** Build IDs. */
const versions = { first: '', next: '' };

const { run, expectRun } = typedIn(() => site.folder);
const temporal = (line: string) => temporalCli(site.config, line);
const pinnedTo = async (handle: WorkflowHandle) => pinnedVersionOf(await handle.describe())?.buildId;
const built = path.join(__dirname, '..', '..', '..', 'dist', path.basename(builtBundlePath));

/** Temporal refuses a version until it has seen its workers on both task queues. */
const setCurrent = (buildId: string) =>
  until(
    `version ${buildId} to be current`,
    () =>
      temporal(
        `temporal worker deployment set-current-version --deployment-name site --build-id ${buildId} --yes`,
      ),
    () => true,
  );

/** Starts a worker with workflow code that differs from this installation's. */
async function startNext() {
  const codePath = path.join(site.folder, 'next.js');
  const text = await readFile(built, 'utf8');
  await writeFile(codePath, text.replace('which was parked', 'which had been parked'));
  versions.next = await buildIdOf({ codePath });
  expect(versions.next).not.toBe(versions.first);
  next = await startTestWorker(site.config, site.folder, { bundlePath: codePath });
}

beforeAll(async () => {
  site = await Site.open({ worker: false, listed: true, deployment: 'site' });
  versions.first = await buildIdOf({ codePath: built });
  first = new Portolan(['worker'], { cwd: site.folder });
  await first.says(`worker version ${versions.first} of deployment "site"`);
});
afterAll(async () => {
  first.child.kill('SIGKILL');
  await next?.stop();
  await site.close();
});

describe('workers with versions', () => {
  it('start no run while no version is current, and say what to type', async () => {
    const refused = await expectRefused(run('sync transport --no-wait'), 11);
    const [command = ''] = /temporal worker deployment .*/.exec(refused.stderr) ?? [];
    await expectRun(
      'doctor --cluster',
      11,
      `site: ${versions.first} inactive`,
      command.replace(versions.first, 'VERSION'),
    );
    await until(
      'the version to be current',
      () => temporal(`${command} --yes`),
      () => true,
    );
    await expectRun('doctor --cluster', 0, `site: ${versions.first} current`);
  });

  it('keep a run on the version that started it, and portal queues on the current one [P14]', async () => {
    const {
      target,
      temporal: { client },
    } = site;
    site.refuseImports();
    const handle = await site.start(site.route({}, { approval: 'required', items: [transportItems.pdf] }));
    await site.waiting(handle);
    await startNext();
    await setCurrent(versions.next);
    await site.approve(handle);
    expect((await site.ended(handle)).record.status).toBe('parked');
    // A parked run stays on its version while a worker of that runs.
    await expectRun(`run resume ${handle.workflowId}`, 0);
    expect((await site.ended(handle, 1)).record.status).toBe('parked');
    expect(await pinnedTo(handle)).toBe(versions.first);
    const portalQueues = async (behavior: string) => {
      const query = `WorkflowType = 'portalQueue' AND TemporalWorkflowVersioningBehavior = '${behavior}'`;
      return (await client.workflow.count(query)).count;
    };
    await until('portal queues that are pinned to no version', () => portalQueues('AutoUpgrade'));
    expect(await portalQueues('Pinned')).toBe(0);

    target.faults.clear();
    first.child.kill('SIGTERM');
    await first.ended;
    await expectRun(
      `run show ${handle.workflowId}`,
      0,
      new RegExp(`no worker of version ${versions.first} is running, .*portolan run resume`),
    );
    await expectRun(`run resume ${handle.workflowId}`, 0);
    expect((await site.ended(handle, 2)).record.status).toBe('succeeded');
    expect(await pinnedTo(handle)).toBe(versions.next);
  });
});
