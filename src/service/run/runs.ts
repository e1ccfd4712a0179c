import type { runOperations } from '../../contract/runs';
import { PortolanError } from '../../model/errors/errors';
import type { Handlers } from '../context';
import { numberOfCursor } from '../cursor';
import { resolveRun, seekGroupRun } from './find-run';
import { planPage } from './lookup/plan-page';
import { readPlan } from './read-run';

export const runHandlers: Handlers<typeof runOperations> = {
  viewRun: (sources, { run, ofGroup }) => (ofGroup ? seekGroupRun : resolveRun)(sources, run),

  async readPlan(sources, { run, cursor, limit: count = Infinity, action, search }) {
    const { record } = await resolveRun(sources, run);
    const { value, why } = await readPlan(sources.store, record);
    if (value === undefined) throw why ?? noPlan(record.runId);
    const { rows, total, next } = planPage(value, { action, search, from: numberOfCursor(cursor), count });
    return { ...value, rows, total, next: next?.toString() };
  },
};

const noPlan = (runId: string): PortolanError =>
  new PortolanError('NOT_FOUND', `${runId} has no plan in the store.`, {
    hint: 'A plan is created in the phase "preview".',
  });
