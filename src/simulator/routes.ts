import type { Route } from './http/router';
import { administrationRoutes } from './resources/administration';
import { categorySchemaRoutes } from './resources/category-schema';
import { communityRoutes } from './resources/community';
import { featureEditRoutes } from './resources/services/feature-edits';
import { folderRoutes } from './resources/items/folders';
import { groupExportRoutes } from './resources/group-export';
import { groupImportRoutes } from './resources/group-import';
import { groupRoutes } from './resources/groups';
import { itemDataRoutes } from './resources/items/item-data';
import { itemResourceRoutes } from './resources/items/item-resources';
import { itemRoutes } from './resources/items/items';
import { jobRoutes } from './resources/jobs';
import { partRoutes } from './resources/items/parts';
import { oauthPageRoutes } from './resources/oauth-page';
import { portalRoutes } from './resources/portals';
import { relationRoutes } from './resources/items/relations';
import { searchRoutes } from './resources/items/search';
import { serviceRoutes } from './resources/services/services';
import { settingsRoutes } from './resources/settings';
import { signInRoutes } from './resources/sign-in';
import { taskRoutes } from './resources/tasks';
import { thumbnailRoutes } from './resources/items/thumbnails';
import { userContentRoutes } from './resources/items/user-content';
import { webhookRoutes } from './resources/webhooks';

/** All routes of the portal. Specific ones come before those with wildcards. */
export const routes: readonly Route[] = [
  ...signInRoutes,
  ...oauthPageRoutes,
  ...jobRoutes,
  ...settingsRoutes,
  ...webhookRoutes,
  ...categorySchemaRoutes,
  ...portalRoutes,
  ...taskRoutes,
  ...communityRoutes,
  ...groupExportRoutes,
  ...groupImportRoutes,
  ...groupRoutes,
  ...itemDataRoutes,
  ...partRoutes,
  ...itemResourceRoutes,
  ...thumbnailRoutes,
  ...itemRoutes,
  ...folderRoutes,
  ...userContentRoutes,
  ...searchRoutes,
  ...relationRoutes,
  ...featureEditRoutes,
  ...serviceRoutes,
  ...administrationRoutes,
];
