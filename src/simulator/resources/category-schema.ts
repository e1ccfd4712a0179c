import { z } from 'zod';
import { badRequest, denied, missing, noItem, noResource, tokenRequired } from '../errors';
import { isAdministrator } from '../access';
import { signedIn, writable, type Call } from '../http/call';
import { json, type Reply } from '../http/reply';
import { read, write, type Route } from '../http/router';
import { checkPortalId } from './portals';

const portals = '/portal/sharing/rest/portals/:portalId';

/** Category schema of the organization (docs/reference/portal-interface.md, "Category schema"). */
export const categorySchemaRoutes: readonly Route[] = [
  read('categorySchema.read', `${portals}/categorySchema`, readSchema),
  write('categorySchema.assign', `${portals}/assignCategorySchema`, assign),
  write('categorySchema.delete', `${portals}/deleteCategorySchema`, remove),
  write('items.update', '/portal/sharing/rest/content/updateItems', updateItems),
];

interface Category {
  title: string;
  description?: string;
  categories?: Category[];
}

/** Items are filed under paths of titles, so siblings need different titles. */
const isDistinct = (siblings: readonly Category[]): boolean =>
  new Set(siblings.map(({ title }) => title.trim())).size === siblings.length;

/** Unknown fields are dropped. */
const category: z.ZodType<Category> = z.object({
  title: z.string().max(100).regex(/\S/, 'A category needs a title.'),
  description: z.string().max(300).optional(),
  get categories() {
    return z.array(category).refine(isDistinct, 'Siblings need different titles.').optional();
  },
});
const schema = z.object({
  categorySchema: z.array(category).max(5).refine(isDistinct, 'Siblings need different titles.'),
});

const mostLevels = 4;
const mostCategories = 200;

/** Members can see it, because they file their items under it; visitors cannot. */
function readSchema(call: Call): Reply {
  checkPortalId(call, call.path['portalId'] ?? '');
  if (!call.session) throw tokenRequired();
  return json({ categorySchema: call.world.portal.categorySchema });
}

/** For administrators, and users with the privilege. The schema is in the field `categorySchema`. */
function assign(call: Call): Reply {
  checkPortalId(call, call.path['portalId'] ?? '');
  const user = signedIn(call);
  if (!user.privileges.includes('portal:admin:updateItemCategorySchema')) throw denied();
  writable(call);
  const given = call.params.json('categorySchema');
  if (given === undefined) throw missing('categorySchema');
  const parsed = schema.safeParse(given);
  if (!parsed.success) throw badRequest('The category schema is not valid.', z.prettifyError(parsed.error));
  const { categorySchema } = parsed.data;
  if (levels(categorySchema) > mostLevels) throw badRequest(`A tree has at most ${mostLevels} levels.`);
  if (count(categorySchema) > mostCategories)
    throw badRequest(`At most ${mostCategories} categories are allowed.`);
  call.world.changePortal({ categorySchema });
  return json({ success: true });
}

const levels = (some: readonly Category[]): number =>
  some.reduce((most, one) => Math.max(most, 1 + levels(one.categories ?? [])), 0);

const count = (some: readonly Category[]): number =>
  some.reduce((sum, one) => sum + 1 + count(one.categories ?? []), 0);

/** For full administrators; others get "inaccessible". */
function remove(call: Call): Reply {
  checkPortalId(call, call.path['portalId'] ?? '');
  if (!isAdministrator(signedIn(call))) throw noResource();
  writable(call);
  if (call.world.portal.categorySchema.length === 0) throw noResource();
  call.world.changePortal({ categorySchema: [] });
  return json({ success: true });
}

const mostUpdates = 100;
const updates = z
  .array(z.record(z.string(), z.looseObject({ categories: z.array(z.string()) })))
  .max(mostUpdates);

/** Sets categories of up to 100 items at once. */
function updateItems(call: Call): Reply {
  const user = signedIn(call);
  writable(call);
  const parsed = updates.safeParse(call.params.json('items'));
  if (!parsed.success) throw badRequest("'items' is not valid.", z.prettifyError(parsed.error));
  const results = parsed.data.flatMap((entry) =>
    Object.entries(entry).map(([itemId, { categories }]) => {
      const item = call.world.items.get(itemId);
      if (!item || (item.owner !== user.username && !isAdministrator(user))) {
        return { itemId, success: false, ...noItem().body };
      }
      call.world.items.change(itemId, { categories });
      return { itemId, success: true };
    }),
  );
  return json({ results });
}
