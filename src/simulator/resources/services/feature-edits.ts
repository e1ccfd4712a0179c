import { z } from 'zod';
import { editLayer, type Edits, type EditResults } from '../../edit-layer';
import { badRequest, denied } from '../../errors';
import { signedIn, writable, type Call } from '../../http/call';
import { json, type Reply } from '../../http/reply';
import { write, type Route } from '../../http/router';
import { more } from '../../wire';
import { layerOf, serviceOf } from './services';

const layer = '/:server/rest/services/:folder/:name/:kind/:layerId';

/** Editing the rows of hosted layers and tables (docs/reference/portal-interface.md, "Layers"). */
export const featureEditRoutes: readonly Route[] = [
  write('layer.applyEdits', `${layer}/applyEdits`, (call) => {
    const edits = {
      adds: features(call, 'adds'),
      updates: features(call, 'updates'),
      deletes: objectIds(call, 'deletes'),
    };
    return edit(call, edits, ({ adds, updates, deletes }) => ({
      addResults: adds,
      updateResults: updates,
      deleteResults: deletes,
    }));
  }),
  write('layer.addFeatures', `${layer}/addFeatures`, (call) =>
    edit(call, { adds: features(call, 'features') }, ({ adds }) => ({ addResults: adds })),
  ),
  write('layer.updateFeatures', `${layer}/updateFeatures`, (call) =>
    edit(call, { updates: features(call, 'features') }, ({ updates }) => ({ updateResults: updates })),
  ),
  write('layer.deleteFeatures', `${layer}/deleteFeatures`, (call) => {
    const all = call.params.text('where')?.replaceAll(' ', '') === '1=1';
    const deletes = all ? 'all' : objectIds(call, 'objectIds');
    return edit(call, { deletes }, (results) => ({ deleteResults: results.deletes }));
  }),
];

/** For users other than viewers who can see the service; only feature services are editable. */
async function edit(
  call: Call,
  edits: Omit<Edits, 'rollback'>,
  answer: (results: EditResults) => Record<string, unknown>,
): Promise<Reply> {
  const service = serviceOf(call);
  const { id } = layerOf(call, service);
  writable(call);
  if (signedIn(call).role === 'org_viewer') throw denied();
  if (call.path['kind'] !== 'FeatureServer' || service.itemId === undefined) {
    throw badRequest('The requested capability is not supported.');
  }
  if (Object.values(edits).every((some) => some === undefined)) throw badRequest('There is nothing to edit.');
  const rollback = call.params.flag('rollbackOnFailure') ?? true;
  const results = await editLayer(call.world, service.path, id, { ...edits, rollback });
  return json({ ...answer(results), ...more(call.settings, { id }) });
}

const row = z.object({
  attributes: z.record(z.string(), z.unknown()).default({}),
  geometry: z.unknown().optional(),
});

/** A list of rows, or a single one. @throws PortalFault 400 */
function features({ params }: Call, name: string): Edits['adds'] {
  const value = params.json(name);
  if (value === undefined) return undefined;
  const parsed = z.array(row).safeParse(Array.isArray(value) ? value : [value]);
  if (!parsed.success) throw badRequest(`'${name}' is no list of features.`);
  return parsed.data;
}

/** `1,2` or `[1,2]`. @throws PortalFault 400 */
function objectIds({ params }: Call, name: string): number[] | undefined {
  const ids = params.text(name)?.replace(/^\[(.*)\]$/s, '$1');
  const numbers = ids
    ?.split(',')
    .filter((part) => part.trim() !== '')
    .map(Number);
  if (numbers?.some((number) => !Number.isInteger(number)))
    throw badRequest(`'${name}' is no list of object ids.`);
  return numbers;
}
