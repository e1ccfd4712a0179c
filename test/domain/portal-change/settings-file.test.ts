import { describe, expect, it } from '@jest/globals';
import {
  type SettingField,
  settingObject,
  settingObjectNames,
  type SettingType,
} from '../../../src/model/portal-change/portal-settings';
import { parseSettings } from '../../../src/domain/portal-change/settings-file';

/** For each kind of value, some that it takes and some that it refuses. */
const values: Readonly<Record<SettingType, { takes: unknown[]; refuses: unknown[] }>> = {
  boolean: { takes: [true, false], refuses: ['true', 1, 0, 'yes', [], {}] },
  text: { takes: ['', 'Terms', '<b>Terms</b>\n'], refuses: [1, true, ['a'], {}] },
  buttons: { takes: ['acceptAndDecline', 'okOnly'], refuses: ['accept', 'OKONLY', '', true] },
  color: {
    takes: ['red', 'RebeccaPurple', '#fff', '#FFDE00', '#ffde0080'],
    refuses: ['blau', '#ff', '#ggg', 'fff', 'rgb(1,2,3)', '', 0, 'constructor'],
  },
  minutes: { takes: [1, 120, 20160], refuses: [0, -5, 1.5, '120', true, Number.NaN, Infinity] },
  url: {
    takes: ['https://survey.example.com:8443/app?x=1', 'http://server/arcgis'],
    refuses: ['survey.example.com', '/app', 'ftp://server/', 'https://a b/', '', false],
  },
  texts: { takes: [[], ['a', 'b']], refuses: ['a', ['a', 1], [''], { 0: 'a' }, false] },
  links: {
    takes: [[], [{ title: 'Help', url: '/help' }], ['https://example.com']],
    refuses: ['a', {}, true],
  },
  'text or false': { takes: [false, 'proxy.example.com'], refuses: [true, 0, '', []] },
};

const fields = settingObjectNames.flatMap((object) =>
  Object.entries(settingObject(object).fields).map(([name, field]): [string, string, SettingField] => [
    object,
    name,
    field,
  ]),
);

describe('every setting', () => {
  it.each(fields)('of %s is checked: %s', (object, name, { type, isNeeded }) => {
    const problems = (value: unknown) => parseSettings({ [object]: { [name]: value } }).problems;
    for (const value of values[type].takes) expect([value, problems(value)]).toEqual([value, []]);
    for (const value of values[type].refuses) {
      expect([value, problems(value)]).toEqual([
        value,
        [expect.stringMatching(new RegExp(`^${object}\\.${name}[.:\\d]`))],
      ]);
    }
    expect(problems(null)).toHaveLength(isNeeded ? 1 : 0);
  });

  it('can be left out, and an object can be cleared as a whole', () => {
    for (const object of settingObjectNames) {
      for (const value of [{}, null])
        expect(parseSettings({ [object]: value })).toMatchObject({
          problems: [],
          settings: { desired: { [object]: value } },
        });
      expect(parseSettings({ [object]: [1] }).problems).toEqual([
        `${object}: write its values below it, or null to clear it`,
      ]);
    }
  });
});

describe('a file of settings', () => {
  it('has unknown names refused, with the one that was meant', () => {
    const { problems } = parseSettings({
      informationalBaner: {},
      settings: {},
      portalConfigProperties: { webappBuilderEnabled: true, color: 'red', ['__proto__x']: 1 },
    });
    expect(problems).toEqual([
      'portalConfigProperties.webappBuilderEnabled: unknown setting; did you mean webAppBuilderEnabled?',
      'portalConfigProperties.color: unknown setting',
      'portalConfigProperties.__proto__x: unknown setting',
      'informationalBaner: unknown setting; did you mean informationalBanner?',
      'settings: unknown setting',
    ]);
  });

  it('may say of which portal it is, and is told where it says so wrongly', () => {
    const exported = { portal: 'production', url: 'https://example.com', version: '11.2' };
    const informationalBanner = null;
    expect(parseSettings({ exported, informationalBanner })).toMatchObject({
      problems: [],
      settings: { exported },
    });
    expect(parseSettings({ exported: { ...exported, version: 11.2 }, informationalBanner }).problems).toEqual(
      ['exported.version: write the version in quotes'],
    );
    expect(parseSettings({ exported: 1, informationalBanner }).problems).toHaveLength(1);
  });

  it.each([[null], [''], [[]], ['text'], [{}]])('holds something: %j does not', (content) => {
    expect(parseSettings(content).problems).toEqual([
      'the file: contains no settings; write at least one of anonymousAccessNotice, authenticatedAccessNotice, informationalBanner, portalConfigProperties',
    ]);
  });

  it('has a misspelt word that the reference once had corrected, and no other', () => {
    const given = { title: 'T', text: 't', buttons: 'acceptAndDecilne', enabled: true };
    expect(parseSettings({ anonymousAccessNotice: given })).toEqual({
      settings: {
        desired: { anonymousAccessNotice: { ...given, buttons: 'acceptAndDecline' } },
        warnings: ['anonymousAccessNotice.buttons: acceptAndDecilne is misspelled; acceptAndDecline is sent'],
      },
      problems: [],
    });
  });
});
