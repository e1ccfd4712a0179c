import type { HeldItemView } from '../../../contract/items';
import { itemColumns } from '../../../service/item/item-sheets';
import { addressOfItem } from '../addresses';
import { Shown } from '../parts/sheet';
import { Notes, Table } from '../parts/table';
import { Words } from '../parts/words';

export interface ItemsView {
  readonly items: readonly HeldItemView[];
  readonly notes: readonly string[];
  readonly search?: string;
  /** Cursor of the next page. */
  readonly next?: string;
}

/** Items that backups hold, deleted ones too. */
export const ItemsPage = ({ items, notes, search = '', next }: ItemsView) => (
  <>
    <h1>Items</h1>
    <Notes notes={notes} />
    <form method="get" action="/items" class="filter" role="search">
      <label>
        Title, type or ID{' '}
        <input type="text" name="search" value={search} maxLength={200} autocomplete="off" />
      </label>
      <button type="submit">Find item</button>
    </form>
    <section id="list">
      {items.length === 0 ? (
        <p>No backup holds such an item.</p>
      ) : (
        <Table name="Items" head={['Title', ...itemColumns.map(([head]) => head)]}>
          <tbody>
            {items.map((item) => (
              <tr>
                <th scope="row">
                  <a href={addressOfItem(item.itemId, item.portal)}>
                    <Words text={item.title} most={80} />
                  </a>
                </th>
                {itemColumns.map(([, cell]) => (
                  <td>
                    <Shown value={cell(item)} />
                  </td>
                ))}
              </tr>
            ))}
          </tbody>
        </Table>
      )}
    </section>
    {next !== undefined && (
      <nav id="pages" class="pages" aria-label="Item pages">
        <a rel="next" href={`/items?${new URLSearchParams({ search, after: next }).toString()}`}>
          More
        </a>
      </nav>
    )}
  </>
);
