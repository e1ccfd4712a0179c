import { faint, type RowOf, strong, tableOf } from '../../../model/text/sheet';
import { countOf } from '../../../model/text/words';
import type { AuditEntry, AuditPage as Audit } from '../../../service/status/audit';
import { BlockPart } from '../parts/sheet';

const columns: readonly (readonly [string, RowOf<AuditEntry>])[] = [
  ['Time', ({ at }) => ({ time: at })],
  ['Who', ({ who, identity }) => [who, identity && faint(` (${identity})`)]],
  ['Action', ({ what }) => strong(what)],
  ['Subject', ({ of }) => of],
  ['Run', ({ runId }) => runId && { run: runId }],
  ['Reason', ({ reason }) => reason],
];

/** Who started, approved, rejected, resumed and cancelled what, newest first. */
export const AuditPage = ({ entries, next, unreadable }: Audit) => (
  <>
    <h1>Audit</h1>
    {unreadable > 0 && (
      <p class="banner bad">
        Cannot read {countOf(unreadable, 'state file')} of freezes, blocks and schedules.
      </p>
    )}
    <section id="list">
      <BlockPart name="Activity" block={tableOf(entries, columns)} />
    </section>
    {next !== undefined && (
      <nav class="pages" aria-label="Audit pages">
        <a rel="next" href={`/audit?before=${next}`}>
          Older
        </a>
      </nav>
    )}
  </>
);
