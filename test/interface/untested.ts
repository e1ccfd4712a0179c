/** Statements that no test can show, each with the reason. */
export const untested: readonly (readonly [statement: string, reason: string])[] = [
  ...shownByThePortalAlone(),
  [
    'The app launcher loses what `showInAppLauncher` says with every upgrade, and an upgrade to 11.0 loses what was kept in a file before.',
    'No portal is upgraded here; the simulated one keeps what it has.',
  ],
  [
    '`tokenExpiration` and `longTokenExpiration` set how long tokens of people live who signed in without, and with, "keep me signed in".',
    'That sign-in is a page for people; Portolan asks for the life of its own tokens.',
  ],
  [
    '`extentService` must be a tiled service in WGS84, WKID 4326; entries of `showInAppLauncher` must be titles that the portal expects.',
    'Nothing tells what a portal does with others; Portolan looks at their form only.',
  ],
  [
    '`portalCloudConfigEnabled` and `portalCatalogConfigEnabled` are to be switched off only after access to the curated content was.',
    'A rule for people: the interface does not tell that access.',
  ],
  [
    'A self-managed portal may run on Windows, Linux or Kubernetes.',
    'The interface is the same on all of them, and Portolan does not ask.',
  ],
  [
    'The vendor names further exportable types: office documents, configurable templates, configurable solution apps.',
    'Their words are not given; those of office documents are relied on, the others are left to the portal.',
  ],
  [
    'Which statuses of a task run, and of a job, follow which.',
    'Nothing is told of it; a run takes every status after every other, and unknown words of a job count as running.',
  ],
  [
    'What a task, a task run, a group, an item or a folder holds besides what is named here.',
    'Not told; Portolan keeps what it does not know and asks for nothing of it.',
  ],
  ['Whether the service announces anything by itself.', 'Not told; Portolan asks for the state of jobs.'],
  ['How many requests a portal takes in what time.', 'Not told; Portolan heeds a 429 where one comes.'],
  [
    'What an operation answers without `f`, or with `html` or `pjson`; to a GET where it is a POST; and what an export or import answers at once, without `async=true`.',
    'Portolan asks for JSON, by POST, with `async=true`, always.',
  ],
  [
    'Form fields of `addItem` for thumbnails, metadata, relationships, proxied services, sign-in at a service and data of another address.',
    'Portolan sends none of them.',
  ],
  [
    'What a portal answers to settings and words that it does not take, and whether it passes over those that it does not know.',
    'Portolan refuses them before it sends anything, and reads back what it has sent.',
  ],
  [
    'What else a job, the summary of a package and a row of a preview hold: definition, times, the name and version of the package.',
    'Portolan reads none of it.',
  ],
  ['Export and import on releases and deployments that have none.', 'Portolan refuses these before it asks.'],
];

/** What people see in a browser. */
function shownByThePortalAlone(): [statement: string, reason: string][] {
  const reason = "This shows on the portal's own pages, which neither Portolan nor the simulated portal has.";
  return [
    ['A visitor has to agree to an access notice before they see the site.', reason],
    [
      'The banner stands above every page of the organization; colours that hardly differ bring a warning on the security page.',
      reason,
    ],
    [
      '`footerLinks` stand below every page; `httpsDomains` are those that the legacy map viewer moves to HTTPS.',
      reason,
    ],
    [
      '`extentService`, `gcsBasemapService`, `surveyUrl` and `iotViewerUrl` are where the pages find a service or an application.',
      reason,
    ],
    [
      '`restrictOrganizationPageToAdmin` hides the page of the organization from all but default administrators.',
      reason,
    ],
    [
      '`searchPlatformOnlineEnabled` hides a search for layers: in the legacy map viewer, from 11.2 in the current one too.',
      reason,
    ],
    [
      '`showCreateDashboard`, `sceneViewerEnabled` and `webAppBuilderEnabled` hide applications from dialogs and menus.',
      reason,
    ],
    [
      '`configurePortalCloudEnv`, `portalCloudConfigEnabled` and `portalCatalogConfigEnabled` fit the settings page to a disconnected site.',
      reason,
    ],
  ];
}
