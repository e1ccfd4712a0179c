import type { ComponentChildren } from 'preact';

interface TableProps {
  /** Accessible name. */
  readonly name: string;
  readonly head: readonly string[];
  readonly children: ComponentChildren;
}

/** A table that scrolls sideways on narrow screens, also by keyboard. */
export const Table = ({ name, head, children }: TableProps) => (
  <div class="scroll" role="region" aria-label={name} tabIndex={0}>
    <table>
      {head.length > 0 && (
        <thead>
          <tr>
            {head.map((title) => (
              <th scope="col">{title}</th>
            ))}
          </tr>
        </thead>
      )}
      {children}
    </table>
  </div>
);

/** A list of terms and values. */
export const Facts = ({ facts }: { readonly facts: readonly (readonly [string, ComponentChildren])[] }) => (
  <dl class="facts">
    {facts.map(([term, known]) => (
      <div>
        <dt>{term}</dt>
        <dd>{known}</dd>
      </div>
    ))}
  </dl>
);

/**
 * A part of a page that live updates replace on its own.
 *
 * @param id unique in the page
 * @param about what a decision on the page is bound to: when it changes, the part is replaced even while it is in use
 */
export const Part = ({
  id,
  about,
  title,
  children,
}: {
  readonly id: string;
  readonly about?: string;
  readonly title?: ComponentChildren;
  readonly children: ComponentChildren;
}) => (
  <section id={id} data-about={about}>
    {title !== undefined && <h2>{title}</h2>}
    {children}
  </section>
);

/** Remarks about the source of what is shown, or about what is not working. */
export const Notes = ({ notes }: { readonly notes: readonly string[] }) =>
  notes.length === 0 ? null : (
    <ul class="notes">
      {notes.map((note) => (
        <li>{note}</li>
      ))}
    </ul>
  );
