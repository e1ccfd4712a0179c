import type { AuditPage as Audit } from '../../../service/status/audit';
import { countOf } from '../../../model/text/words';
import { RunLink } from '../parts/run-marks';
import { Table } from '../parts/table';
import { When } from '../parts/when';
import { Words } from '../parts/words';
import { personOf } from '../../../service/run/run-sheet';
import { Shown } from '../parts/sheet';

/** Who started, approved, rejected, resumed and cancelled what, newest first. */
export const AuditPage = ({ entries, next, unreadable }: Audit) => (
  <>
    <h1>Audit</h1>
    {unreadable > 0 && (
      <p class="banner bad">Cannot read {countOf(unreadable, 'state file')} of freezes and schedules.</p>
    )}
    <section id="list">
      <Table name="Activity" head={['Time', 'Who', 'Action', 'Subject', 'Run', 'Reason']}>
        <tbody>
          {entries.map(({ at, who, identity, what, of, runId, reason }) => (
            <tr>
              <td>
                <When at={at} />
              </td>
              <td>
                <Shown value={personOf({ who, identity })} />
              </td>
              <td>
                <strong>
                  <Words text={what} most={40} />
                </strong>
              </td>
              <td>
                <Words text={of} most={60} />
              </td>
              <td>{runId !== undefined && <RunLink runId={runId} />}</td>
              <td>
                <Words text={reason ?? ''} most={300} />
              </td>
            </tr>
          ))}
        </tbody>
      </Table>
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
