import type { WorkflowExecutionStatusName } from '@temporalio/client';
import { MockActivityEnvironment } from '@temporalio/testing';
import { describe, expect, it } from '@jest/globals';
import { watchRun } from '../../../src/activities/run/temporal';
import { memoKey } from '../../../src/model/run/run-id';
import { isOpenExecution } from '../../../src/domain/run/executions';
import { packageState } from '../../../src/service/run/lookup/package-state';
import { rowOfInfo } from '../../../src/service/run/lookup/indexed-runs';
import type { ReadContext } from '../../../src/service/run/run-sources';

const describedAs = (name: WorkflowExecutionStatusName) => ({
  workflow: {
    getHandle: () => ({ describe: async () => ({ taskQueue: 'portolan', status: { name } }) }),
  },
});

describe('a run paused in Temporal', () => {
  it('is open like a running one', () => {
    const open: Record<WorkflowExecutionStatusName, boolean> = {
      RUNNING: true,
      PAUSED: true,
      COMPLETED: false,
      FAILED: false,
      CANCELLED: false,
      TERMINATED: false,
      CONTINUED_AS_NEW: false,
      TIMED_OUT: false,
      UNSPECIFIED: false,
      UNKNOWN: false,
    };
    for (const [name, isOpen] of Object.entries(open))
      expect([name, isOpenExecution({ name })]).toEqual([name, isOpen]);
  });

  it('keeps its packages when others are cleaned up', async () => {
    const stateOf = (name: WorkflowExecutionStatusName) => {
      const config = { temporal: { taskQueue: 'portolan' } };
      const sources = { config, store: {}, temporal: { client: describedAs(name) } };
      return packageState(sources as unknown as Required<ReadContext>, 'sync-1');
    };
    expect(await stateOf('PAUSED')).toBe('in use');
    expect(await stateOf('TERMINATED')).toBe('left over');
  });

  it('keeps its slot', async () => {
    const lookAt = (name: WorkflowExecutionStatusName) => {
      const client = { ...describedAs(name), withAbortSignal: (_: unknown, work: () => unknown) => work() };
      const environment = new MockActivityEnvironment({}, { client: client as never });
      return environment.run(watchRun, { runId: 'sync-1' });
    };
    await expect(lookAt('PAUSED')).rejects.toMatchObject({ type: 'NOT_YET' });
    expect(await lookAt('TERMINATED')).toBeUndefined();
  });

  it('is listed with its last status', () => {
    const rowOf = (name: WorkflowExecutionStatusName) =>
      rowOfInfo({
        workflowId: 'sync-1',
        memo: { [memoKey]: { route: { name: 'transport' }, startedBy: 'test' } },
        startTime: new Date(0),
        status: { name },
        typedSearchAttributes: { getAll: () => [{ key: { name: 'PortolanOutcome' }, value: 'parked' }] },
      } as never);
    expect(rowOf('PAUSED')?.status).toBe('parked');
    expect(rowOf('TERMINATED')?.status).toBe('failed');
  });
});
