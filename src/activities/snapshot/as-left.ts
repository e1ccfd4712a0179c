import { lastEdit } from '../../domain/transfer/layers';
import { notAsLeft } from '../../domain/transfer/created-items';
import type { CreatedItems } from '../../model/transfer/created-items';
import type { Portal } from '../../portal/client';
import type { CallOptions } from '../../portal/http/request';
import type { Item } from '../../portal/resources/items/item';

/** Why an item may have changed since a run made it, its features included; undefined if it has not. */
export async function whyNotAsLeft(
  { portal, options }: { readonly portal: Portal; readonly options: CallOptions },
  found: Item,
  noted: CreatedItems | undefined,
): Promise<string | undefined> {
  const left = noted?.items[found.id];
  if (!noted || !left) return 'the run did not record that it imported it';
  const not = notAsLeft(found, left, noted);
  if (not !== undefined || left.edited === undefined) return not;
  const edited = await lastEdit(portal, found, options);
  if (edited === left.edited) return undefined;
  return edited === null
    ? 'Portolan cannot tell whether its features have been edited since'
    : 'its features have been edited since';
}
