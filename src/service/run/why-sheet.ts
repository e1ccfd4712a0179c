import { changeKeys } from '../../config/route-change';
import { type ErrorCode, isErrorCode, meaningOf } from '../../model/errors/error-codes';
import { parsePortalQueueId } from '../../model/run/portal-queue';
import type { ParkedRecord, RunRecord } from '../../model/run/run';
import { bad, type Block, type Facts, listed, strong, type Value } from '../../model/text/sheet';
import { countOf } from '../../model/text/words';
import { portalQueueName } from '../portal-queue/queue-words';

/** Separates a message from the portal's own. */
const wordsMark = '; portal message: ';

/** Codes of decisions, which are not errors. */
const decisions: ReadonlySet<string> = new Set<ErrorCode>(['CANCELLED', 'REJECTED']);

/** Why a run failed, was ended or is parked, and the fix; of a parked run also what it saw and holds. */
export function whyBlock({
  error,
  parked,
}: RunRecord): { readonly title: Value; readonly facts: Facts } | undefined {
  const code = parked?.code ?? error?.code;
  if (code === undefined) return undefined;
  const isDecision = decisions.has(code);
  const [first = '', ...others] = (parked?.reason ?? error?.message ?? '').split('\n');
  const [said, words] = first.split(wordsMark);
  const kind = error?.kind ?? (isErrorCode(code) ? meaningOf(code).kind : 'unknown');
  const origin = error === undefined ? '' : `, ${error.origin}`;
  return {
    title: strong(parked ? 'Why this run is parked' : isDecision ? 'Why this run ended' : 'What went wrong'),
    facts: [
      ['why', [bad(code), ' ', said, isDecision ? undefined : ` (${kind}${origin})`]],
      ...under('', words === undefined ? others : [...others, `portal message: ${words}`]),
      ...under('seen', parked?.evidence ?? []),
      ...under('fix', isDecision || error === undefined ? [] : error.hint.split('\n')),
      ...(parked ? heldFacts(parked) : []),
    ],
  };
}

const heldFacts = ({ held, at, count, refusals }: ParkedRecord): Facts => [
  ...under('held', held.length === 0 ? ['nothing'] : held.map(heldText)),
  [
    'parked',
    listed(
      { time: at },
      count > 1 && `${count} times so far`,
      refusals > 0 && `${countOf(refusals, 'resume attempt')} refused since`,
    ),
  ],
];

/** The commands for a parked run, the most likely first, each with its effects. */
export const waysBlock = ({ kind }: RunRecord, parked: ParkedRecord): Block => ({
  title: strong('What you can do'),
  facts: parked.commands.flatMap((command, at) =>
    under(at === 0 ? 'next' : 'or', [{ command }, ...effectsOf(command, kind, parked)]),
  ),
});

/** Values with one label. */
const under = (label: string, values: readonly Value[]): Facts =>
  values.map((value, at) => [at === 0 ? label : '', value]);

/** What a parked run holds, for people: a portal queue goes by its name. */
export function heldText(line: string): string {
  const [what = ''] = line.split(',');
  return parsePortalQueueId(what) === undefined
    ? line
    : `slot in ${portalQueueName(what)}${line.slice(what.length)}`;
}

/** The effects of a command on a parked run, one line each. */
export function effectsOf(
  command: string,
  kind: RunRecord['kind'],
  { code, reuses, redoes }: ParkedRecord,
): string[] {
  if (command.includes(' --bisect'))
    return ['ends this run, then bisects the import to find the failing items'];
  if (command.includes(' promote rollback ')) return ['ends this run and rolls back its changes'];
  if (kind === 'promotion') return effectsOnPromotion(command, redoes);
  if (command.includes(' run cancel ')) return ['removes its packages and ends'];
  if (!command.includes(' run resume ')) return [];
  const [first, ...rest] = redoes;
  // A job and waiting for it are displayed as one phase.
  const then = rest.filter((phase) => !phase.startsWith('wait-')).join(', ');
  return [
    `reuses: ${reuses.join('; ') || 'nothing'}`,
    ...(first === undefined ? [] : [`redoes: ${first}`]),
    ...(then === '' ? [] : [`then: ${then}`]),
    ...(code === 'IMPORT_UNDECIDED' ? ['may send a second import'] : []),
    `corrects with --set KEY=VALUE: ${changeKeys.join(', ')}`,
  ];
}

/** A promotion resumes with its original options; its automatic rollback is not one of the next phases. */
function effectsOnPromotion(command: string, redoes: readonly string[]): string[] {
  if (command.includes(' run cancel ')) return ['ends the run; its changes stay'];
  const then = redoes.filter((phase, index) => index === 0 || phase !== 'rollback').join(', ');
  return command.includes(' run resume ') ? [`continues with ${then}`] : [];
}
