import type { PortalRef } from '../../model/portal-change/change';
import type { FieldChange } from '../../model/run/run';
import type { SettingObjectName } from '../../model/portal-change/portal-settings';
import type { SettingsInput } from '../../model/portal-change/settings-change';
import { writeSettings as write } from '../../portal/resources/settings';
import { listedChanges } from '../../domain/portal-change/portal-draft';
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
import type { ActivityDeps } from '../deps';
import { isRepeat, stopSignal } from '../attempt/heartbeat';
import { changedSinceShown, readDesired, requireChange, openPortalRef } from './portal-ref';
import { writeOnce } from './write-once';

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
  const { portals, store } = deps;
  const desired = await desiredSettings(deps, runId);
  openPortalRef(portals, portal);
  await requireChange(deps, { runId, portal });
  const found = await readLive(deps, portal);
  requireSettable(found, desired);
  const changes = settingChanges(found.live, desired);
  const version = found.version?.text ?? 'of unknown version';
  if (changes.length === 0) return { version, changes: [], count: 0, steps: [] };
  if (lookHash(changes) !== expected) throw changedSinceShown(portal.portal, 'settings');
  const saved = keys.before(runId);
  await store.writeJson(saved, settingsBefore(found.live, changes));
  const steps = objectsOf(changes).map((object) => ({
    object,
    seen: lookHash(changes.filter((change) => change.object === object)),
  }));
  return { version, changes: listedChanges(changes), count: changes.length, steps, saved };
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
  const { object, seen } = step;
  const desired = (await desiredSettings(deps, runId))[object] ?? null;
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
      if (!isRepeat() && lookHash(changes) !== seen) throw changedSinceShown(portal.portal, 'settings');
      await requireChange(deps, { runId, portal });
      const merged = { [object]: mergedObject(values, desired) };
      await write(openPortalRef(deps.portals, portal), now.portalId, merged, now, writing);
    },
  });
}

/** Reads the settings back. Lists each value that differs. */
export async function checkSettings(deps: ActivityDeps, { runId, portal }: ChangeOf): Promise<FieldChange[]> {
  const desired = await desiredSettings(deps, runId);
  const before = (await deps.store.readJson(keys.before(runId), desiredNote)) ?? {};
  const { live } = await readLive(deps, portal);
  return listedChanges(notTaken(live, desired, before));
}

async function readLive({ portals }: ActivityDeps, portal: PortalRef): Promise<SettingsPortal> {
  return readSettingsPortal(openPortalRef(portals, portal), { signal: stopSignal() });
}

const desiredSettings = (deps: ActivityDeps, runId: string): Promise<DesiredSettings> =>
  readDesired(deps, runId, 'settings', desiredNote);
