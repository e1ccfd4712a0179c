import type { DocumentKind } from '../../model/portal-change/change';
import { exitStatus } from '../../model/errors/error-codes';
import { countOf } from '../../model/text/words';
import { changesTable } from '../../service/run/changes-sheet';
import { startAndFollow } from '../run/follow-run';
import type { Session } from '../terminal/act';
import { askYes } from '../terminal/prompts';

/** What a document becomes. */
interface Wanted {
  readonly portal: string;
  readonly kind: DocumentKind;
  readonly content?: unknown;
  readonly saved?: string;
  readonly from?: string;
  readonly none?: true;
  readonly hosts?: Readonly<Record<string, string>>;
}

interface Options {
  readonly yes?: boolean;
  /** @format milliseconds */
  readonly timeout?: number;
  readonly requestId?: string;
  readonly reason?: string;
}

/**
 * Shows what a change does, asks unless nothing changes, starts its run and follows it. A request ID that has started
 * it before follows that run instead. Returns the exit status.
 * @param isSure asks in place of one yes-or-no question, and says so if nothing is done
 */
export async function changeDocument(
  session: Session,
  wanted: Wanted,
  { yes, timeout, requestId, reason }: Options,
  isSure?: () => Promise<boolean>,
): Promise<number> {
  const { portolan, output } = session;
  const { portal } = wanted;
  const { changes, has, warnings, seen } = await portolan.lookAtChange({ ...wanted, requestId });
  if (has !== undefined) output.note(`${portal} has ${has}.`);
  for (const warning of warnings) output.warn(warning);
  const ask = async (): Promise<boolean> => {
    const isYes = await askYes(`Apply ${countOf(changes.length, 'change')} to ${portal}?`, {
      what: `This needs confirmation; ${portal} is unchanged.`,
      hint: 'Add --yes, or run the command at a terminal.',
    });
    if (!isYes) output.note('Nothing was changed.');
    return isYes;
  };
  if (changes.length > 0) {
    output.before(() => [changesTable(changes)]);
    if (!(yes ?? (await (isSure ?? ask)()))) return exitStatus.cancelled;
  }
  return await startAndFollow(session, (how) => portolan.changeDocument({ ...wanted, seen, reason }, how), {
    wait: true,
    timeout,
    requestId,
  });
}
