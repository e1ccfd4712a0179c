import {
  CancellationScope,
  CancelledFailure,
  log,
  setCurrentDetails,
  upsertSearchAttributes,
  workflowInfo,
} from '@temporalio/workflow';
import type { ChangeInput, ChangeKind, ChangeRecord } from '../../model/portal-change/change';
import { type ChangeStep, changeSteps } from '../../model/portal-change/change-steps';
import { saveChange } from '../run/calls';
import { errorRecordOf, mayHaveBegun } from '../run/failure';
import { actionOf, now } from '../run/first-state';
import { throwUnlessDone } from '../run/outcome';
import { outcomeKey, phaseKey } from '../run/search-attributes';

/** How a step ended: one line for people, and whether nothing is left to do. */
export interface StepEnd {
  readonly detail: string;
  readonly isAll?: boolean;
}

/** A change while it is carried out. */
export class Change<Input extends ChangeInput = ChangeInput> {
  readonly state: ChangeRecord;

  constructor(
    kind: ChangeKind,
    readonly input: Input,
  ) {
    const { runId, operation, portal, from, startedBy, reason } = input;
    this.state = {
      runId,
      kind,
      operation,
      status: 'running',
      target: 'untouched',
      portal,
      from,
      temporal: { workflowId: runId, runId: workflowInfo().runId },
      startedAt: now(),
      startedBy,
      phases: changeSteps.map((name) => ({ name, status: 'pending' })),
      actions: [actionOf(startedBy, 'start', reason)],
      warnings: [],
    };
  }

  /** The portals of it, for errors. */
  get ends() {
    const { portal, from } = this.input;
    return { source: from, target: portal };
  }

  /** One step, with its place in the record. */
  async step(name: ChangeStep, work: () => Promise<StepEnd>): Promise<StepEnd> {
    const record = this.state.phases.find((each) => each.name === name);
    if (!record) throw new TypeError(`no step ${name}`);
    Object.assign(record, { status: 'running', startedAt: now() });
    upsertSearchAttributes([{ key: phaseKey, value: name }]);
    try {
      const end = await work();
      Object.assign(record, { status: 'done', detail: end.detail, finishedAt: now() });
      return end;
    } catch (thrown) {
      const detail = errorRecordOf(thrown, this.ends).message;
      Object.assign(record, { status: 'failed', detail, finishedAt: now() });
      throw thrown;
    } finally {
      await this.save();
    }
  }

  async save(): Promise<void> {
    const { status, kind, operation, portal, phases } = this.state;
    const lines = phases.map(({ name, status: how, detail = '' }) => `- ${name}: ${how} ${detail}`);
    setCurrentDetails([`**${status}**  ${kind} ${operation}: ${portal.portal}`, '', ...lines].join('\n'));
    try {
      await CancellationScope.nonCancellable(() => saveChange(this.state));
    } catch (error) {
      log.warn('the record could not be written', { error });
    }
  }
}

/**
 * Carries a change out: reads what is there, writes what differs, and reads it back. A change is short and is not
 * given up half way: what was written is always looked at.
 */
export async function carryOut<Input extends ChangeInput>(
  change: Change<Input>,
  steps: Record<ChangeStep, (change: Change<Input>) => Promise<StepEnd>>,
): Promise<ChangeRecord> {
  const { state } = change;
  let thrown: unknown;
  try {
    const { isAll = false } = await change.step('read', () => steps.read(change));
    if (isAll) {
      state.status = 'nothing-to-do';
    } else {
      if (CancellationScope.current().consideredCancelled)
        throw new CancelledFailure('cancelled before anything was written');
      await CancellationScope.nonCancellable(async () => {
        state.target = 'unknown';
        await change.step('write', () => steps.write(change));
        state.target = 'changed';
        await change.step('check', () => steps.check(change));
      });
      state.status = 'succeeded';
    }
  } catch (error) {
    thrown = error;
    state.error = errorRecordOf(error, change.ends);
    state.status = state.error.code === 'CANCELLED' ? 'cancelled' : 'failed';
    if (state.target === 'unknown' && !mayHaveBegun(error, change.ends)) state.target = 'untouched';
  }
  state.finishedAt = now();
  for (const phase of state.phases) if (phase.status === 'pending') phase.status = 'skipped';
  upsertSearchAttributes([{ key: outcomeKey, value: state.status }]);
  await change.save();
  return throwUnlessDone(state, thrown);
}
