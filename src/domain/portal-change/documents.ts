import type { DocumentKind } from '../../model/portal-change/change';
import { categoriesDocument } from './categories';
import type { Content, PortalDocument } from './portal-document';
import { settingsDocument } from './settings';

/** The documents of a portal, by the kind of the run that changes them. */
export const portalDocuments: Readonly<Record<DocumentKind, PortalDocument<Content>>> = {
  settings: settingsDocument,
  'category-schema': categoriesDocument,
};
