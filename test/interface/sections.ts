import type { Section } from './row';
import { contentSection } from './rows/content';
import { exportSection, packageSection } from './rows/export';
import { importSection } from './rows/import';
import { itemTypeSection } from './rows/item-types';
import { jobSection, listSection } from './rows/jobs';
import { previewSection } from './rows/preview';

/** All rows, in the order of the page. */
export const sections: readonly Section[] = [
  exportSection,
  packageSection,
  itemTypeSection,
  contentSection,
  importSection,
  previewSection,
  jobSection,
  listSection,
];
