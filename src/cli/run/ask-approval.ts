import type { RunRecord } from '../../model/run/run';
import { targetOf } from './run-target';

export type ApprovalAnswer = 'yes' | 'no' | 'later';

/**
 * Asks for a yes to the plan of this run. Where something would be overwritten the target's name has to be
 * typed, so that a yes to the wrong portal is not a slip of one key.
 */
export async function askApproval(record: RunRecord): Promise<ApprovalAnswer> {
  const { confirm, isCancel, text } = await import('@clack/prompts');
  const { plan } = record;
  const { portal } = targetOf(record);
  const overwritten = plan?.overwrite ?? 0;
  if (overwritten === 0) {
    const answer = await confirm({
      message: `Import ${plan?.create ?? 0} items into ${portal}?`,
      initialValue: false,
      output: process.stderr,
    });
    if (isCancel(answer)) return 'later';
    return answer ? 'yes' : 'no';
  }
  const typed = await text({
    message: `Overwrite ${overwritten} items on ${portal}? Type "${portal}" to go on, anything else to stop.`,
    output: process.stderr,
  });
  if (isCancel(typed)) return 'later';
  return typed?.trim() === portal ? 'yes' : 'no';
}
