import type { ErrorCode } from '../../../model/errors/error-codes';
import type { ParkedRecord, RunRecord } from '../../../model/run/run';
import { countOf } from '../../../model/text/words';
import { describeCommand, heldText, parkedReasons } from '../../../service/run/format-parked';
import { Part } from '../parts/table';
import { When } from '../parts/when';
import { Lines, Words } from '../parts/words';
import { CommandForm } from '../forms/command-form';

/** Codes of decisions, which are not errors. */
const decisions: ReadonlySet<string> = new Set<ErrorCode>(['CANCELLED', 'REJECTED']);

/** Why a run is parked, what it holds, and the options, each with its effect. */
export const Parked = ({ record, parked }: { readonly record: RunRecord; readonly parked: ParkedRecord }) => (
  <>
    <Part id="why" title="Why this run is parked">
      <ul class="reasons">
        {parkedReasons(record, parked, parked.evidence).map(({ label, text }) => (
          <li>
            <Words text={label === undefined ? text : `${label}: ${text}`} most={600} />
          </li>
        ))}
      </ul>
      <p class="fine">
        Parked <When at={parked.at} />
        {parked.count > 1 && `, ${parked.count} times so far`}.
        {parked.refusals > 0 &&
          ` ${countOf(parked.refusals, 'attempt to resume it was', 'attempts to resume it were')} refused.`}{' '}
        It uses no worker.
      </p>
      {parked.held.length > 0 && (
        <>
          <p class="fine">Kept:</p>
          <ul class="fine">
            {parked.held.map((each) => (
              <li>
                <Words text={heldText(each)} most={300} />
              </li>
            ))}
          </ul>
        </>
      )}
    </Part>
    <Part id="ways" title="What you can do">
      {parked.commands.map((command) => (
        <CommandForm
          record={record}
          command={command}
          deeds={describeCommand(command, record.kind, parked)}
        />
      ))}
    </Part>
  </>
);

/** Why a run failed or was cancelled, with the portal message and the fix. */
export const Why = ({ error }: { readonly error: NonNullable<RunRecord['error']> }) => (
  <Part id="why" title={decisions.has(error.code) ? 'Why it ended' : 'What went wrong'}>
    <p>
      <strong>{error.code}</strong> <Lines text={error.message} />
    </p>
    {!decisions.has(error.code) && (
      <p>
        <Lines text={error.hint} />{' '}
        <span class="fine">
          ({error.kind}, {error.origin})
        </span>
      </p>
    )}
  </Part>
);
