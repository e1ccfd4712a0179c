import { findRule, resolveRule } from '../../config/resolve-rule';
import { PortolanError } from '../../model/errors/errors';
import type { ProtectInput } from '../../model/snapshot/protect-input';
import { findOpenRun } from '../run/open-runs';
import { requestedRunId, type RunStart } from '../run/start-run';
import type { PreparedRun, Starting } from './prepared-run';

/**
 * Prepares a run of a rule. Throws `RULE_NOT_FOUND`, and `USAGE` while another run of it is open.
 *
 * @param after an open run for whose end it waits
 */
export async function prepareProtect(
  sources: Starting,
  { rule: text, reason }: { readonly rule: string; readonly reason?: string },
  after?: string,
): Promise<PreparedRun> {
  const { config, requestId } = sources;
  const resolved = resolveRule(config, findRule(config, text));
  const { name: route } = resolved.route;
  const own = requestId === undefined ? undefined : requestedRunId('protect', route, requestId);
  const open = after ?? (await findOpenRun(sources, { kind: 'protect', route }, own));
  if (after === undefined && open !== undefined)
    throw new PortolanError('USAGE', `${open} of this rule is still open.`, {
      hint: `Watch it: portolan run watch ${open}`,
    });
  const run: RunStart<ProtectInput> = { ...resolved, yes: false, requestId, reason, after };
  return { kind: 'protect', start: run };
}
