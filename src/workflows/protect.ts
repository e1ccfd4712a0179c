import type { ErrorRecord } from '../model/run/run';
import type { ProtectInput } from '../model/snapshot/protect-input';
import { parseRuleRoute } from '../model/snapshot/rule-route';
import { boundedChild } from '../model/snapshot/rule-bounds';
import { countOf } from '../model/text/words';
import { reading, sweeping } from './run/activity-options';
import { eachChild, runChild } from './run/child-runs';
import { defineRun } from './run/run-to-end';
import { afterRun, type Kind, type Phase } from './run/phase';
import { type Child, Run } from './run/run';
import { now } from './run/state';

/** A group of the rule. */
interface Group {
  readonly id: string;
  readonly title: string;
  /** As the portal listed them at the start, from 1. */
  readonly number: number;
}

/** An open run of a rule: the groups that are still to be backed up; `children` of its state has the others. */
type ProtectRun = Run<ProtectInput, { groups: readonly Group[] }>;

const isSaved = ({ status }: Child): boolean => status === 'succeeded' || status === 'nothing-to-do';
const notSaved = ({ children }: ProtectRun): Child[] => children.filter((child) => !isSaved(child));

/** Asks the portal which groups match, and reports what changed since the last run. */
const matchGroups: Phase<ProtectRun> = {
  name: 'match',
  async run(run) {
    const { runId, route } = run.input;
    const { portal } = route.source;
    const { groups, changes, more } = await reading(`groups of ${route.name}`, portal).matchGroups({ runId });
    run.own.groups = groups.map((group, index) => ({ ...group, number: index + 1 }));
    run.show({ groups: { count: groups.length, changes: [...changes] } });
    for (const { detail } of changes) run.warn(detail);
    if (more > 0)
      run.warn(`${countOf(more, 'more change')}: portolan protect show ${parseRuleRoute(route.name)?.rule}`);
    if (groups.length === 0) return { detail: 'no group matches', then: 'end' };
    return { detail: `${countOf(groups.length, 'group')} on ${portal}` };
  },
};

/** Backs up each group in a child run, a few at a time. One that fails does not stop the others. */
const backUpGroups: Phase<ProtectRun> = {
  name: 'groups',
  async run(run) {
    const { input, own } = run;
    await eachChild(run, own.groups, input.rule.concurrency, (group) => backUp(run, group));
    const failed = notSaved(run);
    const saved = `${countOf(run.children.length - failed.length, 'group')}, ${countOf(run.itemCount, 'item')}`;
    return failed.length === 0
      ? { detail: saved }
      : { detail: `${saved}; ${failed.length} not backed up`, status: 'failed' };
  },
};

/** Backs up one group, however that ends. */
async function backUp(run: ProtectRun, { id: groupId, title, number }: Group): Promise<void> {
  const startedAt = now();
  const shown = { name: title, groupId, startedAt };
  const summary = `group ${title} of ${run.route.name}`;
  const { runId, state, status, error } = await runChild(run, { number, groupId }, { ...shown, summary });
  const { id: snapshotId, items = 0, sizeBytes } = state?.snapshot ?? {};
  const reason = status === 'partial' ? state?.warnings.at(-1) : error && reasonOf(error);
  const end = { ...shown, runId, items, status, snapshotId, sizeBytes, finishedAt: now(), reason };
  const failed = notSaved(run).filter((each) => each.finishedAt !== undefined).length;
  const child = boundedChild(end, failed);
  run.noteChild(child);
  run.own.groups = run.own.groups.filter((group) => group.number !== number);
  if (!isSaved(child)) run.warn(`group "${title}" (${groupId}) is not backed up: ${reason ?? status}`);
}

const reasonOf = ({ code, message }: ErrorRecord): string => `${code}: ${message}`.slice(0, 300);

/** Counts what of the portal is protected now, for the web UI and alerts. That it fails costs no backup. */
const count: Phase<ProtectRun> = {
  name: 'coverage',
  async run(run) {
    const { runId, route } = run.input;
    const { portal } = route.source;
    return await run.attempt(`the items of ${portal} could not be counted`, async () => {
      const calls = sweeping(`coverage of ${portal}`, portal);
      const { protected: saved, exportable } = await calls.countCoverage({ runId });
      return { detail: `${saved} of ${countOf(exportable, 'item')} on ${portal} protected` };
    });
  },
};

/** Applies the rule's retention to all its groups, and notes how the run ended, however it did. */
const finish: Phase<ProtectRun> = {
  name: 'retention',
  async run(run) {
    const { input, state } = run;
    return await run.attempt('the policy could not be applied', async () => {
      const { kept, forgotten } = await sweeping('forget snapshots by policy').finishRule({
        runId: input.runId,
        startedAt: state.startedAt,
        error: state.error && reasonOf(state.error),
        children: run.children,
      });
      const words = input.keep ? '' : 'no policy, all backups kept: ';
      return { detail: `${words}${kept} kept, ${forgotten} forgotten` };
    });
  },
};

const kind: Kind<ProtectRun> = {
  name: 'protect',
  notifies: true,
  first: () => ({ groups: [] }),
  last: finish,
  verdict(run) {
    if (notSaved(run).length > 0) return 'partial';
    return run.children.some(({ status }) => status === 'succeeded') ? 'succeeded' : 'nothing-to-do';
  },
};

/** Backs up every group of a portal that matches a rule. */
export const protect = defineRun<ProtectInput, ProtectRun>(kind, Run, ({ after }) => [
  ...afterRun(after),
  matchGroups, // which groups match now, and what changed since the last run
  backUpGroups, // one child run each
  count, // what of the portal is protected now
]);
