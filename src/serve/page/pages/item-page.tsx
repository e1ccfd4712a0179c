import type { ItemHistory, ItemVersionView } from '../../../contract/items';
import { bytesText, countOf, timeWords } from '../../../model/text/words';
import {
  changeLines,
  historyFacts,
  restorableFrom,
  whyNotRestorable,
} from '../../../service/item/item-sheets';
import { Action } from '../actions/action';
import { BlockPart } from '../parts/sheet';
import { Notes, Part } from '../parts/table';
import { When } from '../parts/when';
import { Words } from '../parts/words';

/** Lines of a change that are shown of a version. */
const LINES_MAX = 20;

/** The versions of an item, each with what changed and a form to restore it. */
export const ItemPage = (history: ItemHistory) => (
  <>
    <h1>
      <Words text={history.title} most={80} />
    </h1>
    <Notes notes={history.notes} />
    <BlockPart block={{ facts: historyFacts(history) }} name="Item" />
    <p>
      Restoring a version creates a plan for this item only. Nothing is written until someone approves it.
    </p>
    {history.versions.map((version, at) => (
      <Version itemId={history.itemId} version={version} number={history.versions.length - at} />
    ))}
  </>
);

interface VersionProps {
  readonly itemId: string;
  readonly version: ItemVersionView;
  /** From 1, the oldest. */
  readonly number: number;
}

const Version = ({ itemId, version, number }: VersionProps) => {
  const { at, size, change, snapshots } = version;
  const from = restorableFrom(version);
  const lines = change ? changeLines(change) : ['first version'];
  return (
    <Part
      id={`version-${number}`}
      title={
        <>
          Version {number}, <When at={at} />
        </>
      }
    >
      <ul class="reasons">
        {lines.slice(0, LINES_MAX).map((line) => (
          <li>
            <Words text={line} most={300} />
          </li>
        ))}
        {lines.length > LINES_MAX && <li>{countOf(lines.length - LINES_MAX, 'more change')}</li>}
      </ul>
      <p class="fine">
        {timeWords(at)}, {size === undefined ? '' : `${bytesText(size)}, `}
        in {countOf(snapshots.length, 'backup')}
      </p>
      {from ? (
        <Action
          of="restoreItem"
          known={{ item: itemId, at: from.id }}
          with={{ kind: 'restore', route: { name: from.route } }}
          button={`Restore version ${number}`}
        />
      ) : (
        <p class="fine">
          Cannot be restored: <Words text={whyNotRestorable(version)} />
        </p>
      )}
    </Part>
  );
};
