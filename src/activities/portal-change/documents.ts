import {
  type Content,
  expectedOf,
  fingerprintOfChange,
  isEmpty,
  listedChanges,
  storedDocument,
} from '../../domain/portal-change/portal-document';
import { portalDocuments } from '../../domain/portal-change/documents';
import { PortolanError } from '../../model/errors/errors';
import type { DocumentChangeInput, DocumentKind } from '../../model/portal-change/change';
import type { FieldChange } from '../../model/run/run';
import { keys } from '../../store/keys';
import { type ActivityDeps, openPortalRef } from '../deps';
import { writeOnce } from '../attempt/post-once';

/** A run that changes a document of a portal. */
type Change = Pick<DocumentChangeInput, 'runId' | 'portal'> & { readonly kind: DocumentKind };

/** What a change would do. */
interface FoundChange {
  readonly count: number;
  /** The first changes. */
  readonly changes: FieldChange[];
  /** The parts of the document to write; none if nothing differs. */
  readonly parts: string[];
  /** Store key of what is replaced, if it can be applied again. */
  readonly saved?: string;
  readonly warnings: string[];
}

/**
 * Reads the document, saves what is to be replaced, and reports what would change. Writes nothing to the portal.
 *
 * @throws PortolanError if a privilege or setting is missing; PLAN_CHANGED if people were shown other values
 */
export async function findChange(
  deps: ActivityDeps,
  change: Change & Pick<DocumentChangeInput, 'expected'>,
): Promise<FoundChange> {
  const { document, wanted, read } = await openChange(deps, change);
  await requireChange(deps, change);
  const found = await read();
  const warnings = document.require(found, wanted);
  const changes = document.differences(found.value, wanted);
  if (changes.length === 0) return { count: 0, changes, parts: [], warnings };
  if (expectedOf(document, found.value, wanted) !== change.expected) throw changedSinceShown(change);
  const replaced = document.replaced(found.value, wanted);
  const saved = keys.before(change.runId);
  await deps.store.writeJson(saved, replaced);
  const differs = (part: string) => document.differences(found.value, only(wanted, part)).length > 0;
  return {
    count: changes.length,
    changes: listedChanges(changes),
    parts: Object.keys(wanted).filter(differs),
    saved: isEmpty(replaced) ? undefined : saved,
    warnings,
  };
}

/**
 * Writes one part of the document. Safe to repeat.
 *
 * @throws PortolanError PLAN_CHANGED if someone else has changed what would be replaced, or what is to be written
 */
export async function writeChange(
  deps: ActivityDeps,
  change: Change & { readonly part: string },
): Promise<void> {
  const { document, portal, read, ...opened } = await openChange(deps, change);
  const wanted = only(opened.wanted, change.part);
  const before = await storedDocument(deps.store, keys.before(change.runId), document);
  const expected = fingerprintOfChange(document, before, opened.wanted);
  const replaced = only(before, change.part);
  const isSame = (one: Content, other: Content) => document.fingerprint(one) === document.fingerprint(other);
  await writeOnce({
    isThere: async () => {
      await requireSigned(deps, change, expected);
      return document.isThere((await read()).value, wanted, replaced);
    },
    post: async (writing, mayBeThere) => {
      await requireSigned(deps, change, expected);
      const found = await read();
      if (document.differences(found.value, wanted).length === 0) return;
      const isAsShown = isSame(document.replaced(found.value, wanted), replaced);
      const isExpected = isAsShown || (mayBeThere && document.isHalfThere(found.value, wanted, replaced));
      if (!isExpected) throw changedSinceShown(change);
      await requireChange(deps, change);
      await document.write(portal, found, wanted, writing);
    },
  });
}

/** Reads the document back. Lists what the portal did not take, and what it shows in a way of its own. */
export async function checkChange(
  deps: ActivityDeps,
  change: Change,
): Promise<{ lacking: string[]; own: string[] }> {
  const { document, wanted, read } = await openChange(deps, change);
  const replaced = await storedDocument(deps.store, keys.before(change.runId), document);
  const { value } = await read();
  const lacking = pathsOf(document.notTaken(value, wanted, replaced));
  const own = pathsOf(document.differences(value, wanted)).filter((path) => !lacking.includes(path));
  return { lacking, own };
}

async function openChange({ portals, store }: ActivityDeps, { runId, kind, portal: ref }: Change) {
  const document = portalDocuments[kind];
  const wanted = await storedDocument(store, keys.desired(runId), document);
  const portal = openPortalRef(portals, ref);
  return { document, wanted, portal, read: () => document.read(portal) };
}

/** Throws unless the run was accepted and may write to its portal. */
const requireChange = ({ authority }: ActivityDeps, { runId, portal }: Change): Promise<void> =>
  authority.require(runId, { target: { portal: portal.portal } });

/** Throws unless the run was signed for what the store has now: that may be from another request. */
async function requireSigned({ authority }: ActivityDeps, change: Change, expected: string): Promise<void> {
  const { input } = await authority.startOf(change.runId);
  if ((input as Partial<DocumentChangeInput>).expected !== expected) throw changedSinceShown(change);
}

const changedSinceShown = ({ kind, portal: { portal } }: Change): PortolanError =>
  new PortolanError(
    'PLAN_CHANGED',
    `The ${portalDocuments[kind].title} of ${portal} changed after the review.`,
    { portal, hint: 'Run the command again and review what it shows.' },
  );

const only = (content: Content, part: string): Content => ({ [part]: content[part] });

const pathsOf = (changes: readonly FieldChange[]): string[] => listedChanges(changes).map(({ path }) => path);
