import { noResource } from '../errors';
import { administrator, type Call } from '../http/call';
import { json, type Reply } from '../http/reply';
import { read, type Route } from '../http/router';
import { more, userOnWire } from '../wire';
import type { World } from '../world';

/** The portal itself (docs/reference/portal-interface.md, "Portal"). */
export const portalRoutes: readonly Route[] = [
  read('root', '/portal/sharing/rest', root),
  read('root', '/portal/sharing', root),
  read('info', '/portal/sharing/rest/info', info),
  read('portal.self', '/portal/sharing/rest/portals/:portalId', self),
  read('portal.self', '/portal/sharing/rest/portals', self),
  read('portal.servers', '/portal/sharing/rest/portals/:portalId/servers', servers),
];

/** `self` means the organization's ID. @throws PortalFault 404 for any other */
export function checkPortalId({ world }: Pick<Call, 'world'>, id: string): void {
  if (id !== 'self' && id !== world.portal.orgId) throw noResource();
}

/** From 11.0 the release itself is reported too, unless turned off. */
const versionFields = ({ settings }: World): object => ({
  currentVersion: settings.release.currentVersion,
  ...(settings.deployment === 'self-managed' &&
    !settings.noEnterpriseVersion &&
    settings.release.atLeast('11.0') && { enterpriseVersion: settings.release.long }),
});

function root({ world }: Call): Reply {
  return json(versionFields(world));
}

function info({ world }: Call): Reply {
  return json({
    owningSystemUrl: world.portalUrl,
    authInfo: { tokenServicesUrl: `${world.sharingUrl}/generateToken`, isTokenBasedSecurity: true },
  });
}

function self(call: Call): Reply {
  const { world, settings, user, session } = call;
  checkPortalId(call, call.path['portalId'] ?? 'self');
  const selfManaged = settings.deployment === 'self-managed';
  const bin = selfManaged && settings.release.atLeast('11.3') ? settings.recycleBin : undefined;
  const host = new URL(world.origin);
  return json({
    id: world.portal.orgId,
    name: settings.name,
    isPortal: selfManaged,
    portalMode: selfManaged ? 'singletenant' : 'multitenant',
    portalHostname: `${host.host}/portal`,
    portalName: settings.name,
    customBaseUrl: selfManaged ? '' : 'maps.example.com',
    urlKey: selfManaged ? null : 'simulated',
    ...versionFields(world),
    allSSL: settings.httpsOnly,
    httpPort: Number(host.port),
    httpsPort: Number(host.port),
    supportsHostedServices: true,
    supportsOAuth: true,
    isReadOnly: settings.readOnly,
    hasCategorySchema: world.portal.categorySchema.length > 0,
    hasClassificationSchema: false,
    recycleBinSupported: bin === 'on' || bin === 'off',
    recycleBinEnabled: bin === 'on' || bin === 'unsupported',
    maxTokenExpirationMinutes: -1,
    portalProperties: {},
    authorizedCrossOriginDomains: [],
    allowedRedirectUris: [],
    helperServices: {},
    access: 'private',
    culture: 'en',
    created: world.portal.created,
    modified: world.portal.created,
    ...(user && { user: userOnWire(world, user) }),
    ...(session?.kind === 'app' && { appInfo: { appId: 'simulated-app', privileges: [] } }),
    ...more(settings, {
      description: null,
      region: 'WO',
      units: 'metric',
      homePageFeaturedContent: '',
      showHomePageDescription: false,
      canSharePublic: true,
      canSearchPublic: true,
      stylesGroupQuery: '',
      isVectorBasemapsEnabled: true,
    }),
  });
}

function servers(call: Call): Reply {
  checkPortalId(call, call.path['portalId'] ?? '');
  administrator(call);
  const { world } = call;
  const hosting = world.hostingServerUrl;
  const gis = world.gisServerUrl;
  return json({
    servers: [
      { url: hosting, adminUrl: hosting, isHosted: true, serverRole: 'HOSTING_SERVER' },
      { url: gis, adminUrl: gis, isHosted: false, serverRole: 'FEDERATED_SERVER' },
    ],
  });
}
