import type { ComponentChildren } from 'preact';

interface TableProps {
  /** What it is a table of. */
  readonly name: string;
  readonly head: readonly string[];
  readonly children: ComponentChildren;
}

/** A table that is scrolled sideways where the screen is narrower, by keys as well. */
export const Table = ({ name, head, children }: TableProps) => (
  <div class="scroll" role="region" aria-label={name} tabIndex={0}>
    <table>
      <thead>
        <tr>
          {head.map((title) => (
            <th scope="col">{title}</th>
          ))}
        </tr>
      </thead>
      {children}
    </table>
  </div>
);

/** A list of what something is: a term each, and what is known of it. */
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

/** A part of a page that is exchanged by itself when something happens. @param id no other part of the page has it */
export const Part = ({
  id,
  title,
  children,
}: {
  readonly id: string;
  readonly title?: ComponentChildren;
  readonly children: ComponentChildren;
}) => (
  <section id={id}>
    {title !== undefined && <h2>{title}</h2>}
    {children}
  </section>
);

/** Words about where what is shown comes from, or what does not work. */
export const Notes = ({ notes }: { readonly notes: readonly string[] }) =>
  notes.length === 0 ? null : (
    <ul class="notes">
      {notes.map((note) => (
        <li>{note}</li>
      ))}
    </ul>
  );
