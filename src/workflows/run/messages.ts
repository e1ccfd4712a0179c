import { defineQuery, defineSignal, defineUpdate, setHandler } from '@temporalio/workflow';
import { isOneOf } from '../../model/run/policy';
import type { RunState } from '../../model/run/run-state';
import type { GateReleased } from '../../model/run/gate';
import {
  type Approve,
  type Cancel,
  messageNames,
  type Refuse,
  type Resume,
  type Supersede,
} from '../../model/run/run-input';
import { notApproved, planIdentity } from '../../model/transfer/plan-hash';
import { refuse } from './failure';
import { takeUp } from './resuming';
import type { Run } from './run';

export const stateQuery = defineQuery<RunState>(messageNames.state);
export const approveUpdate = defineUpdate<string, [Approve]>(messageNames.approve);
export const rejectUpdate = defineUpdate<string, [Refuse]>(messageNames.reject);
export const resumeUpdate = defineUpdate<string, [Resume]>(messageNames.resume);
export const cancelSignal = defineSignal<[Cancel]>(messageNames.cancel);
export const grantedSignal = defineSignal<[string]>(messageNames.granted);
export const gateReleasedSignal = defineSignal<[GateReleased]>(messageNames.gateReleased);
export const supersedeSignal = defineSignal<[Supersede]>(messageNames.supersede);

/** Lets a run be asked and answered from outside. What does not fit is refused before it leaves a trace. */
export function listen(run: Run): void {
  setHandler(stateQuery, () => run.state);
  setHandler(
    approveUpdate,
    (approval: Approve): string => {
      const { plan } = run.state;
      // What it says yes to is the plan that the run shows now, whatever another one is called.
      run.answers.approved = { ...approval, sha256: plan && planIdentity(plan) };
      run.act(approval.who, 'approve', approval.reason);
      return `plan ${approval.hash} is approved`;
    },
    {
      validator: (approval: Approve): void => {
        mustWait(run, approval);
        mayApprove(run, approval.who);
      },
    },
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
  setHandler(resumeUpdate, (resume) => takeUp(run, resume), {
    validator: (_resume: Resume): void => mustBeParked(run),
  });
  setHandler(cancelSignal, (cancel) => {
    run.act(cancel.who, cancel.now ? 'cancel --now' : 'cancel', cancel.reason);
    return run.cancel(cancel);
  });
  setHandler(supersedeSignal, (supersede) => {
    run.answers.superseded = supersede;
  });
  setHandler(grantedSignal, (gate) => run.gates?.grant(gate));
  setHandler(gateReleasedSignal, ({ gate, who, reason }) => {
    run.act(who, `release ${gate}`, reason);
    run.gates?.release(gate);
  });
}

function mustBeParked(run: Run): void {
  const { status } = run.state;
  if (status !== 'parked') throw refuse(`the run is ${status}, not parked`);
  if (run.answers.resuming) throw refuse('another resume of this run is being checked');
}

function mustWait(run: Run, approval?: Approve): void {
  const { status, plan } = run.state;
  if (status !== 'waiting') throw refuse(`the run is ${status} and waits for no approval`);
  if (!approval) return;
  const why = notApproved(plan, approval);
  if (why !== undefined) throw refuse(why);
}

/** By the worker's policy of the portal into which the run writes. */
function mayApprove({ facts: { ruling }, input: { startedBy } }: Run, who: string): void {
  if (ruling?.twoPeople && who === startedBy)
    throw refuse(`${who} has started the run, and the policy of its target asks for a second person`);
  if (ruling?.approvers && !isOneOf(who, ruling.approvers))
    throw refuse(`${who} is none of those who may approve: ${ruling.approvers.join(', ')}`);
}
