import type { Route } from './http/router';
import { administrationRoutes } from './resources/administration';
import { categorySchemaRoutes } from './resources/category-schema';
import { communityRoutes } from './resources/community';
import { featureEditRoutes } from './resources/feature-edits';
import { folderRoutes } from './resources/folders';
import { groupExportRoutes } from './resources/group-export';
import { groupImportRoutes } from './resources/group-import';
import { groupRoutes } from './resources/groups';
import { itemDataRoutes } from './resources/item-data';
import { itemResourceRoutes } from './resources/item-resources';
import { itemRoutes } from './resources/items';
import { jobRoutes } from './resources/jobs';
import { partRoutes } from './resources/parts';
import { oauthPageRoutes } from './resources/oauth-page';
import { portalRoutes } from './resources/portals';
import { relationRoutes } from './resources/relations';
import { searchRoutes } from './resources/search';
import { serviceRoutes } from './resources/services';
import { settingsRoutes } from './resources/settings';
import { signInRoutes } from './resources/sign-in';
import { taskRoutes } from './resources/tasks';
import { thumbnailRoutes } from './resources/thumbnails';
import { userContentRoutes } from './resources/user-content';

/** Every route of the portal. What is named comes before what stands for anything. */
export const routes: readonly Route[] = [
  ...signInRoutes,
  ...oauthPageRoutes,
  ...jobRoutes,
  ...settingsRoutes,
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
