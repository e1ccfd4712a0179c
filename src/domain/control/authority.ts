import { z } from 'zod';
import { PortolanError } from '../../model/errors/errors';
import { type IntendedWrite, type Ruling, whyNotApprover } from '../../model/run/policy';
import {
  identityOf,
  type Person,
  type Proof,
  type ReceivedAnswer,
  type ReceivedStart,
} from '../../model/run/signature';
import { promotionEntry } from '../../model/release/promotion';
import { partOf, type Which, type PromotionInput, stageName } from '../../model/release/promotion-input';
import { isRunId, wholeOfPart, wholesOf } from '../../model/run/run-id';
import { type Approve, messageNames, type Part } from '../../model/run/run-input';
import { Releases } from '../release/releases';
import { wholePlan } from '../release/whole-plan';
import { workerViewWorkflow } from '../../model/run/worker-view';
import { deliveryWorkflow } from '../../model/run/notification';
import type { ProtectedPart } from '../../model/snapshot/protect-input';
import { watchWorkflow } from '../../model/snapshot/watch-age';
import { keys } from '../../store/keys';
import type { Store } from '../../store/store';
import { runGroups } from '../protect/rule-groups';
import { type HeldGroup, showsPlan } from '../policy/decide';
import type { AwaitedWindow, Policy } from '../policy/policy';
import { hashOfJson } from '../snapshot/hashing';
import {
  type AdmittedStart,
  admittedStart,
  intendedBy,
  isObject,
  signedInput,
  noteRefusal,
} from './admitted-start';
import { type Control, notAuthentic } from './control';

/** An intended write, as known to the activity. */
export interface AuthorizedWrite {
  readonly target: { readonly portal: string; readonly groupId?: string };
  /** The run that is rolled back. @default none */
  readonly undoes?: string;
  /** The whole hash of the plan that is carried out, whose approval is looked for. @default any plan of the run */
  readonly plan?: string;
  /** Continues a started write: windows apply only to the start. @default false */
  readonly hasBegun?: boolean;
  /** Uploads only a package, before anyone has seen a plan. @default false */
  readonly isOwnPackage?: boolean;
}

/** Workflows that are not runs: they write to no portal and leave nothing. */
const LEAVE_NOTHING: ReadonlySet<string> = new Set([
  ...[deliveryWorkflow, watchWorkflow, workerViewWorkflow],
]);

const admittedApproval = z.custom<Approve>(isObject);

/** That a promotion was let write content, and that it was resumed since. */
const begunNote = z.object({ at: z.string(), resumedAt: z.string().optional() });
type Begun = z.infer<typeof begunNote>;

/** Runs with parts whose starts and plans a worker remembers. */
const WHOLES_MAX = 16;

/**
 * What a run may do, by signatures and policy, whatever its workflow says: someone with access to Temporal can forge
 * a history and call activities, but not sign.
 */
export class Authority {
  /**
   * Starts of runs whose parts have asked, and the plans that theirs make up, by their hashes: neither changes, each part
   * asks several times, and of a promotion of a thousand groups each is some 200 KB.
   */
  private readonly wholes = new Map<string, AdmittedStart>();
  private readonly wholePlans = new Map<string, ReadonlySet<string>>();

  constructor(
    private readonly openControl: () => Promise<Control>,
    private readonly policy: Policy,
    private readonly store: Store,
    /** @returns milliseconds since the epoch */
    private readonly now: () => number = Date.now,
  ) {}

  /** Accepts a start once. Throws NOT_AUTHENTIC if it is not signed for this run, is too old, or was used before. */
  async admitStart(start: ReceivedStart): Promise<void> {
    const { workflowId, workflowType, execution, input } = start;
    if (!isRunId(workflowId)) throw notAuthentic('the run ID was not created by Portolan');
    const known = await this.store.readJson(keys.start(workflowId), admittedStart);
    const isKnown = known?.execution === execution;
    try {
      if (input.runId !== undefined && input.runId !== workflowId)
        throw notAuthentic('the start belongs to another run');
      (await this.openControl()).verifyStart(start, { isKnown });
      if (known && (!isKnown || known.endedAt !== undefined))
        throw notAuthentic('the start has been used before');
      const whole = wholeOfPart(workflowId);
      if (!known && whole !== undefined) await this.startOfWhole(whole);
    } catch (thrown) {
      const error = PortolanError.from(thrown);
      if (error.code === 'NOT_AUTHENTIC')
        await noteRefusal(this.store, start, error, new Date(this.now()).toISOString());
      throw error;
    }
    if (!known && !LEAVE_NOTHING.has(workflowType))
      await this.store.writeJson(keys.start(workflowId), { execution, workflowType, input });
  }

  /**
   * Accepts a decision. Child runs also accept decisions on their parents. Throws NOT_AUTHENTIC if it was not signed
   * for one of these runs, or is too old.
   */
  async admitAnswer(answer: ReceivedAnswer): Promise<void> {
    const { workflowId, name, message, fits = true } = answer;
    const control = await this.openControl();
    const isSignedFor = (each: string): boolean =>
      !refusalOf(() => control.verifyAnswer({ ...answer, workflowId: each }));
    if (!wholesOf(workflowId).some(isSignedFor)) control.verifyAnswer(answer);
    if (!fits) return;
    if (name === messageNames.resume) await this.noteResumed(workflowId);
    // The store keeps only the last approval, so one that does not fit must not get there.
    if (name !== messageNames.approve) return;
    await this.requireApprover(workflowId, message as Approve);
    await this.store.writeJson(keys.approval(workflowId), message);
  }

  /** By the current policy: approvers may change while a run waits. Throws POLICY_REFUSED. */
  private async requireApprover(runId: string, approve: Approve): Promise<void> {
    const start = await this.startOf(runId);
    const ruling = await this.policy.approversInto(intendedBy(start).target.portal);
    const why = whyNotApprover(ruling, personOf(approve), starterOf(start));
    if (why !== undefined) throw new PortolanError('POLICY_REFUSED', why);
  }

  /** Signs a child run of an accepted run, as that run's start says. Throws NOT_AUTHENTIC if it has none like that. */
  async signPart(whole: string, which: Which): Promise<Proof> {
    const { workflowType, input } = await this.startOfWhole(whole);
    if ('groupId' in which) await this.requireMatched(whole, which);
    // A schedule signs for all its runs: which one it is, Temporal says.
    try {
      return await this.signChild(whole, partOf(workflowType, { ...input, runId: whole }, which));
    } catch (thrown) {
      throw thrown instanceof RangeError ? notAuthentic(thrown.message) : thrown;
    }
  }

  /** Which groups match a rule its start does not say. Throws NOT_AUTHENTIC for one that the run did not find. */
  private async requireMatched(whole: string, { number, groupId }: ProtectedPart): Promise<void> {
    const found = await this.store.readJson(keys.runGroups(whole), runGroups);
    if (found?.groups[number - 1]?.id !== groupId)
      throw notAuthentic(`${groupId} is not group ${number} of ${whole}`);
  }

  /** Signs a child run that was derived from the start of an accepted run. */
  async signChild(whole: string, { workflow, input }: Part): Promise<Proof> {
    const { runId } = input;
    const start = await this.startOfWhole(whole);
    if (wholeOfPart(runId) !== whole) throw notAuthentic(`${runId} is not a child run of ${whole}`);
    return (await this.openControl()).signPart(workflow, runId, input, identityOf(start.input));
  }

  /**
   * Called right before a write. Throws NOT_AUTHENTIC if the run was not accepted or writes elsewhere than signed,
   * RELEASE_BLOCKED before the first write of a promotion, and POLICY_REFUSED or PORTAL_FROZEN if the policy forbids it
   * or its approval is missing.
   */
  async require(
    runId: string,
    { target, undoes, plan, hasBegun = false, isOwnPackage = false }: AuthorizedWrite,
  ): Promise<void> {
    const start = await this.requireOpen(runId);
    const intended = intendedBy(start);
    const { portal, groupId = intended.target.groupId } = target;
    if (intended.target.portal !== portal || intended.target.groupId !== groupId)
      throw notAuthentic(`${runId} was not started to write to this target`);
    const { parent } = signedInput(start);
    if (undoes !== undefined && undoes !== parent)
      throw notAuthentic(`${runId} was not started to roll back ${undoes}`);
    const approval = isOwnPackage ? undefined : await this.approvalOf(runId, plan);
    const isApproved = isOwnPackage || approval !== undefined;
    const promotion = await this.promotionOf(runId);
    const stage = promotion && stageName(promotion.route.name, promotion.stage);
    const begun = hasBegun ? undefined : await this.begunOf(promotion);
    const goesOn = hasBegun || (await this.hasBegun(promotion, begun, runId));
    const asked = { ...intended, isApproved, hasBegun: goesOn, stage };
    // A package is not content: its import waits for a window.
    const ruling = await this.policy.require(asked, { mayWait: isOwnPackage });
    if (isOwnPackage) return;
    requireYes(runId, start, ruling, approval);
    // What a promotion has written can be rolled back all the same.
    if (promotion && promotion.undoes === undefined && !goesOn && !runId.startsWith('rollback-'))
      await new Releases(this.store).requireUnblocked(promotion.release);
    // The record of a run does not say so: whoever has access to Temporal can have it written.
    if (promotion && !hasBegun && (!begun || begun.resumedAt !== undefined))
      await this.store.writeJson(keys.begun(promotion.runId), { at: new Date(this.now()).toISOString() });
  }

  /** Until when a write has to wait; undefined if it need not, or is refused. */
  async windowOf(runId: string, asked: IntendedWrite): Promise<AwaitedWindow | undefined> {
    const promotion = (await this.promotionAt(runId)) ?? (await this.promotionOf(runId));
    const hasBegun =
      asked.hasBegun === true || (await this.hasBegun(promotion, await this.begunOf(promotion), runId));
    return await this.policy.windowOf({ ...asked, hasBegun });
  }

  /** Groups of stages on a portal whose items a run must not change. */
  async heldFrom(runId: string, portal: string): Promise<readonly HeldGroup[]> {
    const held = this.policy.heldOn(portal);
    return held.length === 0 || (await this.promotionOf(runId)) ? [] : held;
  }

  /**
   * Called right before a deletion of what the run imported, or of earlier snapshots. Throws NOT_AUTHENTIC if no
   * such run was accepted, it has ended, or it was signed for something else.
   * @param isSigned whether the input that was signed says so. @default it need not
   * @returns that input, for this run: a schedule's signature covers all its runs
   */
  async requireSigned<Input extends AdmittedStart['input']>(
    runId: string,
    kind: string,
    isSigned: (input: Input) => boolean = () => true,
  ): Promise<Input> {
    const start = await this.requireOpen(runId);
    const input = { ...start.input, runId } as Input;
    if (start.workflowType !== kind || !isSigned(input))
      throw notAuthentic(`${runId} was not started for this`);
    return input;
  }

  /** Throws NOT_AUTHENTIC where a run was not let in, or is over: one that is begun again from its history stays over. */
  async requireOpen(runId: string): Promise<AdmittedStart> {
    const start = await this.startOf(runId);
    if (start.endedAt === undefined) return start;
    throw notAuthentic(`${runId} ended at ${start.endedAt}`);
  }

  /** Throws NOT_AUTHENTIC where what was started is not the watch over ages that was signed. */
  async verifyWatch(start: Omit<ReceivedStart, 'execution'>): Promise<void> {
    (await this.openControl()).verifyStart(start);
  }

  /** Throws NOT_AUTHENTIC where what was started is not the delivery that was signed; it says itself until when it is good. */
  async verifyDelivery(start: Omit<ReceivedStart, 'execution'>): Promise<void> {
    (await this.openControl()).verifyStart(start, { isKnown: true });
  }

  /** The accepted start of a run. Throws NOT_AUTHENTIC if there is none. */
  async startOf(runId: string): Promise<AdmittedStart> {
    const start = isRunId(runId) ? await this.store.readJson(keys.start(runId), admittedStart) : undefined;
    if (!start) throw notAuthentic(`${runId} was not accepted by this version with this store`);
    (await this.openControl()).verifyStart({ ...start, workflowId: runId }, { isKnown: true });
    return start;
  }

  /** The accepted start of a run with child runs, which may have ended. It is verified once per control key. */
  private async startOfWhole(runId: string): Promise<AdmittedStart> {
    const key = (await this.openControl()).derive('remembered start', runId).toString('hex');
    return this.wholes.get(key) ?? remembered(this.wholes, key, await this.startOf(runId));
  }

  /** The promotion of which a run is a part; what was signed for it. */
  private async promotionOf(runId: string): Promise<PromotionInput | undefined> {
    const whole = wholeOfPart(runId);
    return whole === undefined ? undefined : await this.promotionAt(whole);
  }

  /** What was signed for the promotion of that id; undefined where it is the id of another kind of run. */
  private async promotionAt(whole: string): Promise<PromotionInput | undefined> {
    if (!whole.startsWith('promotion-')) return undefined;
    const { workflowType, input } = await this.startOfWhole(whole);
    return workflowType === 'promotion' ? ({ ...input, runId: whole } as PromotionInput) : undefined;
  }

  /**
   * Whether a promotion finishes although a window closes, as it has started to write. One that was resumed since asks
   * for a window again before it imports; its way back goes on.
   * @param runId the promotion's, or that of its part
   */
  private async hasBegun(
    promotion: PromotionInput | undefined,
    begun: Begun | undefined,
    runId: string,
  ): Promise<boolean> {
    if (!promotion) return false;
    if (!begun || begun.resumedAt === undefined || promotion.undoes !== undefined) return begun !== undefined;
    if (runId.startsWith('restore-')) return false;
    // Before its end, only a promotion that is rolled back has an outcome.
    const { route, stage } = promotion;
    const outcome = { pipeline: route.name, stage, runId: promotion.runId, kind: 'promoted' };
    return (await this.store.readJson(keys.promotion(outcome), promotionEntry)) !== undefined;
  }

  private async begunOf(promotion: PromotionInput | undefined): Promise<Begun | undefined> {
    return promotion && (await this.store.readJson(keys.begun(promotion.runId), begunNote));
  }

  private async noteResumed(runId: string): Promise<void> {
    const key = keys.begun(runId);
    const begun = await this.store.readJson(key, begunNote);
    if (begun) await this.store.writeJson(key, { ...begun, resumedAt: new Date(this.now()).toISOString() });
  }

  /** Hashes of the plans that make up one over all parts of a promotion; undefined where that is not in the store. */
  private async plansIn(whole: string, sha256: string): Promise<ReadonlySet<string> | undefined> {
    const key = keys.wholePlan(whole, sha256);
    const known = this.wholePlans.get(key);
    if (known) return known;
    const found = await this.store.readJson(key, wholePlan);
    if (!found || hashOfJson(found) !== sha256) return undefined;
    return remembered(this.wholePlans, key, new Set(found.groups.map((group) => group.sha256)));
  }

  /** The last approval, if it is for this plan; for a promotion's child run, that of the whole plan. */
  private async approvalOf(runId: string, plan: string | undefined): Promise<Approve | undefined> {
    if (await this.promotionOf(runId)) {
      const whole = wholeOfPart(runId) ?? '';
      const approval = await this.approvalOf(whole, undefined);
      const sha256 = approval?.sha256;
      const approved = sha256 === undefined ? undefined : await this.plansIn(whole, sha256);
      // Its rollback is approved with it.
      const isIts = plan === undefined || runId.startsWith('rollback-') || approved?.has(plan);
      return approved && isIts ? approval : undefined;
    }
    const message = await this.store.readJson(keys.approval(runId), admittedApproval);
    if (!message || (plan !== undefined && message.sha256 !== plan)) return undefined;
    const answer = { workflowId: runId, name: messageNames.approve, message };
    (await this.openControl()).verifyAnswer(answer, { isKnown: true });
    return message;
  }
}

/** Throws POLICY_REFUSED where a write lacks the approval that the ruling asks for. */
function requireYes(
  runId: string,
  start: AdmittedStart,
  ruling: Ruling,
  approval: Approve | undefined,
): void {
  if (ruling.approval === 'none') return;
  const isOwnYes = signedInput(start).yes && !ruling.twoPeople && !ruling.approvers;
  if (ruling.approval === 'ask' && (isOwnYes || !showsPlan(intendedBy(start).writer))) return;
  const why = approval
    ? whyNotApprover(ruling, personOf(approval), starterOf(start))
    : 'its plan has no approval';
  if (why !== undefined) throw new PortolanError('POLICY_REFUSED', `${runId} may not write: ${why}`);
}

/** Remembers a value under its key, and forgets all others where they are too many. */
function remembered<T>(among: Map<string, T>, key: string, value: T): T {
  if (among.size >= WHOLES_MAX) among.clear();
  among.set(key, value);
  return value;
}

/** The verified author of a decision. */
const personOf = (answer: Approve): Person => ({ who: answer.who, identity: identityOf(answer) });

const starterOf = (start: AdmittedStart): Person => ({
  who: signedInput(start).startedBy ?? '',
  identity: identityOf(start.input),
});

function refusalOf(check: () => void): PortolanError | undefined {
  try {
    check();
    return undefined;
  } catch (thrown) {
    return PortolanError.from(thrown);
  }
}
