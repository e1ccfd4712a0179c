import { problemText } from '../../config/problems';
import { PortolanError } from '../../model/errors/errors';
import { shortRunId } from '../../model/run/run-id';
import { parseSettings, type SettingsFile } from '../../domain/portal-change/settings-file';
import { settingsDocument } from '../../domain/portal-change/settings';
import type { Settings } from '../../domain/portal-change/setting-values';
import { documentName, readDocument } from '../terminal/documents';
import { savedChange } from './saved-change';
import type { ReadContext } from '../../service/run/run-sources';

/**
 * The settings of a YAML or JSON file; `-` is stdin. Throws USAGE with every problem and its place in one message.
 */
export function settingsOf(file: string): SettingsFile {
  const { settings, problems } = parseSettings(readDocument(file));
  if (problems.length === 0) return settings;
  throw new PortolanError('USAGE', problemText(documentName(file), problems), {
    hint: 'Nothing was sent. Fix the listed places; docs/reference/settings.md lists every setting.',
  });
}

/**
 * The settings a change of this portal replaced. Throws RUN_NOT_FOUND, and USAGE for a run that saved none or
 * changed another portal.
 */
export async function savedSettings(sources: ReadContext, portal: string, text: string): Promise<Settings> {
  const { runId, saved: key } = await savedChange(sources, 'settings', portal, text);
  const saved = key && (await sources.store.readJson(key, settingsDocument.schema));
  if (saved) return saved;
  throw new PortolanError('USAGE', `${runId} had nothing to change and saved nothing.`, {
    hint: `See what it did: portolan run show ${shortRunId(runId)}`,
  });
}
