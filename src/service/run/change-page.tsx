import { createHash } from 'node:crypto';
import { renderToString } from 'preact-render-to-string';
import { oneLine } from '../../model/text/plain-text';
import { countWords } from '../../model/text/words';
import type { Change, FieldChange } from '../../model/transfer/change';
import { changeCounts, type ChangedItem, isOneSided, notCompared } from './change-sheet';

/** What a page of changes is about. */
export interface ChangePage {
  /** Such as `diff transport`. */
  readonly title: string;
  /** Labels and their values, such as source, target, plan and time. */
  readonly facts: readonly (readonly [string, string])[];
  readonly items: readonly ChangedItem[];
}

/** Without `<`, `>`, `&` and quotes, which would be escaped. */
const css = `
:root { color-scheme: light dark; }
body { font: 15px/1.5 system-ui, sans-serif; max-width: 72rem; margin: 2rem auto; padding: 0 1rem; }
h1 { font-size: 1.5rem; margin: 0; } h2 { font-size: 1.1rem; margin: 2rem 0 0.25rem; overflow-wrap: anywhere; }
dl { display: grid; grid-template-columns: max-content 1fr; gap: 0 1rem; } dd { margin: 0; overflow-wrap: anywhere; }
table { border-collapse: collapse; width: 100%; table-layout: fixed; }
th, td { text-align: left; vertical-align: top; padding: 0.3rem 0.6rem; border-top: 1px solid #8886; overflow-wrap: anywhere; }
th[scope=row] { font-weight: 600; } ins, del { text-decoration: none; }
del { background: #d5303022; } ins { background: #23863622; }
.fine { opacity: 0.75; font-weight: 400; } .warn { border-left: 3px solid #b7791f; padding-left: 0.6rem; }
`;

/** Only this style, and nothing from anywhere: no script, no picture, no request. */
const policy = `default-src 'none'; base-uri 'none'; form-action 'none'; style-src 'sha256-${createHash('sha256').update(css).digest('base64')}'`;

/** What changes inside items as one HTML file, to be attached to a ticket: it needs no script and no connection. */
export const changePage = (page: ChangePage): string =>
  `<!doctype html>\n${renderToString(<Page {...page} />)}\n`;

function Page({ title, facts, items }: ChangePage) {
  const differing = items.filter(({ change }) => change.kind !== 'same');
  const same = items.filter(({ change }) => change.kind === 'same');
  return (
    <html lang="en">
      <head>
        <meta charset="utf-8" />
        <meta http-equiv="Content-Security-Policy" content={policy} />
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <meta name="referrer" content="no-referrer" />
        <title>{oneLine(title)}</title>
        <style>{css}</style>
      </head>
      <body>
        <main>
          <h1>{oneLine(title)}</h1>
          <p>{changeCounts(items) || 'No item is overwritten'}.</p>
          <dl>
            {facts.map(([name, value]) => (
              <>
                <dt>{name}</dt>
                <dd>{oneLine(value)}</dd>
              </>
            ))}
          </dl>
          {differing.map((item) => (
            <Item {...item} />
          ))}
          {same.length > 0 && (
            <details>
              <summary>Identical items</summary>
              <ul>
                {same.map((item) => (
                  <li>
                    <Name {...item} />
                  </li>
                ))}
              </ul>
            </details>
          )}
        </main>
      </body>
    </html>
  );
}

const Name = ({ title, type, itemId }: ChangedItem) => (
  <>
    {oneLine(title)}{' '}
    <span class="fine">
      {oneLine(type)} {itemId}
    </span>
  </>
);

const Item = (item: ChangedItem) => (
  <section>
    <h2>
      <Name {...item} />
    </h2>
    <ChangeDetails {...item.change} />
  </section>
);

/** What changes inside an item: each field before and after, and why not everything could be compared. */
export function ChangeDetails({ fields, more, why }: Change) {
  return (
    <>
      {why !== undefined && <p class="warn">{oneLine(notCompared(why))}</p>}
      {fields.length > 0 && (
        <table>
          <thead>
            <tr>
              <th scope="col">What</th>
              <th scope="col">Before</th>
              <th scope="col">After</th>
            </tr>
          </thead>
          <tbody>{fields.map(Field)}</tbody>
        </table>
      )}
      {more !== undefined && <p class="fine">and {countWords(more)} more</p>}
    </>
  );
}

function Field(field: FieldChange) {
  const { label, path, before, after } = field;
  const unset = isOneSided(field) ? '' : '-';
  return (
    <tr>
      <th scope="row" title={oneLine(path)}>
        {oneLine(label)}
      </th>
      <td>{before === undefined ? unset : <del>{oneLine(before)}</del>}</td>
      <td>{after === undefined ? unset : <ins>{oneLine(after)}</ins>}</td>
    </tr>
  );
}
