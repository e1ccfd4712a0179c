import { findRule, resolveRule } from '../../config/resolve-rule';
import { PortolanError } from '../../model/errors/errors';
import type { ProtectInput } from '../../model/snapshot/protect-input';
import { awaitRecordedEnd, readRun } from '../run/read-run';
import { runPage } from '../run/run-rows';
import { requestedRunId, type RunStart } from '../run/start-run';
import type { PreparedRun, Starting } from './prepared-run';

/** Prepares a run of a rule. Throws `RULE_NOT_FOUND`, and `USAGE` while another run of it is open. */
export async function prepareProtect(
  sources: Starting,
  { rule: text, reason }: { readonly rule: string; readonly reason?: string },
): Promise<PreparedRun> {
  const { config, requestId } = sources;
  const resolved = resolveRule(config, findRule(config, text));
  const { name: route } = resolved.route;
  const { rows } = await runPage(sources, { open: true, kind: 'protect', route });
  const own = requestId === undefined ? undefined : requestedRunId('protect', route, requestId);
  for (const { runId } of rows.filter((row) => row.runId !== own)) {
    // Temporal's index may still call a run open that has just ended.
    const { open } = await awaitRecordedEnd(sources, await readRun(sources, runId));
    if (open)
      throw new PortolanError('USAGE', `${runId} of this rule is still open.`, {
        hint: `Watch it: portolan run watch ${runId}`,
      });
  }
  const run: RunStart<ProtectInput> = { ...resolved, yes: false, requestId, reason };
  return { kind: 'protect', start: run };
}
