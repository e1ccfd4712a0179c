import { afterEach, describe, expect, it } from '@jest/globals';
import type { WorkflowHandle } from '@temporalio/client';
import { temporal as wire } from '@temporalio/proto';
import { type AnswerOutcome, outcomeQueryName } from '../../../src/model/run/signature';
import { messageNames } from '../../../src/model/run/run-input';
import { signed } from '../../support/control';
import { Site } from '../../support/site';
import { until } from '../../support/until';
import { query } from '../../support/query';

let at: Site;
afterEach(() => at.close());

/** Continues a run as new in place of a worker, so that decisions arrive before the new execution begins. */
async function continueAsNew({ workflowId }: WorkflowHandle) {
  const { taskQueue: name } = at.config.temporal;
  const { connection, namespace } = at.temporal;
  const { workflowService } = connection;
  const [taskQueue, identity] = [{ name }, 'test'];
  const { taskToken, history } = await connection.withDeadline(Date.now() + 10_000, () =>
    workflowService.pollWorkflowTaskQueue({ namespace, taskQueue, identity }),
  );
  const { input, workflowType } = history?.events?.[0]?.workflowExecutionStartedEventAttributes ?? {};
  await workflowService.respondWorkflowTaskCompleted({
    namespace,
    taskToken,
    identity,
    commands: [
      {
        commandType: wire.api.enums.v1.CommandType.COMMAND_TYPE_CONTINUE_AS_NEW_WORKFLOW_EXECUTION,
        continueAsNewWorkflowExecutionCommandAttributes: { workflowType, input, taskQueue },
      },
    ],
  });
  await until('the new execution', async () => {
    const described = await at.handle(workflowId).describe();
    return described.historyLength === 2;
  });
}

const started = () => at.start(at.route({ overwrite: true }, { approval: 'required' }));

/** Sends a decision while no worker is up. @returns reads its outcome later */
async function sent(
  handle: WorkflowHandle,
  name: string,
  message: object,
): Promise<() => Promise<AnswerOutcome | undefined>> {
  const answer = await signed(at.config, handle, name, message);
  await handle.signal(name, answer);
  return () => query(handle, outcomeQueryName, answer.proof?.nonce ?? '');
}

describe('run that has just started, or continued as new', () => {
  it('handles decisions that arrive before its first task', async () => {
    at = await Site.open({ worker: false });
    const continued = await started();
    await continueAsNew(continued);
    const approval = { who: 'a@b', hash: 'abcd', sha256: 'abcd' };
    const runs = await Promise.all(
      [continued, await started()].map(async (handle) => {
        const approved = await sent(handle, messageNames.approve, approval);
        const resumed = await sent(handle, messageNames.resume, { who: 'a@b' });
        await at.askToEnd(handle, { who: 'a@b', reason: 'a mistake' });
        return { handle, approved, resumed };
      }),
    );
    await at.startWorker();
    for (const { handle, approved, resumed } of runs) {
      const { record } = await at.ended(handle);
      const refused = { status: 'refused', code: 'USAGE' };
      const notWaiting = 'the run is running and does not wait for approval';
      expect(await approved()).toMatchObject({ ...refused, message: notWaiting });
      expect(await resumed()).toMatchObject({ ...refused, message: 'the run is running, not parked' });
      expect(record).toMatchObject({ status: 'cancelled', target: 'untouched' });
      expect(record.actions).toMatchObject([{ what: 'start' }, { what: 'cancel', reason: 'a mistake' }]);
    }
  });
});
