import { describe, expect, it } from '@jest/globals';
import { releaseFrom } from '../../../src/portal/http/versions';
import { unsupportedSettings } from '../../../src/portal/resources/settings';

describe('settings of a portal', () => {
  const shown = { anonymousAccessNotice: { text: 'Terms' }, informationalBanner: { text: 'Soon' } };

  it.each([
    ['10.9', true, { portalConfigProperties: { surveyUrl: 'x' } }, /only from version 11\.0$/],
    ['11.0', true, { portalConfigProperties: { iotViewerUrl: 'x' } }, /^accepts iotViewerUrl .* 11\.1$/],
    ['11.2', true, { authenticatedAccessNotice: {} }, /only ArcGIS Online has authenticatedAccessNotice$/],
    ['11.4', false, { portalConfigProperties: {} }, /which has no portalConfigProperties$/],
  ])('are refused if version %s, self-managed: %s, lacks them', (release, isPortal, lacking, words) => {
    const holder = { version: releaseFrom(release), isPortal };
    expect(unsupportedSettings({ ...shown, ...lacking }, holder)).toEqual([expect.stringMatching(words)]);
    expect(unsupportedSettings(shown, holder)).toEqual([]);
  });
});
