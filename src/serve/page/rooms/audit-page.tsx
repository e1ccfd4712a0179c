import type { AuditPage as Audit } from '../../../service/status/audit';
import { RunLink } from '../parts/run-marks';
import { Table } from '../parts/table';
import { When } from '../parts/when';
import { Words } from '../parts/words';
import { Person } from '../run/record-parts';

/** Who started, approved, rejected, resumed and ended what, the newest first. */
export const AuditPage = ({ entries, next, unreadable }: Audit) => (
  <>
    <h1>Audit</h1>
    {unreadable > 0 && (
      <p class="banner bad">{unreadable} notes of frozen portals and schedules cannot be read.</p>
    )}
    <section id="list">
      <Table name="Who did what" head={['When', 'Who', 'What', 'Of', 'Run', 'Why']}>
        <tbody>
          {entries.map(({ at, who, identity, what, of, runId, reason }) => (
            <tr>
              <td>
                <When at={at} />
              </td>
              <td>
                <Person {...{ who, identity }} />
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
      <nav class="pages" aria-label="Pages of the audit">
        <a rel="next" href={`/audit?before=${next}`}>
          Older
        </a>
      </nav>
    )}
  </>
);
