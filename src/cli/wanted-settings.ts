import { problemText } from '../config/problems';
import { changeRecord } from '../model/change';
import { PortolanError } from '../model/errors';
import { shortRunId } from '../model/run-id';
import { parseSettings, type SettingsFile } from '../settings/settings-file';
import type { WantedSettings } from '../settings/settings-values';
import { wantedNote } from '../settings/wanted-note';
import { keys } from '../store/keys';
import { findRow } from './find-run';
import { readDocument } from './read-document';
import type { RunSources } from './read-run';

/**
 * The settings of a file, YAML or JSON; `-` is the standard input. Throws USAGE with everything that is wrong in one
 * message, each with its place.
 */
export function settingsOf(file: string): SettingsFile {
  const { settings, problems } = parseSettings(readDocument(file));
  if (problems.length === 0) return settings;
  throw new PortolanError('USAGE', problemText(file === '-' ? 'the standard input' : file, problems), {
    hint: 'Nothing was sent. Correct the named places; docs/settings.md has every setting.',
  });
}

/**
 * The settings that undo a change of this portal. Throws RUN_NOT_FOUND, and USAGE for a run that saved none, or that
 * of another portal.
 */
export async function savedSettings(
  sources: RunSources,
  portal: string,
  text: string,
): Promise<WantedSettings> {
  const { runId } = await findRow(sources, text);
  const record = await sources.store.readJson(keys.record(runId), changeRecord).catch(() => undefined);
  if (record?.kind !== 'settings')
    throw new PortolanError('USAGE', `${runId} is no change of settings.`, {
      hint: 'List the runs with: portolan run list',
    });
  if (record.portal.portal !== portal)
    throw new PortolanError('USAGE', `${runId} changed ${record.portal.portal}, not ${portal}.`, {
      hint: `Put it back there with: portolan settings apply ${record.portal.portal} --saved ${shortRunId(runId)}`,
    });
  const saved = record.saved && (await sources.store.readJson(record.saved, wantedNote));
  if (saved) return saved;
  throw new PortolanError('USAGE', `${runId} found nothing to change, and saved nothing.`, {
    hint: `Look at it with: portolan run show ${shortRunId(runId)}`,
  });
}
