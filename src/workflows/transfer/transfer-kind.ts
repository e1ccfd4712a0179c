import { isCancellation } from '@temporalio/workflow';
import type { RunStatus } from '../../model/run/phase';
import type { RunInput } from '../../model/run/run-input';
import { openCount } from '../../model/transfer/ledger-lists';
import { cleanup } from './cleanup';
import { observe } from '../observers/observers';
import { defineRun } from '../run/define-run';
import type { Kind, Phase } from '../run/phase';
import { finishResults } from './results';
import { describeParked, releaseSlots, reuses, suggests, checkResume } from './parked-transfer';
import { settleJobs } from './portal-job';
import { TransferRun } from './transfer-run';

/** Makes the workflow of a kind of run that transfers a group's content, with the defaults of a sync. */
export const defineTransfer = <Input extends RunInput>(
  kind: Pick<Kind<TransferRun>, 'name' | 'sides'> & Partial<Kind<TransferRun>>,
  phases: (input: Input) => readonly Phase<TransferRun>[],
) =>
  defineRun<Input, TransferRun>(
    {
      parks: true,
      notifies: true,
      first: ({ route }) => ({ packages: [], route, planNames: {} }),
      last: cleanup,
      verdict: verdictOfImport,
      settle,
      describeParked,
      suggests,
      reuses,
      checkResume,
      releaseSlots,
      ...kind,
    },
    TransferRun,
    phases,
  );

/** Waits for its portal jobs, leaves its portal queues and completes its results. */
async function settle(run: TransferRun, thrown: unknown): Promise<void> {
  await settleJobs(run, isCancellation(thrown));
  await observe('imported', run);
  await run.portalQueues.leaveAll();
  await finishResults(run, thrown !== undefined);
}

function verdictOfImport({ state, facts, route }: TransferRun): RunStatus {
  if (route.options.planOnly && state.plan) return 'succeeded';
  const { items, verification } = state;
  const open = openCount(items) + (verification?.findings ?? 0) + (facts.notSaved ?? 0);
  if (open > 0 || facts.shrunk) return 'partial';
  return (items?.imported ?? 0) > 0 || (state.created?.removed.length ?? 0) > 0
    ? 'succeeded'
    : 'nothing-to-do';
}
