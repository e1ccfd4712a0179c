import { z } from 'zod';
import { PortolanError } from '../../model/errors/errors';
import {
  settingField,
  type SettingObjectName,
  settingObjectNames,
} from '../../model/portal-change/portal-settings';
import { toRecord } from '../../portal/http/reading';
import {
  readSettings,
  type SettingValues,
  unsupportedObject,
  unsupportedSettings,
  writeSettings,
} from '../../portal/resources/settings';
import {
  readPortal,
  fingerprintOf,
  type FoundPortal,
  type PortalDocument,
  requireAccount,
} from './portal-document';
import { isSame, mergedObject, settingChanges, type Settings } from './setting-values';
import { parseSettings } from './settings-file';
import { promotionOf } from './settings-promotion';

/** Access notices, banner and properties. docs/reference/portal-interface.md, "Settings" */
export const settingsDocument: PortalDocument<Settings> = {
  title: 'settings',
  heldAs: 'settings',
  schema: z.partialRecord(z.enum(settingObjectNames), z.record(z.string(), z.unknown()).nullable()),

  async read(portal, options) {
    const found = await readPortal(portal, options);
    const answer = await readSettings(portal, found.portalId, options);
    const had = settingObjectNames.filter((name) => unsupportedObject(name, found) === undefined);
    return { ...found, value: Object.fromEntries(had.map((name) => [name, setValues(answer[name])])) };
  },

  require(found, wanted) {
    requireAdministrator(found);
    requireSupported(found, wanted);
    return [];
  },

  differences: settingChanges,

  replaced(now, wanted) {
    const changes = settingChanges(now, wanted);
    const objects = settingObjectNames.filter((name) => changes.some(({ object }) => object === name));
    const before = (object: SettingObjectName): SettingValues | null => {
      if (!now[object]) return null;
      const own = changes.filter((change) => change.object === object);
      return Object.fromEntries(own.map((change) => [change.name, change.before ?? null]));
    };
    return Object.fromEntries(objects.map((object) => [object, before(object)]));
  },

  fingerprint: fingerprintOf,

  async write(portal, found, wanted, options) {
    const whole = settingObjectNames.flatMap((object) => {
      const values = wanted[object];
      return values === undefined ? [] : [[object, mergedObject(found.value[object], values)] as const];
    });
    await writeSettings(portal, found.portalId, Object.fromEntries(whole), found, options);
  },

  // A cleared value whose default is not known may have become anything but what it was.
  notTaken: (now, wanted, replaced) =>
    settingChanges(now, wanted).filter(({ object, name, before: shown, after }) => {
      const isCleared = after === undefined && settingField(object, name)?.default === undefined;
      return !isCleared || isSame(object, name, shown, replaced[object]?.[name]);
    }),

  // Another value in place of a cleared one may be a default, or somebody's.
  isThere: (now, wanted) => settingChanges(now, wanted).length === 0,

  isHalfThere: (now, wanted, replaced) =>
    settingChanges(now, wanted).every(({ object, name, before: shown }) => {
      const values = replaced[object];
      const isReplaced = values === null || (values !== undefined && name in values);
      return isReplaced && isSame(object, name, shown, values?.[name]);
    }),

  ofRelease(content, source, found) {
    const { desired, left } = promotionOf(parseSettings(content).settings.desired, [source], new Map());
    settingsDocument.require(found, desired);
    const held = Object.entries(desired).filter(([object]) => object in found.value);
    return { wanted: Object.fromEntries(held), warnings: left };
  },

  undo(now, { replaced, written }) {
    const warnings: string[] = [];
    const wanted: Partial<Record<SettingObjectName, SettingValues | null>> = {};
    for (const object of settingObjectNames) {
      const values = replaced[object];
      if (values === undefined) continue;
      const touched = Object.keys(values ?? written[object] ?? {}).filter(
        (name) =>
          !isSame(object, name, now[object]?.[name], written[object]?.[name]) &&
          !isSame(object, name, now[object]?.[name], values?.[name]),
      );
      for (const name of touched)
        warnings.push(`${object}.${name} has changed since; Portolan leaves it unchanged`);
      if (values !== null)
        wanted[object] = Object.fromEntries(
          Object.entries(values).filter(([name]) => !touched.includes(name)),
        );
      else if (touched.length === 0) wanted[object] = null;
    }
    return { wanted, warnings };
  },
};

/** The values of an object in a portal's response; an empty one is not set. */
function setValues(answer: unknown): SettingValues | null {
  const values = toRecord(answer);
  return values && Object.keys(values).length > 0 ? values : null;
}

/** @throws PortolanError NOT_SUPPORTED with everything that the portal does not have */
export function requireSupported({ name, ...holder }: FoundPortal, wanted: Settings): void {
  const reasons = unsupportedSettings(wanted, holder);
  if (reasons.length === 0) return;
  const is = holder.version === undefined ? '' : ` Its version is ${holder.version.text}.`;
  throw new PortolanError('NOT_SUPPORTED', `${name} ${reasons.join('; ')}.${is}`, {
    portal: name,
    hint: 'Remove these from your changes. Nothing was written.',
  });
}

/** Refuses an account that is no administrator. The portal decides about custom roles. */
function requireAdministrator(found: FoundPortal): void {
  const { name } = found;
  const { username, role, privileges = [] } = requireAccount(found);
  const isAdministrator = role === 'org_admin' || privileges.some((each) => each.startsWith('portal:admin:'));
  if (role === undefined || isAdministrator) return;
  throw new PortolanError('PERMISSION_DENIED', `${username} is not an administrator of ${name} (${role}).`, {
    portal: name,
    hint: `Sign in to ${name} as an administrator. Nothing was written.`,
  });
}
