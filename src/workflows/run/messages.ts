import type { RouteChange } from '../../model/run/run';
import { defineSignal, setHandler } from '@temporalio/workflow';
import { identityOf, type Signed } from '../../model/run/signature';
import { whyNotNamed } from '../../model/run/policy';
import { portalQueueMessages, type SlotReleased, type SlotGrant } from '../../model/run/portal-queue';
import {
  type Approve,
  type Cancel,
  messageNames,
  type Refuse,
  type Resume,
  type Supersede,
} from '../../model/run/run-input';
import { notApproved } from '../../model/transfer/plan-summary';
import { refuse } from './failure';
import { resumePhase } from './parking';
import type { Run } from './run';
import { type Answer, hear, outcomeOf, outcomeQuery } from './signed-answers';
import { stateQuery } from './state';

const grantedSignal = defineSignal<[queueId: string, grant?: SlotGrant]>(messageNames.granted);
const slotReleasedSignal = defineSignal<[SlotReleased]>(messageNames.slotReleased);

/** How many refused answers a record lists. */
const NOTED_MAX = 20;

/** What an answer does to a run. */
type Effect = Pick<Answer, 'check' | 'take'>;

/** Sets the handlers of a run's queries and signals. */
export function listen(run: Run): void {
  const { heard } = run.memory;
  setHandler(stateQuery, () => run.state);
  setHandler(outcomeQuery, (nonce) => outcomeOf(heard, nonce));
  const hearAs = async (name: string, read: () => Answer): Promise<void> => {
    const why = await hear(heard, read);
    // The sender may no longer be waiting, so the record lists it.
    if (why !== undefined && run.memory.refused++ < NOTED_MAX)
      run.warn(`${name}: a decision was refused: ${why}`);
  };
  const workflowId = run.input.runId;
  for (const [name, effectOf] of Object.entries(effects))
    setHandler(defineSignal<[Signed]>(name), (message) =>
      hearAs(name, () => ({ name, workflowId, message, ...effectOf(run, message as never) })),
    );
  setHandler(grantedSignal, (queueId, grant) => run.portalQueues.grant(queueId, grant));
  setHandler(slotReleasedSignal, (released) =>
    hearAs(portalQueueMessages.release, () => slotRelease(run, released)),
  );
}

const approval = (run: Run, approve: Approve): Effect => {
  // A repeat by the same person is confirmed.
  const isGiven = (): boolean => {
    const { approved } = run.answers;
    return (
      approved !== undefined &&
      isSamePerson(approved, approve) &&
      approved.sha256 === approve.sha256 &&
      approved.sha256 === planNow(run)
    );
  };
  return {
    check: () => {
      if (isGiven()) return;
      mustWait(run, approve);
      mayApprove(run, approve);
    },
    take: () => {
      if (!isGiven()) {
        run.answers.approved = { ...approve, sha256: planNow(run) };
        run.recordAction(approve, 'approve', approve.reason);
      }
      return `plan ${approve.hash} has been approved`;
    },
  };
};

const rejection = (run: Run, reject: Refuse): Effect => {
  const isGiven = (): boolean =>
    run.answers.rejected !== undefined && isSamePerson(run.answers.rejected, reject);
  return {
    check: () => {
      if (!isGiven()) mustWait(run);
    },
    take: () => {
      if (!isGiven()) {
        run.answers.rejected = reject;
        run.recordAction(reject, 'reject', reject.reason);
      }
      return 'the plan has been rejected';
    },
  };
};

const cancellation = (run: Run, cancel: Cancel): Effect => ({
  check: () => mustBeOpen(run),
  take: async () => {
    run.recordAction(cancel, cancel.now ? 'cancel --now' : 'cancel', cancel.reason);
    await run.cancel(cancel);
    return 'the run is being cancelled';
  },
});

/** An operator freed a slot of the run; signed for the portal queue. */
function slotRelease(run: Run, { queueId, who, reason, release }: SlotReleased): Answer {
  const isTold = release?.runId === run.input.runId && release.who === who && release.reason === reason;
  return {
    name: portalQueueMessages.release,
    workflowId: String(queueId),
    // A message that differs from what was signed counts as unsigned.
    message: isTold ? release : {},
    check: () => undefined,
    take: () => {
      run.recordAction({ who, proof: release.proof }, `release ${queueId}`, reason);
      run.portalQueues.release(queueId);
      return 'the slot is free';
    },
  };
}

/** By the names of their signals. */
const effects: Readonly<Record<string, (run: Run, message: never) => Effect>> = {
  [messageNames.approve]: approval,
  [messageNames.reject]: rejection,
  [messageNames.resume]: (run: Run, resume: Resume) => ({
    check: () => mustBeParked(run),
    take: () => acceptResume(run, resume),
  }),
  [messageNames.cancel]: cancellation,
  [messageNames.supersede]: (run: Run, supersede: Supersede) => ({
    check: () => mustBeOpen(run),
    take: () => {
      run.answers.superseded = supersede;
      return 'superseded';
    },
  }),
};

const planNow = ({ state: { plan } }: Run): string | undefined => plan?.sha256;

const isSamePerson = (one: Refuse, other: Refuse): boolean =>
  one.who === other.who && identityOf(one) === identityOf(other);

function mustBeOpen({ state: { finishedAt } }: Run): void {
  if (finishedAt !== undefined) throw refuse('the run has ended');
}

function mustBeParked(run: Run): void {
  const { status } = run.state;
  if (status !== 'parked') throw refuse(`the run is ${status}, not parked`);
  if (run.answers.resuming) throw refuse('another resume of this run is being checked');
}

function mustWait(run: Run, approval?: Approve): void {
  const { status, plan } = run.state;
  if (run.isCancelled) throw refuse('the run is being cancelled');
  if (status !== 'waiting') throw refuse(`the run is ${status} and does not wait for approval`);
  const { approved, rejected } = run.answers;
  if (rejected) throw refuse(`${rejected.who} has rejected the plan`);
  const why = approval && notApproved(plan, approval);
  if (why !== undefined) throw refuse(why);
  if (approved && approved.sha256 === planNow(run)) throw refuse(`${approved.who} has approved the plan`);
}

/** Checks the approver against the worker's policy for the target portal. */
function mayApprove({ facts: { ruling }, input: { startedBy } }: Run, { who, sha256 }: Approve): void {
  // Membership is checked when the decision is authenticated.
  const why =
    ruling && whyNotNamed(ruling.asMembers ? { ...ruling, approvers: undefined } : ruling, who, startedBy);
  if (why !== undefined) throw refuse(why);
  if (sha256 === undefined) throw refuse('an approval needs the full hash of the plan');
}

/**
 * Resumes a parked run. Checks the facts again, with the corrections, before anything changes. If they are refused,
 * the caller is told and the run stays parked.
 */
async function acceptResume(run: Run, resume: Resume): Promise<string> {
  const { parked } = run.state;
  const parkedIn = run.phases.find(({ name }) => name === parked?.phase);
  if (!parked || !parkedIn || !run.kind.checkResume) throw refuse('the run is not parked');
  const { reason, set = {} } = resume;
  run.answers.resuming = true;
  try {
    const from = resumePhase(run, parkedIn, parked.code);
    const { phase, accept } = await run.kind.checkResume(run, set, from);
    // It may have been cancelled or superseded during the checks.
    if (run.state.parked !== parked) throw refuse('the run is no longer parked');
    accept?.();
    run.recordAction(resume, `resume${setWords(set)}`, reason);
    run.work.jobDeadlineFrom = Date.now();
    run.answers.goOnWith = phase;
    return `resumes with ${phase}`;
  } catch (thrown) {
    await run.refuseResume();
    throw thrown;
  } finally {
    run.answers.resuming = false;
  }
}

/** Settings by the names people type. */
const settingNames: Readonly<Record<string, string>> = {
  folderId: 'target.folder',
  folderOwner: 'target.folderOwner',
  jobDeadlineMs: 'jobDeadline',
  freeDiskBytes: 'limits.freeDiskBytes',
};

/** ` with target.folder=…`, for the record. */
function setWords(set: RouteChange): string {
  const words = Object.entries(set).map(([name, value]) => `${settingNames[name] ?? name}=${value ?? ''}`);
  return words.length > 0 ? ` with ${words.join(', ')}` : '';
}
