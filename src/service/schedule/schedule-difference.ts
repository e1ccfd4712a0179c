import { ScheduleAlreadyRunning, type ScheduleOptions, type ScheduleUpdateOptions } from '@temporalio/client';
import { PortolanError } from '../../model/errors/errors';
import { readScheduleMemo, type ScheduleMemo } from '../../model/schedule/schedule';
import { keyIdOf } from '../../temporal/encryption/payload-codec';
import { registerSearchAttributes } from '../../temporal/search-attributes';
import type { TemporalClient } from '../../temporal/session';
import type { DesiredSchedule } from './desired-schedules';
import { desiredFields, fieldsOnServer, type ScheduleFields, signatureOf } from './schedule-fields';
import type { ScheduleFieldChange } from './schedule-view';
import { handleOf, type ServerSchedule } from './server-schedules';

/** What is different about one schedule, with what it is made of. */
export interface ScheduleChange {
  readonly name: string;
  /** What `apply` does with it; `left`: another tool made it. */
  readonly change: 'create' | 'change' | 'delete' | 'unchanged' | 'left';
  readonly fields: readonly ScheduleFieldChange[];
  /** Why it is paused, where somebody paused it by hand and it stays so. */
  readonly keptPause?: string;
  readonly desired?: DesiredSchedule;
  readonly found?: ServerSchedule;
}

type ScheduleState = Pick<NonNullable<ScheduleOptions['state']>, 'paused' | 'note'>;

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
  const changes = fieldChanges(before, after);
  const fields = [
    ...(changes.length > 0 ? changes : signatureChange(desired, found)),
    ...encryptionChange(desired, found),
  ];
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

/** What says the same but was signed with another key starts runs that are refused. */
function signatureChange(
  { options }: DesiredSchedule,
  { description }: ServerSchedule,
): ScheduleFieldChange[] {
  const from = signatureOf(description.action.args);
  const to = signatureOf(options.action.args);
  return from === to ? [] : [{ field: 'signature', from, to }];
}

/** What says the same and lies on the server in clear, or under a key that is no longer the one that encrypts. */
function encryptionChange(
  { encryptedWith: to = IN_CLEAR }: DesiredSchedule,
  { description: { raw } }: ServerSchedule,
): ScheduleFieldChange[] {
  const [payload] = raw.schedule?.action?.startWorkflow?.input?.payloads ?? [];
  const from = (payload && keyIdOf(payload)) ?? IN_CLEAR;
  return from === to ? [] : [{ field: 'encryption', from, to }];
}

const IN_CLEAR = 'in clear';

/**
 * Whether a schedule is paused once it is applied, and with which note. Somebody who paused it by hand had a reason:
 * only a file that says `paused: false` resumes it.
 */
function stateAfter(
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
  const shown = changes.filter(({ field }) => field !== 'form');
  // The form follows what people choose; alone it is the mark of another version or tool.
  return shown.length > 0 || changes.length === 0
    ? shown
    : [{ field: 'form', from: 'of another version or tool', to: 'of this version' }];
}

/** Makes the server's schedules what the difference says, one after the other; `onDone` is told of each. */
export async function applyChanges(
  temporal: TemporalClient,
  changes: readonly ScheduleChange[],
  onDone: (change: ScheduleChange) => void,
): Promise<void> {
  // Runs of the schedules carry them, and no worker may have met this server yet.
  await registerSearchAttributes(temporal.connection, temporal.namespace);
  for (const change of changes) {
    const { desired, found } = change;
    if (change.change === 'create' && desired) await createSchedule(temporal, desired);
    else if (change.change === 'change' && desired) await updateSchedule(temporal, desired);
    else if (change.change === 'delete' && found) await handleOf(temporal, found.id).delete();
    else continue;
    onDone(change);
  }
}

/** Makes a new schedule; one that came to be meanwhile becomes what is desired. */
async function createSchedule(temporal: TemporalClient, desired: DesiredSchedule): Promise<void> {
  const { id: scheduleId, options } = desired;
  try {
    await temporal.client.schedule.create({ scheduleId, ...options, state: stateAfter(desired, undefined) });
  } catch (thrown) {
    if (!(thrown instanceof ScheduleAlreadyRunning)) throw refusedBy(thrown, desired);
    await updateSchedule(temporal, desired);
  }
}

async function updateSchedule(temporal: TemporalClient, desired: DesiredSchedule): Promise<void> {
  try {
    await handleOf(temporal, desired.id).update((description): ScheduleUpdateOptions => {
      // Somebody may have paused it since the difference was shown.
      const found = { made: readScheduleMemo(description.action.memo), description };
      return { ...desired.options, state: stateAfter(desired, found) };
    });
  } catch (thrown) {
    throw refusedBy(thrown, desired);
  }
}

/** The client throws a plain TypeError where the server does not take what it was sent, as a zone that it lacks. */
const refusedBy = (thrown: unknown, { name }: DesiredSchedule): unknown =>
  thrown instanceof TypeError
    ? new PortolanError('CONFIG_INVALID', `Temporal does not take schedule "${name}": ${thrown.message}.`, {
        hint: `Correct schedules.${name} in portolan.yaml.`,
      })
    : thrown;
