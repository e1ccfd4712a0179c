import { problemText } from '../../config/problems';
import { settingConcerns, upgradeLosses } from '../../domain/portal-change/setting-concerns';
import { missingParts, settingChanges, type Settings } from '../../domain/portal-change/setting-values';
import { requireSupported, settingsDocument } from '../../domain/portal-change/settings';
import { exportedOf, fileSettings, parseSettings } from '../../domain/portal-change/settings-file';
import { promotionOf } from '../../domain/portal-change/settings-promotion';
import { PortolanError } from '../../model/errors/errors';
import type { DocumentForm } from './document-form';

export const settingsForm: DocumentForm<Settings> = {
  kind: 'settings',
  document: settingsDocument,

  parse(content) {
    const { settings, problems } = parseSettings(content);
    const { desired: wanted, ...file } = settings;
    return { ...file, wanted, problems };
  },

  write(found) {
    const exported = exportedOf(found);
    const { settings, unknown } = fileSettings(found);
    const content = { exported, ...settings };
    return {
      content,
      comment: [
        `Settings of ${found.name} (${found.url}), version ${exported.version ?? 'unknown'}.`,
        'Omitted settings stay unchanged; null clears. All settings: docs/reference/settings.md',
      ],
      warnings: [
        ...unknown.map((path) => `${path} is skipped: unknown setting`),
        ...parseSettings(content).problems.map((problem) => `${problem}; a file cannot set this value`),
      ],
    };
  },

  concerns(found, wanted) {
    requireSupported(found, wanted);
    return settingConcerns(found.value, wanted);
  },

  copied(value, addresses, hosts) {
    const { desired: wanted, left: warnings } = promotionOf(value, addresses, hosts);
    return { wanted, warnings };
  },

  upgradeLosses: ({ value, version }, { wanted, exported }) =>
    upgradeLosses(settingChanges(value, wanted), exported?.version, version),

  requireApplicable({ name, value }, wanted) {
    const missing = missingParts(value, wanted);
    if (missing.length === 0) return;
    const lines = missing.map((path) => `${path}: is missing, and ${name} has none yet`);
    throw new PortolanError('USAGE', problemText('The change', lines), {
      hint: 'Nothing was sent. An object that the portal does not have yet must be complete.',
    });
  },
};
