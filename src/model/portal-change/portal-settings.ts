/** Kinds of values that settings have. `links` are of a shape that is not known, and are carried as they are. */
export const settingTypes = {
  boolean: 'true or false',
  text: 'text',
  buttons: '`acceptAndDecline` or `okOnly`',
  colour: 'colour: a CSS name, or hexadecimal such as `#ffcc00`',
  minutes: 'whole number of minutes, at least 1',
  url: 'URL',
  texts: 'list of texts',
  links: 'list',
  'text or false': 'text, or `false`',
} as const;
export type SettingType = keyof typeof settingTypes;

/** What the buttons below a notice can be. */
export const noticeButtons = ['acceptAndDecline', 'okOnly'] as const;

/** One value that can be set. docs/reference/portal-interface.md, "Settings" */
export interface SettingField {
  readonly type: SettingType;
  /** What it does, in words for people. */
  readonly meaning: string;
  /** What holds where it is not set. @default not known */
  readonly default?: boolean | number | readonly never[];
  /** First release that has it, if later than that of its object. */
  readonly since?: string;
  /** The object is not whole without it, and it cannot be cleared alone. @default false */
  readonly isNeeded?: true;
  /** Names a host, and so fits the portal where it was set only. `links`: where they lead to the portal's own. */
  readonly namesHost?: true;
  /** An upgrade of the portal does not keep it. @default false */
  readonly isLostOnUpgrade?: true;
}

/** An object that a portal is sent, and shows, as a whole. docs/reference/portal-interface.md, "Settings" */
export interface SettingObject {
  readonly meaning: string;
  /** First release that has it. */
  readonly since: string;
  /** The only deployment that has it. @default both */
  readonly only?: 'hosted' | 'self-managed';
  /** First release that shows and keeps it, where the one before had it in a file that upgrades leave behind. */
  readonly notCarriedInto?: string;
  readonly fields: Readonly<Record<string, SettingField>>;
}

const noticeFields = {
  title: { type: 'text', meaning: 'heading of the notice' },
  text: { type: 'text', meaning: 'what is read before one goes on', isNeeded: true },
  buttons: { type: 'buttons', meaning: 'a choice, or consent alone', isNeeded: true },
  enabled: { type: 'boolean', meaning: 'whether it is shown', default: false, isNeeded: true },
} as const satisfies Record<string, SettingField>;

/**
 * All settings of a portal that can be set: the one table behind the client, files of settings and docs/reference/settings.md.
 * docs/reference/portal-interface.md, "Settings"
 */
export const settingObjects = {
  anonymousAccessNotice: {
    meaning: 'terms that visitors agree to before they reach the site without signing in',
    since: '10.8',
    fields: noticeFields,
  },
  authenticatedAccessNotice: {
    meaning: 'terms that members agree to once they have signed in',
    since: '10.8',
    only: 'hosted',
    fields: noticeFields,
  },
  informationalBanner: {
    meaning: "a line above every page of the organization's site",
    since: '10.8',
    fields: {
      text: { type: 'text', meaning: 'what it says', isNeeded: true },
      bgColor: { type: 'colour', meaning: 'colour behind the text', isNeeded: true },
      fontColor: { type: 'colour', meaning: 'colour of the text', isNeeded: true },
      enabled: { type: 'boolean', meaning: 'whether it is shown', default: false, isNeeded: true },
    },
  },
  portalConfigProperties: {
    meaning: 'properties of a self-managed portal',
    since: '11.0',
    only: 'self-managed',
    notCarriedInto: '11.0',
    fields: {
      extentService: {
        type: 'url',
        meaning: 'tiled map service in WGS84 (WKID 4326) on which the extent of a web map is set',
        namesHost: true,
      },
      footerLinks: { type: 'links', meaning: 'links below every page', default: [], namesHost: true },
      gcsBasemapService: {
        type: 'url',
        meaning: 'basemap under WMS services that know no Web Mercator',
        namesHost: true,
      },
      httpsDomains: {
        type: 'texts',
        meaning: 'domains of federated servers that the legacy map viewer may move from HTTP to HTTPS',
        namesHost: true,
      },
      longTokenExpiration: {
        type: 'minutes',
        meaning: 'how long a sign-in holds that is kept',
        default: 20160,
      },
      tokenExpiration: {
        type: 'minutes',
        meaning: 'how long any other sign-in holds',
        default: 120,
      },
      restrictOrganizationPageToAdmin: {
        type: 'boolean',
        meaning: "only default administrators see the organization's page",
        default: false,
      },
      searchPlatformOnlineEnabled: {
        type: 'boolean',
        meaning:
          'the hosted platform is offered where layers are searched: in the legacy map viewer, from 11.2 in the current one too',
        default: true,
      },
      showCreateDashboard: {
        type: 'boolean',
        meaning:
          'dashboards are offered where apps are made: sharing in the legacy viewer, item page, own content',
        default: true,
      },
      showInAppLauncher: {
        type: 'texts',
        meaning: 'titles of the applications in the launcher, spelled as the portal has them',
        isLostOnUpgrade: true,
      },
      sceneViewerEnabled: { type: 'boolean', meaning: 'the scene viewer is offered', default: true },
      surveyUrl: {
        type: 'url',
        meaning: 'the survey application; may name a port or a reverse proxy',
        namesHost: true,
      },
      webAppBuilderEnabled: {
        type: 'boolean',
        meaning: 'the app builder is offered where apps are made: sharing in the legacy viewer, own content',
        default: true,
      },
      configurePortalCloudEnv: {
        type: 'text or false',
        meaning: 'host of the proxy for configured utility services; false for a disconnected site',
        namesHost: true,
      },
      portalCloudConfigEnabled: {
        type: 'boolean',
        meaning:
          "the organization's settings have a tab for the hosted platform; false for a disconnected site, once its curated content is switched off",
        default: true,
      },
      portalCatalogConfigEnabled: {
        type: 'boolean',
        meaning:
          'that tab has a section on curated content; false for a disconnected site, once that is switched off',
        default: true,
      },
      iotViewerUrl: {
        type: 'url',
        meaning: 'the streaming analytics application; may be an installed one',
        since: '11.1',
        namesHost: true,
      },
    },
  },
} as const satisfies Record<string, SettingObject>;

export type SettingObjectName = keyof typeof settingObjects;

/** The objects in the order of the table. */
export const settingObjectNames = Object.keys(settingObjects) as SettingObjectName[];

/** An object of the table, typed as the general shape. */
export const settingObject = (name: SettingObjectName): SettingObject => settingObjects[name];

/** A value of the table by object and name; undefined where there is none. */
export const settingField = (object: SettingObjectName, name: string): SettingField | undefined =>
  Object.hasOwn(settingObjects[object].fields, name) ? settingObject(object).fields[name] : undefined;
