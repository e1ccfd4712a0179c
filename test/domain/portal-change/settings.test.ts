import { describe, expect, it } from '@jest/globals';
import { settingConcerns, upgradeLosses } from '../../../src/domain/portal-change/setting-concerns';
import { expectedOf } from '../../../src/domain/portal-change/portal-document';
import { mergedObject, missingParts, settingChanges } from '../../../src/domain/portal-change/setting-values';
import { settingsDocument } from '../../../src/domain/portal-change/settings';
import { releaseFrom } from '../../../src/portal/http/versions';

const banner = { text: 'Soon', bgColor: 'red', fontColor: '#FFFFFF', enabled: true };
const none = { anonymousAccessNotice: null, informationalBanner: null, portalConfigProperties: null };

const pathsOf = (changes: { path: string }[]) => changes.map(({ path }) => path);

describe('differences between a portal and what is desired', () => {
  it('ignore spellings of colors and explicit defaults', () => {
    const live = {
      ...none,
      informationalBanner: { ...banner, bgColor: '#F00', enabled: 'true' },
      portalConfigProperties: { tokenExpiration: '120', footerLinks: [], surveyUrl: '' },
    };
    const desired = {
      informationalBanner: { ...banner, fontColor: 'white' },
      portalConfigProperties: { tokenExpiration: null, sceneViewerEnabled: true, surveyUrl: null },
    };
    expect(settingChanges(live, desired)).toEqual([]);
  });

  it('have the order of the table, and omit what is not desired', () => {
    const desired = {
      portalConfigProperties: { surveyUrl: 'https://s.example.com', tokenExpiration: 5 },
      informationalBanner: { ...banner, text: 'Now' },
    };
    const live = { ...none, informationalBanner: banner, anonymousAccessNotice: { text: 'Hello' } };
    expect(settingChanges(live, desired)).toMatchObject([
      { path: 'informationalBanner.text', before: 'Soon', after: 'Now' },
      { path: 'portalConfigProperties.tokenExpiration', before: undefined, after: 5 },
      { path: 'portalConfigProperties.surveyUrl', after: 'https://s.example.com' },
    ]);
  });

  it('are all values of a cleared object, and none if it is not set', () => {
    const live = { ...none, informationalBanner: banner };
    const desired = { informationalBanner: null, anonymousAccessNotice: null };
    expect(pathsOf(settingChanges(live, desired))).toEqual([
      'informationalBanner.text',
      'informationalBanner.bgColor',
      'informationalBanner.fontColor',
      'informationalBanner.enabled',
    ]);
  });

  it('have a fingerprint of the replaced values in any order of keys', () => {
    const links = (...footerLinks: object[]) => ({ portalConfigProperties: { footerLinks } });
    const expected = (link: object) => expectedOf(settingsDocument, links(link), links());
    expect(expected({ a: 1, b: 2 })).toBe(expected({ b: 2, a: 1 }));
    expect(expected({ a: 1, b: 2 })).not.toBe(expected({ a: 2, b: 1 }));
    expect(expected({ a: 1 })).not.toBe(expectedOf(settingsDocument, none, links({})));
  });
});

describe('an object that is sent', () => {
  it('is what was there with what is desired over it, with what no file names', () => {
    const live = { tokenExpiration: 5, surveyUrl: 'https://s.example.com', ownIdea: { a: 1 } };
    expect(mergedObject(live, { tokenExpiration: 6, surveyUrl: null, sceneViewerEnabled: false })).toEqual({
      tokenExpiration: 6,
      ownIdea: { a: 1 },
      sceneViewerEnabled: false,
    });
    expect(mergedObject(live, null)).toEqual({});
    expect(mergedObject(null, banner)).toEqual(banner);
  });

  it('has to be whole where the portal has none', () => {
    const desired = { informationalBanner: { text: 'Soon' }, portalConfigProperties: { tokenExpiration: 5 } };
    expect(missingParts(none, desired)).toEqual([
      'informationalBanner.bgColor',
      'informationalBanner.fontColor',
      'informationalBanner.enabled',
    ]);
    expect(missingParts({ ...none, informationalBanner: banner }, desired)).toEqual([]);
  });
});

it('what undoes a change is each value that it replaced, and nothing else', () => {
  const live = { ...none, portalConfigProperties: { tokenExpiration: 5, sceneViewerEnabled: false } };
  const desired = {
    informationalBanner: banner,
    portalConfigProperties: { tokenExpiration: 6, surveyUrl: 'https://s.example.com' },
  };
  expect(settingsDocument.replaced(live, desired)).toEqual({
    informationalBanner: null,
    portalConfigProperties: { tokenExpiration: 5, surveyUrl: null },
  });
});

describe('what is left of a change that is undone', () => {
  const replaced = { informationalBanner: { text: 'Old', enabled: false } };
  const written = { informationalBanner: { text: 'New', enabled: true } };
  const undo = (text: string) =>
    settingsDocument.undo({ informationalBanner: { text, enabled: true } }, { replaced, written });

  it('is what someone has changed since, but nothing that is back already', () => {
    expect(undo('Theirs')).toEqual({
      wanted: { informationalBanner: { enabled: false } },
      warnings: [expect.stringMatching(/^informationalBanner\.text has changed since/)],
    });
    expect(undo('Old')).toEqual({ wanted: replaced, warnings: [] });
  });

  it('is nothing where the portal had none before, unless someone has changed one', () => {
    const undoNone = (text: string) =>
      settingsDocument.undo(
        { informationalBanner: { text } },
        { replaced: { informationalBanner: null }, written: { informationalBanner: { text: 'New' } } },
      );
    expect(undoNone('New')).toEqual({ wanted: { informationalBanner: null }, warnings: [] });
    expect(undoNone('Theirs')).toEqual({ wanted: {}, warnings: [expect.any(String)] });
  });
});

describe('what a portal did not take', () => {
  const before = { portalConfigProperties: { surveyUrl: 'https://old.example.com', tokenExpiration: 5 } };
  const desired = { portalConfigProperties: { surveyUrl: null, tokenExpiration: null } };

  it('is a value that still stands as it was', () => {
    expect(pathsOf(settingsDocument.notTaken(before, desired, before))).toEqual([
      'portalConfigProperties.tokenExpiration',
      'portalConfigProperties.surveyUrl',
    ]);
  });

  it('is no value that went back to a default, stated or not', () => {
    const live = {
      portalConfigProperties: { surveyUrl: 'https://vendor.example.com', tokenExpiration: 120 },
    };
    expect(settingsDocument.notTaken(live, desired, before)).toEqual([]);
    const other = { portalConfigProperties: { tokenExpiration: 7 } };
    expect(pathsOf(settingsDocument.notTaken(other, desired, before))).toEqual([
      'portalConfigProperties.tokenExpiration',
    ]);
  });
});

describe('what people are warned of', () => {
  it('is a banner that cannot be read, with the color that stands there already', () => {
    const live = { ...none, informationalBanner: banner };
    expect(settingConcerns(live, { informationalBanner: { fontColor: 'darkred' } })).toEqual([
      "informationalBanner: darkred on red is hard to read (contrast 2.5:1; use at least 4.5:1); the portal's security page will warn about it",
    ]);
    expect(settingConcerns(live, { informationalBanner: { bgColor: 'black' } })).toEqual([]);
  });

  it('is an ordinary sign-in that outlasts one that is kept, defaults included', () => {
    const desired = (minutes: object) => ({ portalConfigProperties: { ...minutes } });
    expect(settingConcerns(none, desired({ tokenExpiration: 30000 }))).toHaveLength(1);
    expect(settingConcerns(none, desired({ longTokenExpiration: 60 }))).toHaveLength(1);
    expect(settingConcerns(none, desired({ tokenExpiration: 60, longTokenExpiration: 60 }))).toEqual([]);
    expect(settingConcerns(none, { portalConfigProperties: null })).toEqual([]);
  });

  it('is what no file can set again', () => {
    const live = { ...none, portalConfigProperties: { tokenExpiration: 5, ownIdea: 1 } };
    expect(settingConcerns(live, { portalConfigProperties: null })).toEqual([
      'portalConfigProperties: clearing it also clears ownIdea, which no file can set again',
    ]);
  });
});

describe('what an upgrade dropped', () => {
  const file = { portalConfigProperties: { showInAppLauncher: ['Map Viewer'], tokenExpiration: 60 } };
  const changes = settingChanges(none, file);
  const losses = (from: string | undefined, to: string) => upgradeLosses(changes, from, releaseFrom(to));

  it('is every property on the way to 11.0, and then what no upgrade keeps', () => {
    const all = ['portalConfigProperties.tokenExpiration', 'portalConfigProperties.showInAppLauncher'];
    expect(losses('10.9.1', '11.0').dropped).toEqual(all);
    expect(losses('10.8', '11.4').dropped).toEqual(all);
    expect(losses('11.0', '11.4').dropped).toEqual(['portalConfigProperties.showInAppLauncher']);
  });

  it.each([
    ['the same version', '11.2', '11.2'],
    ['an older portal', '11.4', '11.2'],
    ['a file that names no version', undefined, '11.4'],
  ])('is nothing with %s', (_title, from, to) => {
    expect(losses(from, to)).toEqual({ dropped: [], notes: [] });
  });

  it('may be what a file without properties does not hold', () => {
    expect(upgradeLosses([], '10.9', releaseFrom('11.1')).notes).toEqual([
      expect.stringMatching(/^10\.9 kept its properties in a separate file/),
    ]);
    expect(upgradeLosses([], '10.8', releaseFrom('10.9')).notes).toEqual([]);
  });
});
