import { z } from 'zod';
import { PortolanError } from '../../model/errors/errors';
import type { CallOptions, PortalCalls } from '../http/request';
import { optionalId, requiredId } from '../http/ids';
import { pathOf } from '../http/address';
import { flag, label, readableOf, requiredText, text, texts } from '../http/reading';

/** The signed-in user. docs/reference/portal-interface.md, "Portal" */
const portalUser = z.looseObject({
  username: requiredId('user'),
  role: label,
  /** Set for a custom role, whose `role` then is only its base. */
  roleId: label,
  privileges: texts,
});
export type PortalUser = z.infer<typeof portalUser>;

/** Default administrator: the role, and no custom role on top of it. docs/reference/portal-interface.md, "Portal" */
export const isFullAdministrator = (user: Pick<PortalUser, 'role' | 'roleId'> | null | undefined): boolean =>
  user?.role === 'org_admin' && !user.roleId;

export const portalSelf = z.looseObject({
  /** The portal's own id, under which its jobs lie. */
  id: optionalId('portal'),
  /** True on a self-managed deployment. */
  isPortal: flag,
  portalMode: label,
  portalHostname: label,
  customBaseUrl: label,
  urlKey: label,
  currentVersion: label,
  enterpriseVersion: label,
  /** Addresses of services that the portal offers, its own servers' and others'. */
  helperServices: z.unknown().optional(),
  /** True: nothing can be created, changed or deleted. */
  isReadOnly: flag,
  /** Whether it has a recycle bin at all. */
  recycleBinSupported: flag,
  recycleBinEnabled: flag,
  user: portalUser.nullish().catch(undefined),
});
export type PortalSelf = z.infer<typeof portalSelf>;

/** Whether the portal is self-managed; undefined where it does not say. */
export const isSelfManaged = ({ isPortal, portalMode }: PortalSelf): boolean | undefined =>
  isPortal ?? (portalMode === undefined ? undefined : portalMode.toLowerCase() === 'singletenant');

const root = z.looseObject({ currentVersion: label, enterpriseVersion: label });

/**
 * The portal as the signed-in user sees it; version fields that it leaves out are taken from the root
 * of the interface, the release's own name before the interface's number. docs/reference/portal-interface.md, "Portal"
 */
export async function readSelf(portal: PortalCalls, options?: CallOptions): Promise<PortalSelf> {
  const self = await portal.call(
    { operation: 'portal.self', path: 'portals/self', schema: portalSelf },
    options,
  );
  if (self.enterpriseVersion) return self;
  try {
    const marks = await portal.call({ operation: 'portal.root', path: '', schema: root }, options);
    return {
      ...self,
      currentVersion: self.currentVersion ?? marks.currentVersion,
      enterpriseVersion: marks.enterpriseVersion,
    };
  } catch (error) {
    // The number alone says enough where the name cannot be had.
    if (self.currentVersion && PortolanError.from(error).code !== 'ABORTED') return self;
    throw error;
  }
}

const federatedServer = z.looseObject({
  url: requiredText,
  adminUrl: text,
});
type FederatedServer = z.infer<typeof federatedServer>;

/**
 * The servers federated with the portal; administrators only. docs/reference/portal-interface.md, "Portal"
 */
export async function readServers(
  portal: PortalCalls,
  portalId: string,
  options?: CallOptions,
): Promise<FederatedServer[]> {
  const schema = z.looseObject({ servers: readableOf(federatedServer) });
  const { servers } = await portal.call(
    { operation: 'portal.servers', path: pathOf`portals/${portalId}/servers`, schema },
    options,
  );
  return servers;
}
