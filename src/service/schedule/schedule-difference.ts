import {
  ScheduleAlreadyRunning,
  ScheduleNotFoundError,
  type ScheduleOptions,
  type ScheduleUpdateOptions,
} from '@temporalio/client';
import type { Config } from '../../config/config';
import type { ScheduleFieldChange } from '../../contract/schedules';
import { PortolanError } from '../../model/errors/errors';
import { readScheduleMemo, type ScheduleMemo } from '../../model/schedule/schedule';
import { keyIdOf } from '../../temporal/encryption/payload-codec';
import { registerSearchAttributes } from '../../temporal/search-attributes';
import type { TemporalClient } from '../../temporal/connection';
import { type DesiredSchedule, markedOptions } from './desired-schedules';
import {
  desiredFields,
  fieldsOnServer,
  type ScheduleFields,
  signatureOf,
  timesOnServer,
} from './schedule-fields';
import {
  describeSchedules,
  handleOf,
  type ListedSchedule,
  listSchedules,
  type ServerSchedule,
} from './server-schedules';

/** The differences of one schedule, with its definition. */
export interface ScheduleChange {
  readonly name: string;
  /** Action of `apply`; `left`: created by another tool. */
  readonly change: 'create' | 'change' | 'delete' | 'unchanged' | 'left';
  readonly fields: readonly ScheduleFieldChange[];
  /** The reason for a manual pause that stays. */
  readonly keptPause?: string;
  readonly desired?: DesiredSchedule;
  readonly found?: ServerSchedule;
}

type ScheduleState = Pick<NonNullable<ScheduleOptions['state']>, 'paused' | 'note'>;

interface Pruning {
  /** Also deletes those created by another tool. */
  readonly prune?: boolean;
}

/**
 * The differences between desired and current schedules, by name. Schedules that Temporal's list shows as desired
 * are not described.
 */
export async function readDifference(
  temporal: TemporalClient,
  config: Pick<Config, 'temporal'>,
  desired: readonly DesiredSchedule[],
  pruning: Pruning = {},
): Promise<ScheduleChange[]> {
  const listed = new Map((await listSchedules(temporal, config)).map((each) => [each.id, each]));
  const same = desired.filter((each) => isAsDesired(each, listed.get(each.id)));
  const others = desired.filter((each) => !same.includes(each));
  const ids = new Set([...listed.keys(), ...others.map(({ id }) => id)]);
  for (const { id } of same) ids.delete(id);
  const found = await describeSchedules(temporal, config, ids);
  const unchanged = same.map((each): ScheduleChange => {
    const keptPause = pauseKept(each, stateAfter(each, madeOf(each, listed.get(each.id))));
    return { name: each.name, change: 'unchanged', fields: [], keptPause, desired: each };
  });
  return [...unchanged, ...scheduleDifference(others, found, pruning)].sort(byName);
}

/** Whether Temporal's list shows a schedule as desired. */
export function isAsDesired(desired: DesiredSchedule, listed: ListedSchedule | undefined): boolean {
  if (!listed) return false;
  const { kind, spec, state } = listed;
  const { timezone, jitter } = desired.options.spec;
  const says = stateAfter(desired, madeOf(desired, listed));
  return (
    timesOnServer(spec)?.mark === desired.mark &&
    kind === desired.options.action.workflowType &&
    (spec.timezone || 'UTC') === timezone &&
    (spec.jitter ?? 0) === jitter &&
    state.paused === says.paused &&
    (state.note || undefined) === says.note
  );
}

/** An equal mark means an equal definition. */
const madeOf = ({ options }: DesiredSchedule, listed: ListedSchedule | undefined): Found | undefined =>
  listed && { made: readScheduleMemo(options.action.memo), state: listed.state };

const byName = (one: ScheduleChange, other: ScheduleChange): number => one.name.localeCompare(other.name);

/** Compares described schedules. */
export function scheduleDifference(
  desired: readonly DesiredSchedule[],
  found: readonly ServerSchedule[],
  { prune = false }: Pruning = {},
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
  return [...changes, ...others].sort(byName);
}

function changeOf(desired: DesiredSchedule, found: ServerSchedule | undefined): ScheduleChange {
  const { name } = desired;
  const state = stateAfter(desired, found && foundOf(found));
  const after = { ...desiredFields(desired), ...wordsOf(state) };
  if (!found) return { name, change: 'create', fields: [], desired };
  const before = { ...fieldsOnServer(found.description), ...wordsOf(found.description.state) };
  const fields = fieldsChanged(desired, found, before, after);
  const change = fields.length === 0 ? 'unchanged' : 'change';
  return { name, change, fields, keptPause: pauseKept(desired, state), desired, found };
}

/** Why a schedule stays paused against the file. */
const pauseKept = ({ spec }: DesiredSchedule, { paused, note }: ScheduleState): string | undefined =>
  paused === true && spec?.paused !== true ? (note ?? 'no reason given') : undefined;

/** Fields that people choose, else the signature, else only the mark of another version or tool. */
function fieldsChanged(
  desired: DesiredSchedule,
  found: ServerSchedule,
  before: ScheduleFields,
  after: ScheduleFields,
): ScheduleFieldChange[] {
  const { form, ...chosen } = after;
  const names = [...new Set([...Object.keys(chosen), ...Object.keys(before)])];
  const shown = names
    .filter((field) => field !== 'form')
    .map((field) => ({ field, from: before[field], to: after[field] }))
    .filter(({ from, to }) => from !== to);
  const fields = [
    ...(shown.length > 0 ? shown : signatureChange(desired, found)),
    ...encryptionChange(desired, found),
  ];
  return fields.length > 0 || before['form'] === form
    ? fields
    : [{ field: 'form', from: 'of another version or tool', to: 'of this version' }];
}

/** An equal schedule signed with another key would start runs that are refused. */
function signatureChange(
  { options }: DesiredSchedule,
  { description }: ServerSchedule,
): ScheduleFieldChange[] {
  const from = signatureOf(description.action.args);
  const to = signatureOf(options.action.args);
  return from === to ? [] : [{ field: 'signature', from, to }];
}

/** An equal schedule that is unencrypted on the server, or encrypted with an old key. */
function encryptionChange(
  { encryptedWith: to = IN_CLEAR }: DesiredSchedule,
  { description: { raw } }: ServerSchedule,
): ScheduleFieldChange[] {
  const [payload] = raw.schedule?.action?.startWorkflow?.input?.payloads ?? [];
  const from = (payload && keyIdOf(payload)) ?? IN_CLEAR;
  return from === to ? [] : [{ field: 'encryption', from, to }];
}

const IN_CLEAR = 'none';

/** State of a schedule on the server. */
interface Found extends Pick<ServerSchedule, 'made'> {
  readonly state: ListedSchedule['state'];
}

const foundOf = ({ made, description: { state } }: Pick<ServerSchedule, 'made' | 'description'>): Found => ({
  made,
  state,
});

/**
 * Whether a schedule is paused after the apply, and its note. A manual pause has a reason: only `paused: false` in
 * the file ends it.
 */
function stateAfter({ spec }: Pick<DesiredSchedule, 'spec'>, found: Found | undefined): ScheduleState {
  const says = { paused: spec?.paused ?? false, note: noteOf(spec) };
  const { paused, note } = found?.state ?? { paused: false };
  const byHand = paused && !(found?.made?.paused === true && (note || undefined) === noteOf(found.made));
  const stays = byHand && spec?.paused !== false;
  return stays ? { paused: true, note: note || undefined } : says;
}

const noteOf = (of: ScheduleMemo | undefined): string | undefined =>
  of?.paused ? 'paused in portolan.yaml' : undefined;

const wordsOf = ({ paused, note }: ScheduleState): ScheduleFields => ({
  paused: paused ? 'yes' : 'no',
  ...(note && { note }),
});

/** Applies the differences one by one; `onDone` is called for each. */
export async function applyChanges(
  temporal: TemporalClient,
  changes: readonly ScheduleChange[],
  onDone: (change: ScheduleChange) => void,
): Promise<void> {
  // Scheduled runs use these search attributes, and no worker may have registered them yet.
  await registerSearchAttributes(temporal.connection, temporal.namespace);
  for (const change of changes) {
    const { desired, found } = change;
    if (change.change === 'create' && desired) await createSchedule(temporal, desired);
    else if (change.change === 'change' && desired) await updateSchedule(temporal, desired);
    else if (change.change === 'delete' && found) await deleteSchedule(temporal, found.id);
    else continue;
    onDone(change);
  }
}

/** Deletes a schedule, unless someone else did meanwhile. */
async function deleteSchedule(temporal: TemporalClient, id: string): Promise<void> {
  try {
    await handleOf(temporal, id).delete();
  } catch (thrown) {
    if (!(thrown instanceof ScheduleNotFoundError)) throw thrown;
  }
}

/** Creates a schedule; updates it if it was created meanwhile. */
async function createSchedule(temporal: TemporalClient, desired: DesiredSchedule): Promise<void> {
  try {
    await temporal.client.schedule.create({
      scheduleId: desired.id,
      ...markedOptions(desired, Date.now()),
      state: stateAfter(desired, undefined),
    });
  } catch (thrown) {
    if (!(thrown instanceof ScheduleAlreadyRunning)) throw refusedBy(thrown, desired);
    await updateSchedule(temporal, desired);
  }
}

async function updateSchedule(temporal: TemporalClient, desired: DesiredSchedule): Promise<void> {
  try {
    await handleOf(temporal, desired.id).update((description): ScheduleUpdateOptions => {
      // It may have been paused since the difference was shown.
      const found = { made: readScheduleMemo(description.action.memo), state: description.state };
      const options = markedOptions(desired, description.info.createdAt.getTime());
      return { ...options, state: stateAfter(desired, found) };
    });
  } catch (thrown) {
    throw refusedBy(thrown, desired);
  }
}

/** The client throws a plain TypeError if the server rejects its input, such as an unknown time zone. */
function refusedBy(thrown: unknown, { name }: DesiredSchedule): unknown {
  if (thrown instanceof ScheduleNotFoundError)
    return new PortolanError('PLAN_CHANGED', `Schedule "${name}" was deleted meanwhile.`, {
      hint: 'Create it: portolan schedule apply',
    });
  if (!(thrown instanceof TypeError)) return thrown;
  return new PortolanError('CONFIG_INVALID', `Temporal rejected schedule "${name}": ${thrown.message}.`, {
    hint: `Correct schedules.${name} in portolan.yaml.`,
  });
}
