import { defineSignal, defineUpdate, setHandler } from '@temporalio/workflow';
import type { Signed } from '../../model/run/proof';
import { whyNotNamed } from '../../model/run/policy';
import type { GateReleased, GateStay } from '../../model/run/gate';
import {
  type Approve,
  type Cancel,
  messageNames,
  type Refuse,
  type Resume,
  type Supersede,
} from '../../model/run/run-input';
import { notApproved, planIdentity } from '../../model/transfer/plan-hash';
import { SignedAnswers } from './admission';
import { refuse } from './failure';
import { takeUp } from './resuming';
import type { Run } from './run';
import { stateQuery } from './state';

export const approveUpdate = defineUpdate<string, [Approve]>(messageNames.approve);
export const rejectUpdate = defineUpdate<string, [Refuse]>(messageNames.reject);
export const resumeUpdate = defineUpdate<string, [Resume]>(messageNames.resume);
/** An answer to a plan that was given while no worker was up: history keeps it, which an update is not before it is taken. */
export const approveSignal = defineSignal<[Approve]>(messageNames.approve);
export const rejectSignal = defineSignal<[Refuse]>(messageNames.reject);
export const cancelSignal = defineSignal<[Cancel]>(messageNames.cancel);
export const grantedSignal = defineSignal<[gate: string, stay?: GateStay]>(messageNames.granted);
export const gateReleasedSignal = defineSignal<[GateReleased]>(messageNames.gateReleased);
export const supersedeSignal = defineSignal<[Supersede]>(messageNames.supersede);

/** What is done with an answer to a plan. */
interface PlanAnswer {
  /** Whether the same was answered already. */
  readonly isGiven: () => boolean;
  /** Throws where it does not fit. */
  readonly check: () => void;
  readonly take: () => unknown;
}

/** Lets a run be asked and answered from outside. What does not fit is refused before it leaves a trace. */
export function listen(run: Run): void {
  const answers = new SignedAnswers(run);
  setHandler(stateQuery, () => run.state);
  setHandler(
    approveUpdate,
    async (approval: Approve): Promise<string> => {
      await answers.hear(messageNames.approve, approval);
      return takeApproval(run, approval);
    },
    { validator: (approval: Approve): void => mustBeApprovable(run, approval) },
  );
  setHandler(
    rejectUpdate,
    async (refusal: Refuse): Promise<string> => {
      await answers.hear(messageNames.reject, refusal);
      return takeRejection(run, refusal);
    },
    { validator: (_refusal: Refuse): void => mustWait(run) },
  );
  /** Hears an answer that came by signal: nobody waits for what becomes of it, and it may have come by update too. */
  const hearSignal = async (name: string, message: Signed, answer: PlanAnswer): Promise<void> => {
    const { isGiven, check, take } = answer;
    if (answers.wasHeard(message) || isGiven()) return;
    if (!answers.takes(name, check) || !(await answers.hear(name, message).then(yes, no))) return;
    if (!isGiven()) answers.takes(name, take);
  };
  setHandler(approveSignal, (approval) =>
    hearSignal(messageNames.approve, approval, {
      isGiven: () => run.answers.approved !== undefined && run.answers.approved.sha256 === approval.sha256,
      check: () => mustBeApprovable(run, approval),
      take: () => takeApproval(run, approval),
    }),
  );
  setHandler(rejectSignal, (refusal) =>
    hearSignal(messageNames.reject, refusal, {
      isGiven: () => run.answers.rejected !== undefined,
      check: () => mustWait(run),
      take: () => takeRejection(run, refusal),
    }),
  );
  setHandler(
    resumeUpdate,
    async (resume: Resume): Promise<string> => {
      await answers.hear(messageNames.resume, resume);
      mustBeParked(run);
      return await takeUp(run, resume);
    },
    { validator: (_resume: Resume): void => mustBeParked(run) },
  );
  setHandler(cancelSignal, async (cancel) => {
    // Nobody waits for what becomes of a signal: what is not heard stands in the record.
    if (!(await answers.hear(messageNames.cancel, cancel).then(yes, no))) return;
    run.act(cancel, cancel.now ? 'cancel --now' : 'cancel', cancel.reason);
    await run.cancel(cancel);
  });
  setHandler(supersedeSignal, async (supersede) => {
    if (!(await answers.hear(messageNames.supersede, supersede).then(yes, no))) return;
    run.answers.superseded = supersede;
  });
  setHandler(grantedSignal, (gate, stay) => run.gates?.grant(gate, stay));
  setHandler(gateReleasedSignal, async (released) => {
    if (!(await answers.hearOfGate(released).then(yes, no))) return;
    const { gate, who, reason, release } = released;
    run.act({ who, proof: release?.proof }, `release ${gate}`, reason);
    run.gates?.release(gate);
  });
}

function takeApproval(run: Run, approval: Approve): string {
  mustWait(run, approval);
  const { plan } = run.state;
  run.answers.approved = { ...approval, sha256: plan && planIdentity(plan) };
  run.act(approval, 'approve', approval.reason);
  return `plan ${approval.hash} is approved`;
}

function takeRejection(run: Run, refusal: Refuse): string {
  mustWait(run);
  run.answers.rejected = refusal;
  run.act(refusal, 'reject', refusal.reason);
  return 'the plan is rejected';
}

function mustBeApprovable(run: Run, approval: Approve): void {
  mustWait(run, approval);
  mayApprove(run, approval);
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

const yes = (): boolean => true;
const no = (): boolean => false;

/** By the worker's policy of the portal into which the run writes. */
function mayApprove({ facts: { ruling }, input: { startedBy } }: Run, { who, sha256 }: Approve): void {
  // Whether it is theirs, and who is a member by now, is found out where the answer is let in.
  const why =
    ruling && whyNotNamed(ruling.asMembers ? { ...ruling, approvers: undefined } : ruling, who, startedBy);
  if (why !== undefined) throw refuse(why);
  if (sha256 === undefined) throw refuse('an approval names the whole hash of its plan');
}
