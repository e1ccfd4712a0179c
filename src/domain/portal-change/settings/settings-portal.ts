import { PortolanError } from '../../../model/errors/errors';
import { settingObjectNames } from '../../../model/portal-change/portal-settings';
import type { Portal } from '../../../portal/client';
import { isSelfManaged, readSelf } from '../../../portal/resources/portals';
import type { CallOptions } from '../../../portal/http/request';
import {
  readSettings,
  type SettingsHolder,
  unsupportedObject,
  unsupportedSettings,
} from '../../../portal/resources/settings';
import { type Release, releaseOf } from '../../../portal/http/versions';
import type { Exported } from './settings-file';
import { type LiveSettings, liveSettings, type DesiredSettings } from './settings-values';

/** A portal with its settings, and who asks for them. */
export interface SettingsPortal extends SettingsHolder {
  /** Name in portolan.yaml. */
  readonly name: string;
  readonly url: string;
  readonly portalId: string;
  readonly version: Release | undefined;
  readonly user?: {
    readonly username: string;
    readonly role?: string;
    readonly privileges?: readonly string[];
  };
  readonly isReadOnly: boolean;
  /** Only the objects that the portal has. */
  readonly live: LiveSettings;
}

/** Reads a portal's settings, with what decides about them. docs/reference/portal-interface.md, "Settings" */
export async function readSettingsPortal(portal: Portal, options?: CallOptions): Promise<SettingsPortal> {
  const self = await readSelf(portal, options);
  const portalId = self.id ?? 'self';
  const holder = { version: releaseOf(self), isPortal: isSelfManaged(self) };
  const all = liveSettings(await readSettings(portal, portalId, options));
  const had = settingObjectNames.filter((name) => unsupportedObject(name, holder) === undefined);
  return {
    ...holder,
    name: portal.name,
    url: portal.url,
    portalId,
    user: self.user ?? undefined,
    isReadOnly: self.isReadOnly === true,
    live: Object.fromEntries(had.map((name) => [name, all[name]])),
  };
}

/** What a file of this portal's settings says of where it comes from. */
export const exportedOf = ({ name, url, version }: SettingsPortal): Exported => ({
  portal: name,
  url,
  version: version?.text,
});

/**
 * Whether these settings can be put on the portal by this account. A role of the organization's own is left for the
 * portal to judge.
 *
 * @throws PortolanError NO_USER, PERMISSION_DENIED, TARGET_READ_ONLY; NOT_SUPPORTED with everything that it has not
 */
export function requireSettable(portal: SettingsPortal, desired: DesiredSettings): void {
  const { name, user } = portal;
  requireAdministrator(name, user);
  if (portal.isReadOnly)
    throw new PortolanError('TARGET_READ_ONLY', `${name} is read-only.`, { portal: name });
  requireSupported(portal, desired);
}

/** @throws PortolanError NOT_SUPPORTED with everything that the portal has not */
export function requireSupported(portal: SettingsPortal, desired: DesiredSettings): void {
  const reasons = unsupportedSettings(desired, portal);
  if (reasons.length === 0) return;
  const is = portal.version === undefined ? '' : ` Its version is ${portal.version.text}.`;
  throw new PortolanError('NOT_SUPPORTED', `${portal.name} ${reasons.join('; ')}.${is}`, {
    portal: portal.name,
    hint: 'Remove these from your changes. Nothing was written.',
  });
}

function requireAdministrator(name: string, user: SettingsPortal['user']): void {
  if (!user) {
    throw new PortolanError('NO_USER', `The credentials for ${name} have no user.`, { portal: name });
  }
  const { username, role, privileges = [] } = user;
  const mayBe = role === undefined || role === 'org_admin' || privileges.some(isAdministrative);
  if (mayBe) return;
  throw new PortolanError('PERMISSION_DENIED', `${username} is not an administrator of ${name} (${role}).`, {
    portal: name,
    hint: `Sign in to ${name} as an administrator. Nothing was written.`,
  });
}

const isAdministrative = (privilege: string): boolean => privilege.startsWith('portal:admin:');
