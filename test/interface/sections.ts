import type { Section } from './row';
import { authenticationSection } from './rows/authentication';
import { contentSection } from './rows/content';
import { categorySchemaSection, errorSection } from './rows/errors';
import { exportSection } from './rows/export';
import { importSection } from './rows/import';
import { itemTypeSection } from './rows/item-types';
import { jobSection, listSection } from './rows/jobs';
import { limitSection } from './rows/limits';
import { propertySection } from './rows/portal-properties';
import { previewSection } from './rows/preview';
import { noticeSection, settingsSection } from './rows/settings';
import { taskRunSection } from './rows/task-runs';
import { uploadSection } from './rows/uploads';
import { deploymentSection, versionSection } from './rows/versions';

/** All rows, by subject. */
export const sections: readonly Section[] = [
  exportSection,
  itemTypeSection,
  contentSection,
  uploadSection,
  importSection,
  previewSection,
  jobSection,
  listSection,
  taskRunSection,
  settingsSection,
  noticeSection,
  propertySection,
  categorySchemaSection,
  authenticationSection,
  errorSection,
  limitSection,
  versionSection,
  deploymentSection,
];
