import type { PortalRef } from '../../model/portal-change/change';
import type { FieldChange } from '../../model/run/run';
import { PortolanError } from '../../model/errors/errors';
import type { SettingObjectName } from '../../model/portal-change/portal-settings';
import type { SettingsInput } from '../../model/portal-change/settings-change';
import { writeSettings as write } from '../../portal/resources/settings';
import {
  lookHash,
  mergedObject,
  notTaken,
  objectChanges,
  objectsOf,
  settingChanges,
  settingsBefore,
} from '../../domain/portal-change/settings/differences';
import {
  readSettingsPortal,
  requireSettable,
  type SettingsPortal,
} from '../../domain/portal-change/settings/settings-portal';
import { desiredNote, type DesiredSettings } from '../../domain/portal-change/settings/settings-values';
import { keys } from '../../store/keys';
import type { Store } from '../../store/store';
import type { ActivityDeps } from '../deps';
import { isRepeat, stopSignal } from '../attempt/heartbeat';
import { openPortalRef } from './portal-ref';
import { writeOnce } from './write-once';

/** How many changes a record lists. */
const LISTED_MAX = 30;
/** Longer values are cut in a record; the store has all of them. @format characters */
const VALUE_MAX = 200;

/** A settings object to write, with what shows whether it has changed since. */
export interface SettingsStep {
  readonly object: SettingObjectName;
  readonly seen: string;
}

/** The current settings and their differences. */
export interface FoundSettings {
  /** The portal's version, for people. */
  readonly version: string;
  /** The first differences. */
  readonly changes: FieldChange[];
  readonly count: number;
  readonly steps: SettingsStep[];
  /** Store key of the previous values; absent if nothing changes. */
  readonly saved?: string;
}

type ChangeOf = Pick<SettingsInput, 'runId' | 'portal'>;

/**
 * Reads the settings, saves the values to be replaced, and reports what would change. Writes nothing to the portal.
 *
 * @throws PortolanError if a privilege or setting is missing; PLAN_CHANGED if the change is not the one agreed to
 */
export async function findSettings(
  deps: ActivityDeps,
  { runId, portal, expected }: Pick<SettingsInput, 'runId' | 'portal' | 'expected'>,
): Promise<FoundSettings> {
  const { authority, portals, store } = deps;
  const desired = await desiredOf(store, runId);
  openPortalRef(portals, portal);
  await authority.require(runId, { target: { portal: portal.portal } });
  const found = await readLive(deps, portal);
  requireSettable(found, desired);
  const changes = settingChanges(found.live, desired);
  const version = found.version?.text ?? 'of unknown version';
  if (changes.length === 0) return { version, changes: [], count: 0, steps: [] };
  if (lookHash(changes) !== expected) throw changedMeanwhile(portal.portal);
  const saved = keys.before(runId);
  await store.writeJson(saved, settingsBefore(found.live, changes));
  const steps = objectsOf(changes).map((object) => {
    const own = changes.filter((change) => change.object === object);
    return { object, seen: lookHash(own) };
  });
  return {
    version,
    changes: changes.slice(0, LISTED_MAX).map(cutChange),
    count: changes.length,
    steps,
    saved,
  };
}

/**
 * Writes one object: its current values with the desired ones. Safe to repeat.
 *
 * @throws PortolanError PLAN_CHANGED if someone else has changed what would be replaced
 */
export async function writeSettings(
  deps: ActivityDeps,
  { runId, portal, step }: ChangeOf & { step: SettingsStep },
): Promise<void> {
  const { authority, portals, store } = deps;
  const { object, seen } = step;
  const desired = (await desiredOf(store, runId))[object] ?? null;
  const look = async () => {
    const now = await readLive(deps, portal);
    const values = now.live[object] ?? null;
    return { now, values, changes: objectChanges(object, values, desired) };
  };
  await writeOnce({
    isThere: async () => (await look()).changes.length === 0,
    post: async (writing) => {
      const { now, values, changes } = await look();
      if (changes.length === 0) return;
      if (!isRepeat() && lookHash(changes) !== seen) throw changedMeanwhile(portal.portal);
      await authority.require(runId, { target: { portal: portal.portal } });
      const whole = mergedObject(values, desired);
      const { portalId } = now;
      await write(openPortalRef(portals, portal), portalId, { [object]: whole }, now, writing);
    },
  });
}

/** Reads the settings back. Lists each value that differs. */
export async function checkSettings(deps: ActivityDeps, { runId, portal }: ChangeOf): Promise<FieldChange[]> {
  const { store } = deps;
  const desired = await desiredOf(store, runId);
  const before = (await store.readJson(keys.before(runId), desiredNote)) ?? {};
  const { live } = await readLive(deps, portal);
  return notTaken(live, desired, before).slice(0, LISTED_MAX).map(cutChange);
}

async function readLive({ portals }: ActivityDeps, portal: PortalRef): Promise<SettingsPortal> {
  return readSettingsPortal(openPortalRef(portals, portal), { signal: stopSignal() });
}

/** The settings the starter saved in the store. */
async function desiredOf(store: Store, runId: string): Promise<DesiredSettings> {
  const desired = await store.readJson(keys.desired(runId), desiredNote);
  if (desired) return desired;
  throw new PortolanError(
    'CONFIG_MISMATCH',
    `The worker's store, ${store.where}, does not have the settings to apply.`,
    { hint: 'Use the same store here and on the worker.' },
  );
}

const changedMeanwhile = (portal: string): PortolanError =>
  new PortolanError('PLAN_CHANGED', `The settings of ${portal} have changed since they were shown.`, {
    portal,
    hint: 'Run the command again and review what it shows.',
  });

const cutChange = ({ path, before, after }: FieldChange): FieldChange => ({
  path,
  before: cut(before),
  after: cut(after),
});

function cut(value: unknown): unknown {
  const text = typeof value === 'string' ? value : (JSON.stringify(value) ?? '');
  return text.length > VALUE_MAX ? `${text.slice(0, VALUE_MAX - 2)}..` : value;
}
