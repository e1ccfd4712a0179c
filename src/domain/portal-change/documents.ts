import type { DocumentKind } from '../../model/portal-change/change';
import { categoriesDocument } from './categories';
import {
  type Content,
  type PortalDocument,
  expectedOf,
  storedDocument,
  type Wanted,
} from './portal-document';
import { settingsDocument } from './settings';
import { PortolanError } from '../../model/errors/errors';
import type { FieldChange } from '../../model/run/run';
import type { Portal } from '../../portal/client';
import { keys } from '../../store/keys';
import type { Store } from '../../store/store';
import type { Releases } from '../release/releases';

/** The documents of a portal, by the kind of the run that changes them. */
export const portalDocuments: Readonly<Record<DocumentKind, PortalDocument<Content>>> = {
  settings: settingsDocument,
  'category-schema': categoriesDocument,
};

/** The portal of a stage, and the releases for it. */
export interface StagePortal {
  readonly portal: Portal;
  readonly releases: Releases;
}

/** A change of a stage's portal that no run has made yet. */
export interface PortalDraft extends Wanted<Content> {
  /** None if the portal has it already. */
  readonly changes: readonly FieldChange[];
  readonly expected: string;
}

/** What a promotion of a release changes. */
export async function draftOfRelease(
  kind: DocumentKind,
  { portal, releases }: StagePortal,
  releaseId: string,
): Promise<PortalDraft> {
  const document = portalDocuments[kind];
  const { manifest } = await releases.read(releaseId);
  const held = manifest[document.heldAs];
  if (!held) throw new PortolanError('INTERNAL', `${manifest.id} contains no ${document.title}`);
  const found = await document.read(portal);
  return draftOf(document, found.value, document.ofRelease(held.content, manifest.source.url, found));
}

/** What undoes the change that a run has made, and whether something that someone has changed since stays. */
export async function draftAsBefore(
  kind: DocumentKind,
  { portal }: StagePortal,
  store: Store,
  undone: string,
): Promise<PortalDraft & { readonly isLeft: boolean }> {
  const document = portalDocuments[kind];
  const { value } = await document.read(portal);
  const replaced = await store.readJson(keys.before(undone), document.schema);
  // A run writes nothing before it has saved what it replaces.
  if (replaced === undefined) {
    const warnings = [`${undone} saved no ${document.title}, so none is rolled back`];
    return { ...draftOf(document, value, { wanted: value, warnings }), isLeft: false };
  }
  const written = await storedDocument(store, keys.desired(undone), document);
  const undo = document.undo(value, { replaced, written });
  return { ...draftOf(document, value, undo), isLeft: undo.warnings.length > 0 };
}

const draftOf = (document: PortalDocument<Content>, now: Content, draft: Wanted<Content>): PortalDraft => ({
  ...draft,
  changes: document.differences(now, draft.wanted),
  expected: expectedOf(document, now, draft.wanted),
});
