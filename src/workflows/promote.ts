import { choose } from './promote/choose';
import { DueRun } from './promote/due-run';
import { promoteChosen } from './promote/promote-chosen';
import { defineRun } from './run/define-run';
import type { Kind } from './run/phase';

const kind: Kind<DueRun> = {
  name: 'promote',
  notifies: true,
  verdict: (run) => (run.own.chosen ? 'succeeded' : 'nothing-to-do'),
};

/** Promotes what is eligible for a stage, as a child run. Schedules start it. */
export const promote = defineRun(kind, DueRun, () => [
  choose, // the eligible release, if any
  promoteChosen,
]);
