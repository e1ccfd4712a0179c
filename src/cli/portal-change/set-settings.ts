import { oneLine } from '../../model/text/plain-text';
import { problemText } from '../../config/problems';
import type { DocumentChangeInput, PortalRef } from '../../model/portal-change/change';
import type { FieldChange } from '../../model/run/run';
import { exitStatus } from '../../model/errors/error-codes';
import { PortolanError } from '../../model/errors/errors';
import { settingConcerns } from '../../domain/portal-change/setting-concerns';
import { expectedOf, type Found } from '../../domain/portal-change/portal-document';
import { missingParts, settingChanges, type Settings } from '../../domain/portal-change/setting-values';
import { settingsDocument } from '../../domain/portal-change/settings';
import { keys } from '../../store/keys';
import { agreeToChange } from './confirm-change';
import type { Output } from '../terminal/output';
import { countOf } from '../../model/text/words';
import { followRequested, runChange } from './run-change';
import type { WriteContext } from '../../service/run/run-sources';
import { runIdFor } from '../../service/run/start-run';

/** The settings to apply, and the portal. */
export interface SettingsRequest {
  readonly operation: 'apply' | 'promote';
  readonly portal: PortalRef;
  readonly from?: PortalRef;
  readonly desired: Settings;
  /** Warnings to show before the confirmation. */
  readonly warnings: readonly string[];
  /** `--yes`: do not ask. */
  readonly yes?: boolean;
  readonly reason?: string;
  readonly timeoutMs?: number;
  readonly requestId?: string;
  /** For a promotion: hosts and their replacements. */
  readonly hosts?: readonly unknown[];
}

/**
 * Shows the changes, asks, and starts a run that applies them. Returns the exit status.
 * @throws PortolanError before anything is written: for what the account may not, the portal has not, or is
 * incomplete
 */
export async function setSettings(
  sources: WriteContext,
  output: Output,
  live: Found<Settings>,
  request: SettingsRequest,
): Promise<number> {
  const { operation, portal, from, desired, yes, reason, timeoutMs, requestId, hosts } = request;
  // The source portal's settings may have changed since a repeated request.
  const asked = from ? { operation, portal, from, hosts } : { operation, portal, desired };
  const options = { timeoutMs, requestId, asked };
  const known = await followRequested('settings', sources, output, portal.portal, options);
  if (known !== undefined) return known;
  settingsDocument.require(live, desired);
  if (operation === 'apply') requireWhole(live, desired);
  const changes = settingChanges(live.value, desired);
  const warnings = [...request.warnings, ...settingConcerns(live.value, desired)];
  for (const warning of warnings) output.note(output.side.colors.yellow(`warning  ${oneLine(warning)}`));
  const question = `Apply ${countOf(changes.length, 'change')} to ${portal.portal}?`;
  if (!(await agreeToChange(portal.portal, changes, { question, yes }, output))) return exitStatus.cancelled;
  const runId = runIdFor('settings', portal.portal, requestId);
  await sources.store.writeJson(keys.desired(runId), desired);
  return await runChange<DocumentChangeInput>(
    'settings',
    sources,
    output,
    {
      runId,
      operation,
      portal,
      from,
      reason,
      expected: expectedOf(settingsDocument, live.value, desired),
      warnings,
    },
    options,
  );
}

/** An object the portal does not have yet must be complete. */
function requireWhole({ name, value }: Found<Settings>, desired: Settings): void {
  const missing = missingParts(value, desired);
  if (missing.length === 0) return;
  const lines = missing.map((path) => `${path}: is missing, and ${name} has none yet`);
  throw new PortolanError('USAGE', problemText('The change', lines), {
    hint: 'Nothing was sent. An object that the portal does not have yet must be complete.',
  });
}

/** Differences for the JSON output, without internal fields. */
export const plainChanges = (changes: readonly FieldChange[]): FieldChange[] =>
  changes.map(({ path, before, after }) => ({ path, before, after }));
