import type { ComponentChildren } from 'preact';
import { type Block, isEmpty, type Mark, type Sheet, type Value } from '../../../model/text/sheet';
import { countWords } from '../../../model/text/words';
import { Command } from './command';
import { RunLink, StatusMark } from './run-marks';
import { Facts, Part, Table } from './table';
import { Took, When } from './when';
import { ShortId, Words } from './words';

/** Length at which a text is cut; its tooltip has more. @format characters */
const SHOWN_MAX = 300;

/** A sheet as a part of a page; a terminal draws the same one. @param name of its table, for screen readers */
export const SheetPart = ({ sheet, name }: { readonly sheet: Sheet; readonly name: string }) => (
  <>{sheet.map((block) => block && !isEmpty(block) && <BlockPart block={block} name={name} />)}</>
);

interface SectionProps {
  readonly id: string;
  readonly sheet: Sheet;
  /** How many of its blocks are shown at once; the others open by their titles. @default all */
  readonly open?: number;
  readonly children?: ComponentChildren;
}

/** A sheet as a part that live updates replace on its own, with the title of its first block. */
export const SheetSection = ({ id, sheet, open = sheet.length, children }: SectionProps) => {
  const [first, ...others] = sheet;
  if (first === undefined || isEmpty(first)) return null;
  return (
    <Part id={id} title={<Shown value={first.title} />}>
      <SheetPart sheet={[{ ...first, title: undefined }, ...others.slice(0, open - 1)]} name={id} />
      {others.slice(open - 1).map((block) => block && <FoldedBlock block={block} name={id} />)}
      {children}
    </Part>
  );
};

/** A block that opens by its title. */
export const FoldedBlock = ({ block, name }: { readonly block: Block; readonly name: string }) =>
  isEmpty(block) ? null : (
    <details>
      <summary>
        <Shown value={block.title} />
      </summary>
      <BlockPart block={{ ...block, title: undefined }} name={name} />
    </details>
  );

export const BlockPart = ({ block, name }: { readonly block: Block; readonly name: string }) => (
  <>
    {block.title !== undefined && (
      <p>
        <Shown value={block.title} />
      </p>
    )}
    <Body block={block} name={name} />
  </>
);

const Body = ({ block, name }: { readonly block: Block; readonly name: string }) => {
  if ('lines' in block)
    return (
      <>
        {block.lines.map((line) => (
          <p>
            <Shown value={line} />
          </p>
        ))}
      </>
    );
  if ('facts' in block)
    return (
      <Facts
        facts={block.facts
          .filter(([, value]) => value !== undefined)
          .map(([term, value]) => [term, <Shown value={value} />] as const)}
      />
    );
  if (block.rows.length === 0) return block.empty === undefined ? null : <p>{block.empty}</p>;
  return (
    <Table name={name} head={block.columns}>
      <tbody>
        {block.rows.map((row) => (
          <tr>
            {row.map((cell) => (
              <td class={typeof cell === 'number' ? 'number' : undefined}>
                <Shown value={cell} />
              </td>
            ))}
          </tr>
        ))}
      </tbody>
    </Table>
  );
};

/** A value of a sheet. */
export const Shown = ({ value }: { readonly value: Value }) => {
  if (value === undefined) return null;
  if (typeof value === 'string') return <Words text={value} most={SHOWN_MAX} />;
  if (typeof value === 'number') return <>{countWords(value)}</>;
  if ('command' in value) return <Command text={value.command} />;
  if ('status' in value) return <StatusMark {...value} />;
  if ('link' in value)
    return (
      <a href={value.to}>
        <Words text={value.link} most={80} />
      </a>
    );
  if ('text' in value) return <span class={markClasses[value.mark]}>{<Shown value={value.text} />}</span>;
  if ('time' in value) return <When at={value.time} />;
  if ('id' in value) return <ShortId id={value.id} />;
  if ('from' in value) return <Took {...value} />;
  if ('run' in value) return <RunLink runId={value.run} whole={value.whole} />;
  return (
    <>
      {value.map((each) => (
        <Shown value={each} />
      ))}
    </>
  );
};

export const markClasses: Readonly<Record<Mark, string>> = {
  strong: 'strong',
  faint: 'fine',
  good: 'good',
  notice: 'warn',
  bad: 'bad',
  active: 'strong',
};
