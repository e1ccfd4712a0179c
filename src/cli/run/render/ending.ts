import { oneLine, ownLine } from '../../../model/text/plain-text';
import type { ErrorCode } from '../../../model/errors/error-codes';
import type { RunRecord } from '../../../model/run/run';
import { shortRunId } from '../../../model/run/run-id';
import { createdCounts } from '../../../model/run/run-state';
import { bytesText } from '../../../model/text/bytes-text';
import type { Style } from '../../terminal/style';
import { countOf, durationWords } from '../../../model/text/words';
import { labelled } from '../../terminal/columns';
import { otherWarnings } from './guards';
import { nextCommands } from '../../../service/run/next-commands';
import { entriesOf, exitStatusOf, lengthOf } from '../../../service/run/run-view';
import { ledgerWords } from './ledger';
import { whyLines } from './parked';
import { findingLines } from './verification';

/** Findings that are spelled out at the end; `run show` has them all. */
const namedFindings = 3;

/** The end of a run in a few lines: what it came to, what became of the target, and what to type next. */
export function endingBlock(
  record: RunRecord,
  style: Style,
  { status = exitStatusOf(record), now = Date.now() }: { status?: number; now?: number } = {},
): string {
  const { colors } = style;
  const until = record.finishedAt ?? record.parked?.at;
  const took = durationWords((until === undefined ? now : Date.parse(until)) - Date.parse(record.startedAt));
  const title = paintStatus(record, record.status.toUpperCase(), style);
  const preposition = record.finishedAt === undefined ? 'after' : 'in';
  const lines = [
    [
      `${title} ${preposition} ${took}.`,
      sentence(summary(record)),
      `Target: ${record.target}.`,
      `Exit status ${status}.`,
    ]
      .filter((part) => part !== '')
      .join('  '),
  ];
  if (record.parked !== undefined) lines.push(...whyLines(record, record.parked, style));
  else if (record.error !== undefined) lines.push(...errorLines(record.error, style));
  const findings = entriesOf(record.verification?.findings ?? []);
  lines.push(...findings.slice(0, namedFindings).flatMap(findingLines));
  lines.push(...createdLines(record));
  lines.push(...otherWarnings(record).map((warning) => colors.yellow(`warning  ${oneLine(warning)}`)));
  lines.push(...record.leftRunning.map((left) => colors.yellow(`still running  ${oneLine(left)}`)));
  lines.push(...labelled(nextCommands(record), style));
  return lines.join('\n');
}

const sentence = (words: string): string => (words === '' ? '' : `${words}.`);

/** `11 imported, 2 kept, 1 blocked, 1 finding`. */
function summary(record: RunRecord): string {
  if (record.status === 'waiting') return 'Waiting for an approval';
  if (record.status === 'parked')
    return `Waiting for a person${record.parked === undefined ? '' : `, in ${record.parked.phase}`}`;
  const findings = record.verification === undefined ? 0 : lengthOf(record.verification.findings);
  const { changes } = record;
  return [
    snapshotWords(record),
    isUnchanged(record) ? 'Unchanged' : '',
    ledgerWords(record.items),
    changes === undefined ? '' : countOf(changes.length, 'change'),
    findings > 0 ? countOf(findings, 'finding') : '',
  ]
    .filter((part) => part !== '')
    .join(', ');
}

/** A sync that needed no package, since nobody has touched anything since earlier ones. */
const isUnchanged = ({ status, items, package: packaged }: RunRecord): boolean =>
  status === 'nothing-to-do' && packaged === undefined && lengthOf(items?.same) > 0;

/** What a person decided is no error of anybody's: there is nothing to look for, and nothing to do. */
const decisions: ReadonlySet<string> = new Set<ErrorCode>(['CANCELLED', 'REJECTED']);

/** Code and words, each of several on a line of its own, then what to do. */
export function errorLines(error: NonNullable<RunRecord['error']>, { colors }: Style): string[] {
  if (decisions.has(error.code)) return [`${colors.red(error.code)}  ${oneLine(error.message)}`];
  const [first = '', ...others] = error.message.split('\n');
  return [
    `${colors.red(error.code)}  ${oneLine(first)} (${error.kind}, ${error.origin})`,
    ...[...others, error.hint].map((line) => `         ${ownLine(line)}`),
  ];
}

/** What a run did with snapshots, in a few words; nothing for one that has to do with none. */
function snapshotWords({ kind, snapshot, proof, created }: RunRecord): string {
  switch (kind) {
    case 'backup':
      if (snapshot === undefined) return '';
      return snapshot.unchanged
        ? `Unchanged, see snapshot ${shortRunId(snapshot.id)}`
        : `${countOf(snapshot.items ?? 0, 'item')}, ${sizeWords(snapshot)}, snapshot ${shortRunId(snapshot.id)}`;
    case 'drill':
      return proof === undefined ? '' : `Snapshot ${shortRunId(snapshot?.id ?? '?')} is proven: ${proof}`;
    case 'rollback':
      return createdWords(created);
    default:
      return '';
  }
}

/** `64 MB`; `1.2 MB added to 64 MB of k7q2` where most of it was there before. */
function sizeWords({ sizeBytes = 0, addedBytes = 0, since }: NonNullable<RunRecord['snapshot']>): string {
  if (since === undefined) return bytesText(sizeBytes);
  return `${bytesText(addedBytes)} added to ${bytesText(sizeBytes - addedBytes)} of ${shortRunId(since)}`;
}

function createdWords(created: RunRecord['created']): string {
  if (created === undefined) return '';
  const { removed, there } = createdCounts(created);
  return [
    removed > 0 ? `${countOf(removed, 'created item')} removed` : '',
    there > 0 ? `${countOf(there, 'created item')} still there` : '',
  ]
    .filter((part) => part !== '')
    .join(', ');
}

/** Items that a run that was undone had created, and that are still there; the first of them by name. */
function createdLines({ created }: RunRecord, named = 5): string[] {
  if (created === undefined) return [];
  const { there } = createdCounts(created);
  const lines = created.there
    .slice(0, named)
    .map(({ itemId, title, reason }) => `  ${oneLine(itemId)} "${oneLine(title)}": ${oneLine(reason)}`);
  return there > named ? [...lines, `  and ${there - named} more`] : lines;
}

/** Text about a run in the colour of its status. */
export function paintStatus({ status }: Pick<RunRecord, 'status'>, text: string, { colors }: Style): string {
  switch (status) {
    case 'succeeded':
    case 'nothing-to-do':
      return colors.bold(colors.green(text));
    case 'partial':
    case 'waiting':
    case 'parked':
      return colors.bold(colors.yellow(text));
    case 'failed':
    case 'cancelled':
      return colors.bold(colors.red(text));
    case 'running':
      return colors.bold(colors.cyan(text));
  }
}
