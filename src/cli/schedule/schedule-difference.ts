import type { ScheduleOptions } from '@temporalio/client';
import type { ScheduleMemo } from '../../model/schedule/schedule';
import { fieldsOnServer, type ScheduleFields, desiredFields } from './schedule-fields';
import type { ScheduleChangeView, ScheduleFieldChange } from './schedule-view';
import type { ServerSchedule } from './server-schedules';
import type { DesiredSchedule } from './desired-schedules';

/** What is different about one schedule, with both of its sides. */
export interface ScheduleChange extends ScheduleChangeView {
  readonly desired?: DesiredSchedule;
  readonly found?: ServerSchedule;
}

export type ScheduleState = Pick<NonNullable<ScheduleOptions['state']>, 'paused' | 'note'>;

/** The difference between what ought to be and what is, by name. */
export function scheduleDifference(
  desired: readonly DesiredSchedule[],
  found: readonly ServerSchedule[],
  { prune = false }: { /** Those that another tool made go as well. */ readonly prune?: boolean } = {},
): ScheduleChange[] {
  const changes = desired.map((each) =>
    changeOf(
      each,
      found.find(({ id }) => id === each.id),
    ),
  );
  const others = found
    .filter(({ id }) => desired.every((each) => each.id !== id))
    .map((each): ScheduleChange => {
      const goes = prune || each.made !== undefined;
      return { name: each.name, change: goes ? 'delete' : 'left', fields: [], found: each };
    });
  return [...changes, ...others].sort((a, b) => a.name.localeCompare(b.name));
}

function changeOf(desired: DesiredSchedule, found: ServerSchedule | undefined): ScheduleChange {
  const { name } = desired;
  const state = stateAfter(desired, found);
  const after = { ...desiredFields(desired), ...wordsOf(state) };
  if (!found) return { name, change: 'create', fields: [], desired };
  const before = { ...fieldsOnServer(found.description), ...wordsOf(found.description.state) };
  const fields = fieldChanges(before, after);
  const isKept = state.paused === true && desired.spec?.paused !== true;
  return {
    name,
    change: fields.length === 0 ? 'unchanged' : 'change',
    fields,
    keptPause: isKept ? (state.note ?? 'without a reason') : undefined,
    desired,
    found,
  };
}

/**
 * Whether a schedule is paused once it is applied, and with which note. Somebody who paused it by hand had a reason:
 * only a file that says `paused: false` resumes it.
 */
export function stateAfter(
  { spec }: Pick<DesiredSchedule, 'spec'>,
  found: Pick<ServerSchedule, 'made' | 'description'> | undefined,
): ScheduleState {
  const says = { paused: spec?.paused ?? false, note: noteOf(spec) };
  const { paused, note } = found?.description.state ?? { paused: false };
  const byHand = paused && !(found?.made?.paused === true && (note || undefined) === noteOf(found.made));
  const stays = byHand && spec?.paused !== false;
  return stays ? { paused: true, note: note || undefined } : says;
}

const noteOf = (of: Pick<ScheduleMemo, 'paused' | 'note'> | undefined): string | undefined =>
  of?.note ?? (of?.paused ? 'paused in portolan.yaml' : undefined);

const wordsOf = ({ paused, note }: ScheduleState): ScheduleFields => ({
  paused: paused ? 'yes' : 'no',
  ...(note && { note }),
});

function fieldChanges(before: ScheduleFields, after: ScheduleFields): ScheduleFieldChange[] {
  const names = [...new Set([...Object.keys(after), ...Object.keys(before)])];
  const changes = names
    .map((field) => ({ field, from: before[field], to: after[field] }))
    .filter(({ from, to }) => from !== to);
  const told = changes.filter(({ field }) => field !== 'form');
  // The form follows what people choose; alone it is the mark of another version or tool.
  return told.length > 0 || changes.length === 0
    ? told
    : [{ field: 'form', from: 'of another version or tool', to: 'of this version' }];
}
