import { badRequest } from '../errors';
import { administrator, writable, type Call } from '../http/call';
import { json, type Reply } from '../http/reply';
import { read, write, type Route } from '../http/router';
import { more } from '../wire';
import { checkPortalId } from './portals';

/** Settings of the organization (docs/reference/portal-interface.md, "Settings"). */
export const settingsRoutes: readonly Route[] = [
  read('settings.read', '/portal/sharing/rest/portals/:portalId/settings', readSettings),
  write('settings.update', '/portal/sharing/rest/portals/:portalId/settings/update', update),
];

function readSettings(call: Call): Reply {
  checkPortalId(call, call.path['portalId'] ?? '');
  const { settings, world } = call;
  return json({
    ...more(settings, { id: world.portal.orgId }),
    allowedRedirectUris: [],
    authorizedCrossOriginDomains: [],
    defaultExtent: null,
    helperServices: {},
    featuredGroups: [],
    homePageFeaturedContentCount: 12,
    informationalBanner: null,
    anonymousAccessNotice: null,
    authenticatedAccessNotice: null,
    ...(hasConfigProperties(call) && { portalConfigProperties: null }),
    ...world.portal.settings,
  });
}

type Check = (value: Record<string, unknown>, name: string) => void;

/** Advanced properties exist on ArcGIS Enterprise from 11.0. */
const hasConfigProperties = ({ settings }: Call): boolean =>
  settings.deployment === 'self-managed' && settings.release.atLeast('11.0');

/** Objects this portal accepts; others are ignored silently, like unknown form fields. */
function taken(call: Call): Readonly<Record<string, Check>> {
  return {
    anonymousAccessNotice: checkNotice,
    informationalBanner: checkBanner,
    ...(call.settings.deployment === 'hosted' && { authenticatedAccessNotice: checkNotice }),
    ...(hasConfigProperties(call) && { portalConfigProperties: (value) => checkProperties(call, value) }),
  };
}

/**
 * Each object replaces the previous one. An empty object clears it with `clearEmptyFields`, and otherwise changes
 * nothing.
 */
function update(call: Call): Reply {
  checkPortalId(call, call.path['portalId'] ?? '');
  administrator(call);
  writable(call);
  const { params, world } = call;
  const clears = params.flag('clearEmptyFields') ?? false;
  const changes: Record<string, unknown> = {};
  for (const [name, check] of Object.entries(taken(call))) {
    const value = params.json(name);
    if (value === undefined) continue;
    if (typeof value !== 'object' || value === null || Array.isArray(value)) {
      throw badRequest(`'${name}' must be a JSON object.`);
    }
    const object = value as Record<string, unknown>;
    if (Object.keys(object).length === 0) {
      if (clears) changes[name] = null;
      continue;
    }
    check(object, name);
    changes[name] = object;
  }
  world.changePortal({ settings: { ...world.portal.settings, ...changes } });
  return json({ success: true });
}

function checkFields(
  value: Record<string, unknown>,
  name: string,
  types: Readonly<Record<string, string>>,
): void {
  for (const [field, type] of Object.entries(types)) {
    const given = value[field];
    if (given !== undefined && typeof given !== type)
      throw badRequest(`'${name}.${field}' must be a ${type}.`);
  }
}

const checkNotice: Check = (value, name) => {
  checkFields(value, name, { title: 'string', text: 'string', buttons: 'string', enabled: 'boolean' });
  const { buttons } = value;
  if (buttons !== undefined && buttons !== 'acceptAndDecline' && buttons !== 'okOnly') {
    throw badRequest(`'${name}.buttons' must be acceptAndDecline or okOnly.`);
  }
};

const checkBanner: Check = (value, name) =>
  checkFields(value, name, { text: 'string', bgColor: 'string', fontColor: 'string', enabled: 'boolean' });

type Kind = 'text' | 'text or false' | 'boolean' | 'integer' | 'list' | 'list of texts';

/** Advanced properties with their type, and the release that added later ones. */
const properties: Readonly<Record<string, { kind: Kind; since?: string }>> = {
  extentService: { kind: 'text' },
  footerLinks: { kind: 'list' },
  gcsBasemapService: { kind: 'text' },
  httpsDomains: { kind: 'list of texts' },
  longTokenExpiration: { kind: 'integer' },
  tokenExpiration: { kind: 'integer' },
  restrictOrganizationPageToAdmin: { kind: 'boolean' },
  searchPlatformOnlineEnabled: { kind: 'boolean' },
  showCreateDashboard: { kind: 'boolean' },
  showInAppLauncher: { kind: 'list of texts' },
  sceneViewerEnabled: { kind: 'boolean' },
  surveyUrl: { kind: 'text' },
  webAppBuilderEnabled: { kind: 'boolean' },
  configurePortalCloudEnv: { kind: 'text or false' },
  portalCloudConfigEnabled: { kind: 'boolean' },
  portalCatalogConfigEnabled: { kind: 'boolean' },
  iotViewerUrl: { kind: 'text', since: '11.1' },
};

const isText = (value: unknown): boolean => typeof value === 'string';

const fits: Readonly<Record<Kind, (value: unknown) => boolean>> = {
  text: isText,
  'text or false': (value) => value === false || isText(value),
  boolean: (value) => typeof value === 'boolean',
  integer: Number.isInteger,
  list: Array.isArray,
  'list of texts': (value) => Array.isArray(value) && value.every(isText),
};

function checkProperties({ settings }: Call, value: Record<string, unknown>): void {
  for (const [name, given] of Object.entries(value)) {
    const known = properties[name];
    if (!known || (known.since !== undefined && !settings.release.atLeast(known.since))) {
      throw badRequest(`'portalConfigProperties.${name}' is not supported.`);
    }
    if (!fits[known.kind](given))
      throw badRequest(`'portalConfigProperties.${name}' must be a ${known.kind}.`);
  }
}
