import { defineSignal, defineUpdate, setHandler } from '@temporalio/workflow';
import { identityOf, type Signed } from '../../model/run/signature';
import { whyNotNamed } from '../../model/run/policy';
import type { SlotReleased, SlotStay } from '../../model/run/portal-queue';
import {
  type Approve,
  type Cancel,
  messageNames,
  type Refuse,
  type Resume,
  type Supersede,
} from '../../model/run/run-input';
import { notApproved, planIdentity } from '../../model/transfer/plan-hash';
import { SignedAnswers } from './authenticate';
import { handleUpdate } from './early-updates';
import { refuse } from './failure';
import { takeUp } from './resuming';
import type { Run } from './run';
import { stateQuery } from './state';

export const approveUpdate = defineUpdate<string, [Approve]>(messageNames.approve);
export const rejectUpdate = defineUpdate<string, [Refuse]>(messageNames.reject);
export const resumeUpdate = defineUpdate<string, [Resume]>(messageNames.resume);
/** A decision sent while no worker is running: history keeps a signal, but not an update before it is accepted. */
export const approveSignal = defineSignal<[Approve]>(messageNames.approve);
export const rejectSignal = defineSignal<[Refuse]>(messageNames.reject);
export const cancelSignal = defineSignal<[Cancel]>(messageNames.cancel);
export const grantedSignal = defineSignal<[queueId: string, stay?: SlotStay]>(messageNames.granted);
export const slotReleasedSignal = defineSignal<[SlotReleased]>(messageNames.slotReleased);
export const supersedeSignal = defineSignal<[Supersede]>(messageNames.supersede);

/** How a decision on a plan is handled. */
interface PlanAnswer {
  /** Whether the same person already made this decision, so that it is only confirmed. */
  readonly isGiven: () => boolean;
  /** Throws if the decision does not fit. */
  readonly check: () => void;
  /** Throws if it no longer fits. */
  readonly take: () => void;
  readonly confirmation: string;
}

/** Sets the handlers of a run's queries, updates and signals. What does not fit is rejected before it is recorded. */
export function listen(run: Run): void {
  const answers = new SignedAnswers(run);
  setHandler(stateQuery, () => run.state);
  /** Accepts a decision sent by update; the caller waits for its result. */
  const hearUpdate = async (name: string, message: Signed, answer: PlanAnswer): Promise<string> => {
    const { isGiven, take, confirmation } = answer;
    if (!answers.wasHeard(message) || !isGiven()) await answers.hear(name, message);
    if (!isGiven()) take();
    return confirmation;
  };
  const mustFit = ({ isGiven, check }: PlanAnswer): void => {
    if (!isGiven()) check();
  };
  handleUpdate(approveUpdate, {
    check: (approval) => mustFit(approvalOf(run, approval)),
    handle: (approval) => hearUpdate(messageNames.approve, approval, approvalOf(run, approval)),
  });
  handleUpdate(rejectUpdate, {
    check: (refusal) => mustFit(rejectionOf(run, refusal)),
    handle: (refusal) => hearUpdate(messageNames.reject, refusal, rejectionOf(run, refusal)),
  });
  /** Accepts a decision sent by signal: no caller waits, and the same decision may also have come by update. */
  const hearSignal = async (name: string, message: Signed, answer: PlanAnswer): Promise<void> => {
    const { isGiven, check, take } = answer;
    if (answers.wasHeard(message) || isGiven()) return;
    if (!answers.takes(name, check) || !(await answers.hear(name, message).then(yes, no))) return;
    if (!isGiven()) answers.takes(name, take);
  };
  setHandler(approveSignal, (approval) =>
    hearSignal(messageNames.approve, approval, approvalOf(run, approval)),
  );
  setHandler(rejectSignal, (refusal) => hearSignal(messageNames.reject, refusal, rejectionOf(run, refusal)));
  handleUpdate(resumeUpdate, {
    check: () => mustBeParked(run),
    handle: async (resume) => {
      await answers.hear(messageNames.resume, resume);
      mustBeParked(run);
      return await takeUp(run, resume);
    },
  });
  setHandler(cancelSignal, async (cancel) => {
    // No caller waits for a signal, so the record lists a refusal.
    if (!(await answers.hear(messageNames.cancel, cancel).then(yes, no))) return;
    run.act(cancel, cancel.now ? 'cancel --now' : 'cancel', cancel.reason);
    await run.cancel(cancel);
  });
  setHandler(supersedeSignal, async (supersede) => {
    if (!(await answers.hear(messageNames.supersede, supersede).then(yes, no))) return;
    run.answers.superseded = supersede;
  });
  setHandler(grantedSignal, (queueId, stay) => run.portalQueues?.grant(queueId, stay));
  setHandler(slotReleasedSignal, async (released) => {
    if (!(await answers.hearOfRelease(released).then(yes, no))) return;
    const { queueId, who, reason, release } = released;
    run.act({ who, proof: release?.proof }, `release ${queueId}`, reason);
    run.portalQueues?.release(queueId);
  });
}

function approvalOf(run: Run, approval: Approve): PlanAnswer {
  return {
    isGiven: () => {
      const { approved } = run.answers;
      return (
        approved !== undefined &&
        isSamePerson(approved, approval) &&
        approved.sha256 === approval.sha256 &&
        approved.sha256 === planNow(run)
      );
    },
    check: () => {
      mustWait(run, approval);
      mayApprove(run, approval);
    },
    take: () => {
      mustWait(run, approval);
      run.answers.approved = { ...approval, sha256: planNow(run) };
      run.act(approval, 'approve', approval.reason);
    },
    confirmation: `plan ${approval.hash} has been approved`,
  };
}

const rejectionOf = (run: Run, refusal: Refuse): PlanAnswer => ({
  isGiven: () => run.answers.rejected !== undefined && isSamePerson(run.answers.rejected, refusal),
  check: () => mustWait(run),
  take: () => {
    mustWait(run);
    run.answers.rejected = refusal;
    run.act(refusal, 'reject', refusal.reason);
  },
  confirmation: 'the plan has been rejected',
});

const planNow = ({ state: { plan } }: Run): string | undefined => plan && planIdentity(plan);

const isSamePerson = (one: Refuse, other: Refuse): boolean =>
  one.who === other.who && identityOf(one) === identityOf(other);

function mustBeParked(run: Run): void {
  const { status } = run.state;
  if (status !== 'parked') throw refuse(`the run is ${status}, not parked`);
  if (run.answers.resuming) throw refuse('another resume of this run is being checked');
}

function mustWait(run: Run, approval?: Approve): void {
  const { status, plan } = run.state;
  if (status !== 'waiting') throw refuse(`the run is ${status} and does not wait for approval`);
  const { approved, rejected } = run.answers;
  if (rejected) throw refuse(`${rejected.who} has rejected the plan`);
  if (!approval) return;
  const why = notApproved(plan, approval);
  if (why !== undefined) throw refuse(why);
  if (approved && approved.sha256 === planNow(run)) throw refuse(`${approved.who} has approved the plan`);
}

const yes = (): boolean => true;
const no = (): boolean => false;

/** Checks the approver against the worker's policy for the target portal. */
function mayApprove({ facts: { ruling }, input: { startedBy } }: Run, { who, sha256 }: Approve): void {
  // Membership is checked when the decision is authenticated.
  const why =
    ruling && whyNotNamed(ruling.asMembers ? { ...ruling, approvers: undefined } : ruling, who, startedBy);
  if (why !== undefined) throw refuse(why);
  if (sha256 === undefined) throw refuse('an approval needs the full hash of the plan');
}
