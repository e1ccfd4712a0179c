import {
  ApplicationFailure,
  defineQuery,
  defineSignal,
  defineUpdate,
  setHandler,
} from '@temporalio/workflow';
import type { RunState } from '../model/run-state';
import { type Approve, messageNames, type Refuse } from '../model/sync-input';
import type { Run } from './run';

export const stateQuery = defineQuery<RunState>(messageNames.state);
export const approveUpdate = defineUpdate<string, [Approve]>(messageNames.approve);
export const rejectUpdate = defineUpdate<string, [Refuse]>(messageNames.reject);
export const cancelSignal = defineSignal<[Refuse]>(messageNames.cancel);

/** Lets a run be asked and answered from outside. What does not fit is refused before it leaves a trace. */
export function listen(run: Run): void {
  setHandler(stateQuery, () => run.state);
  setHandler(
    approveUpdate,
    (approval: Approve): string => {
      run.answers.approved = approval;
      run.act(approval.who, 'approve', approval.reason);
      return `plan ${approval.hash} is approved`;
    },
    { validator: (approval: Approve): void => mustWait(run, approval.hash) },
  );
  setHandler(
    rejectUpdate,
    (refusal: Refuse): string => {
      run.answers.rejected = refusal;
      run.act(refusal.who, 'reject', refusal.reason);
      return 'the plan is rejected';
    },
    { validator: (_refusal: Refuse): void => mustWait(run) },
  );
  setHandler(cancelSignal, (refusal) => {
    run.act(refusal.who, 'cancel', refusal.reason);
    run.scope.cancel();
  });
}

function mustWait(run: Run, hash?: string): void {
  const { status, plan } = run.state;
  if (status !== 'waiting') throw refuse(`the run is ${status} and waits for no approval`);
  if (hash !== undefined && hash !== plan?.hash)
    throw refuse(`the plan is ${plan?.hash ?? 'not made yet'}, not ${hash}: look at it again`);
}

const refuse = (message: string): ApplicationFailure =>
  ApplicationFailure.create({ type: 'USAGE', message, nonRetryable: true });
