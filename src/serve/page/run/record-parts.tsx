import type { RunRecord } from '../../../model/run/run';
import { oneLine } from '../../../model/text/plain-text';
import { countOf } from '../../../model/text/words';
import { otherWarnings } from '../../../service/run/run-words';
import { RunLink, StatusMark } from '../parts/run-marks';
import { Part, Table } from '../parts/table';
import { When } from '../parts/when';
import { Words } from '../parts/words';

/** The child runs of a run. */
export const Children = ({ parts }: { readonly parts: NonNullable<RunRecord['children']> }) => (
  <Part id="children" title={countOf(parts.length, 'child run')}>
    <Table name="Child runs" head={['Run', 'Step', 'Items', 'Status']}>
      <tbody>
        {parts.map(({ runId, items, status, name, does }) => (
          <tr>
            <td>
              <RunLink runId={runId} />
            </td>
            <td>
              <Words text={[does, name].filter(Boolean).join(' ')} />
            </td>
            <td class="number">{items}</td>
            <td>
              <StatusMark status={status} />
            </td>
          </tr>
        ))}
      </tbody>
    </Table>
  </Part>
);

/** The values that a change of portal settings or a category schema changes. */
export const Changes = ({ changes }: { readonly changes: NonNullable<RunRecord['changes']> }) => (
  <Part id="changes" title={countOf(changes.length, 'change')}>
    <Table name="Changes" head={['Path', 'Before', 'After']}>
      <tbody>
        {changes.map(({ path, before, after }) => (
          <tr>
            <td>
              <Words text={path} />
            </td>
            <td>
              <Words text={valueWords(before)} most={300} />
            </td>
            <td>
              <Words text={valueWords(after)} most={300} />
            </td>
          </tr>
        ))}
      </tbody>
    </Table>
  </Part>
);

const valueWords = (value: unknown): string =>
  value === undefined ? '(none)' : typeof value === 'string' ? value : (JSON.stringify(value) ?? '');

/** Preflight checks that did not simply pass, and warnings. */
export const Remarks = ({ record }: { readonly record: RunRecord }) => {
  const open = (record.guards ?? []).filter(({ verdict, isNews }) => verdict !== 'pass' || isNews === true);
  const warnings = [...otherWarnings(record), ...record.leftRunning.map((left) => `still running: ${left}`)];
  if (open.length + warnings.length === 0) return null;
  return (
    <Part id="remarks" title="Warnings">
      <ul class="reasons">
        {open.map(({ name, verdict, saw, needs, todo }) => (
          <li>
            <strong class={verdict === 'refuse' ? 'bad' : undefined}>{name}</strong>{' '}
            <Words text={saw} most={300} />
            {needs !== undefined && (
              <>
                ; needed: <Words text={needs} most={300} />
              </>
            )}
            {todo !== undefined && (
              <>
                ; <Words text={todo} most={300} />
              </>
            )}
          </li>
        ))}
        {warnings.map((warning) => (
          <li>
            <Words text={warning} most={400} />
          </li>
        ))}
      </ul>
    </Part>
  );
};

/** How the identity is known. */
const identityWords: Readonly<Record<string, string>> = {
  claimed: 'unverified identity',
  key: 'identified by an API key',
  portal: 'signed in at a portal',
};

export const Person = ({ who, identity }: Pick<RunRecord['actions'][number], 'who' | 'identity'>) => (
  <>
    <Words text={who} most={80} />
    {identity !== undefined && (
      <span class="fine" title={identityWords[identity]}>
        {' '}
        ({identity})
      </span>
    )}
  </>
);

/** Who did what, when and why. */
export const Log = ({ actions, runId }: Pick<RunRecord, 'actions' | 'runId'>) => (
  <Part id="log" title="Activity">
    <ol class="log">
      {actions.map(({ at, who, identity, what, reason }) => (
        <li>
          <When at={at} /> <Person {...{ who, identity }} /> <strong>{oneLine(what)}</strong>
          {reason !== undefined && (
            <>
              : “<Words text={reason} most={300} />”
            </>
          )}
        </li>
      ))}
    </ol>
    <p>
      <a href={`/runs/${encodeURIComponent(runId)}/events`}>All events</a>
    </p>
  </Part>
);
