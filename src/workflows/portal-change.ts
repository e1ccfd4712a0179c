import { CancellationScope, CancelledFailure } from '@temporalio/workflow';
import {
  type ChangeInput,
  type DocumentChangeInput,
  type DocumentKind,
  routeOfChange,
  type TaskRunInput,
} from '../model/portal-change/change';
import type { RunKind } from '../model/run/run';
import { countOf } from '../model/text/words';
import { reading, writing } from './run/activity-options';
import { defineRun } from './run/run-to-end';
import { requireFact, type Memory } from './run/memory';
import { mayHaveBegun, refusal } from './run/failure';
import type { Kind } from './run/phase';
import { Run, type RunStart } from './run/run';

/** How a step ended: one line for people. */
interface StepEnd {
  readonly detail: string;
}

/** The steps of a portal change. */
interface ChangeSteps<Found> {
  /** Reads the current values; saves the previous ones in the store. Returns what to write, if anything differs. */
  read(run: Run): Promise<StepEnd & { readonly found?: Found | undefined }>;
  /** Writes once. */
  write(run: Run, found: Found): Promise<StepEnd>;
  /** Reads back what was written, because a portal may report success but keep the old value. */
  check(run: Run, found: Found): Promise<StepEnd>;
}

/** An open change of a portal. */
class ChangeRun<Found> extends Run<RunStart, { found?: Found | undefined }> {
  constructor(kind: Kind<ChangeRun<Found>>, input: ChangeInput, memory?: Memory) {
    super(kind, { ...input, route: routeOfChange(input) }, memory);
  }
}

/** Makes the workflow of a change of a portal. Short and not cancelled halfway, so that every write is checked. */
const defineChange = <Input extends ChangeInput, Found>(
  name: RunKind,
  steps: (input: Input) => ChangeSteps<Found>,
) =>
  defineRun<Input, ChangeRun<Found>>({ name, verdict, first: () => ({}) }, ChangeRun, (input) => {
    const { read, write, check } = steps(input);
    return [
      {
        name: 'read',
        async run(run) {
          const { detail, found } = await read(run);
          run.own.found = found;
          return { detail, then: found === undefined ? 'end' : undefined };
        },
      },
      {
        name: 'write',
        async run(run) {
          if (CancellationScope.current().consideredCancelled)
            throw new CancelledFailure('cancelled before anything was written');
          run.show({ target: 'unknown' });
          try {
            const found = requireFact(run.own, 'found');
            const { detail } = await CancellationScope.nonCancellable(() => write(run, found));
            run.show({ target: 'changed' });
            return { detail };
          } catch (thrown) {
            if (run.state.target === 'unknown' && !mayHaveBegun(thrown, run.route))
              run.show({ target: 'untouched' });
            throw thrown;
          }
        },
      },
      {
        name: 'check',
        run: (run) => CancellationScope.nonCancellable(() => check(run, requireFact(run.own, 'found'))),
      },
    ];
  });

const verdict = ({ state }: Run) => (state.target === 'untouched' ? 'nothing-to-do' : 'succeeded');

const defineDocumentChange = (kind: DocumentKind, title: string) =>
  defineChange(kind, ({ runId, portal, expected, warnings = [] }: DocumentChangeInput) => {
    const { portal: name } = portal;
    const change = { runId, kind, portal };
    return {
      read: async (run) => {
        const found = await reading(title, name).findChange({ ...change, expected });
        for (const warning of [...warnings, ...found.warnings]) run.warn(warning);
        const { count, parts, changes, saved } = found;
        run.show({ changes, saved });
        return { detail: countOf(count, 'difference'), found: count > 0 ? parts : undefined };
      },
      write: async (run, parts: readonly string[]) => {
        for (const part of parts) {
          await writing(part, name).writeChange({ ...change, part });
          run.show({ target: 'changed' });
        }
        return { detail: parts.join(', ') };
      },
      check: async (run) => {
        const { lacking, own } = await reading(`${title}, again`, name).checkChange(change);
        if (lacking.length > 0)
          throw refusal(
            'NOT_TAKEN',
            `${name} reported success, but shows different values: ${lacking.join(', ')}`,
            `Check these on ${name}; someone else may be changing them too.`,
            name,
          );
        if (own.length > 0) run.warn(`${name} shows its own value or order of ${own.join(', ')}`);
        return { detail: 'read back' };
      },
    };
  });

/** Changes a portal's settings that differ. The previous values are saved in the store. */
export const settings = defineDocumentChange('settings', 'settings');

/** Assigns or deletes a portal's category schema. The previous one is saved in the store. */
export const categorySchema = defineDocumentChange('category-schema', 'category schema');

/** Sets the status of a portal task's run. */
export const taskRun = defineChange('task-run', (input: TaskRunInput) => {
  const { task, status } = input;
  const { portal } = task;
  return {
    read: async (run) => {
      const before = await reading('portal task', portal).findTaskRun(task);
      // A portal may clear a result that is not sent again.
      const report = { status, result: input.result ?? before.result ?? '' };
      const changes = [
        { path: 'status', before: before.status, after: report.status },
        { path: 'result', before: before.result, after: report.result },
      ].filter((change) => change.before !== change.after);
      run.show({ changes });
      const { taskRunId } = before;
      const found = changes.length > 0 ? { task: { ...task, taskRunId }, report } : undefined;
      return { detail: `run ${taskRunId}, ${before.status ?? 'no status'}`, found };
    },
    write: async (_run, found) => {
      await writing('portal task', portal).writeTaskRun(found);
      return { detail: status };
    },
    check: async (_run, found) => {
      const holds = await reading('portal task, again', portal).checkTaskRun(found);
      if (holds) return { detail: 'read back' };
      throw refusal(
        'NOT_TAKEN',
        `${portal} reported success, but run ${found.task.taskRunId} of task ${task.taskId} is not set to ${status} with the result that was sent`,
        `Check the run on ${portal}; something else may be writing it too.`,
        portal,
      );
    },
  };
});
