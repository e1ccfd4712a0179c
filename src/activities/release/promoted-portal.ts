import { isEmpty, listedChanges } from '../../domain/portal-change/portal-document';
import {
  portalDocuments,
  draftAsBefore,
  draftOfRelease,
  type PortalDraft,
  type StagePortal,
} from '../../domain/portal-change/documents';
import { PortolanError } from '../../model/errors/errors';
import type { DocumentChangeInput, DocumentKind } from '../../model/portal-change/change';
import type { PromotionEntry } from '../../model/release/promotion';
import type { PromotionInput } from '../../model/release/promotion-input';
import { type WholePlan, wholePlan } from '../../domain/release/whole-plan';
import { type FieldChange, runRecord } from '../../model/run/run';
import { isPartOf } from '../../model/run/run-id';
import { keys } from '../../store/keys';
import type { Store } from '../../store/store';
import { type ActivityDeps, openPortalRef } from '../deps';
import { signedPromotion } from './stage';

/** The change to make, besides the common fields of its run's input; none if nothing differs. */
interface Desire {
  readonly warnings: readonly string[];
  readonly change?: Pick<DocumentChangeInput, 'expected' | 'warnings'> & { readonly operation?: 'delete' };
}

const kindOfRun = (runId: string): DocumentKind =>
  runId.startsWith('settings-') ? 'settings' : 'category-schema';

/** What would change on the portal. Writes nothing. */
export async function portalChanges(
  deps: ActivityDeps,
  input: PromotionInput,
): Promise<Pick<WholePlan, 'settings' | 'categories'>> {
  const planned = async (kind: DocumentKind) => {
    if (!input[portalDocuments[kind].heldAs]) return undefined;
    const { expected, changes } = await draftOfRelease(kind, stageOf(deps, input), input.release.id);
    return { expected, changes: listedChanges(changes) };
  };
  return { settings: await planned('settings'), categories: await planned('category-schema') };
}

/** The portal changes of a rollback, from the records of the runs that made them. */
export async function undoneChanges(
  { store }: ActivityDeps,
  by: Pick<PromotionEntry, 'settings' | 'categories'>,
): Promise<FieldChange[]> {
  const runs = [by.settings, by.categories].filter((runId) => runId !== undefined);
  const records = await Promise.all(runs.map((runId) => store.readJson(keys.record(runId), runRecord)));
  const made = records.flatMap((record) => record?.changes ?? []);
  return listedChanges(made.map(({ path, before, after }) => ({ path, before: after, after: before })));
}

/**
 * The portal change that applies the release's settings or categories. Throws PLAN_CHANGED if it is not what was
 * approved.
 */
export async function desireOfRelease(
  deps: ActivityDeps,
  { runId, part, plan }: { runId: string; part: string; plan: string },
): Promise<Desire> {
  const { store } = deps;
  const input = await signedPromotion(deps, runId);
  const kind = kindOfRun(part);
  const { title, heldAs } = portalDocuments[kind];
  const draft = await draftOfRelease(kind, stageOf(deps, input), input.release.id);
  const approved = await store.readJson(keys.wholePlan(input.runId, plan), wholePlan);
  if (draft.changes.length > 0 && draft.expected !== approved?.[heldAs]?.expected)
    throw new PortolanError(
      'PLAN_CHANGED',
      `the ${title} of ${input.route.target.portal} changed after the approval`,
    );
  return await keepDraft(store, part, draft);
}

/**
 * The portal change that rolls an earlier one back, except what someone has changed since, with a warning: whether
 * there is something like that, `isLeft` says.
 */
export async function desireAsBefore(
  deps: ActivityDeps,
  { runId, part, undone }: { runId: string; part: string; undone: string },
): Promise<Desire & { readonly isLeft: boolean }> {
  const { store } = deps;
  const input = await signedPromotion(deps, runId);
  if (![input.runId, input.undoes ?? ''].some((whole) => isPartOf(undone, whole)))
    throw new PortolanError('INTERNAL', `${undone} is not the promotion being rolled back`);
  const draft = await draftAsBefore(kindOfRun(undone), stageOf(deps, input), store, undone);
  return { ...(await keepDraft(store, part, draft)), isLeft: draft.isLeft };
}

/** Saves what the run that makes the change writes. */
async function keepDraft(store: Store, part: string, draft: PortalDraft): Promise<Desire> {
  const { wanted, changes, expected, warnings } = draft;
  if (changes.length === 0) return { warnings };
  await store.writeJson(keys.desired(part), wanted);
  const change = { expected, warnings };
  return { warnings, change: isEmpty(wanted) ? { ...change, operation: 'delete' } : change };
}

function stageOf({ portals, snapshots }: ActivityDeps, { route }: PromotionInput): StagePortal {
  const portal = openPortalRef(portals, route.target);
  return { portal, releases: snapshots.releases };
}
