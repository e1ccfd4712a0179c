import { describe, expect, it } from '@jest/globals';
import { aConfig, aPortal, problemsOf } from '../support/config';
import { configMark } from '../../src/config/config-mark';
import { allSchedules, findRule, resolveRule, rulesOf } from '../../src/config/resolve-rule';

const withRules = (protect: object) => ({
  portals: {
    production: aPortal('gis', { protect }),
    staging: aPortal('staging', { protect: { official: { groups: 'all' } } }),
  },
});
const load = (protect: object) => aConfig(withRules(protect));

const official = {
  groups: 'tags:official',
  exclude: ['47ab0c9d52e64f6c8b1e7a3d9c604503'],
  schedule: { cron: '30 2 * * *', timezone: 'Europe/Berlin' },
  backup: { full: '7d', maxAge: '2d', keep: { daily: 14, weekly: 8 } },
  concurrency: 4,
};
const DAY = 86_400_000;

describe('a rule of portolan.yaml', () => {
  it('has its own schedule and route, without a group', () => {
    const config = load({ official });
    expect([...allSchedules(config).values()]).toEqual([
      {
        kind: 'protect',
        portal: 'production',
        rule: 'official',
        name: 'protect/production/official',
        overlap: 'skip',
        ...official.schedule,
      },
    ]);
    expect(resolveRule(config, findRule(config, 'production/official'))).toMatchObject({
      route: {
        name: 'protect/production/official',
        source: { portal: 'production', groupId: '' },
      },
      rule: { groups: 'tags:official', exclude: official.exclude, concurrency: 4 },
      keep: { daily: 14, weekly: 8 },
      fullEveryMs: 7 * DAY,
    });
    expect(rulesOf(config)[0]?.backup.maxAgeMs).toBe(2 * DAY);
  });

  it('is found by its name, or by portal and name when ambiguous', () => {
    const config = load({ official, maps: { groups: 'all' } });
    expect(findRule(config, 'maps').route).toBe('protect/production/maps');
    expect(findRule(config, 'staging/official').portal).toBe('staging');
    expect(() => findRule(config, 'official')).toThrow(
      '[USAGE] Several portals have a rule "official": production/official, staging/official.',
    );
    expect(() => findRule(config, 'gone')).toThrow('[RULE_NOT_FOUND]');
  });

  it.each([
    [{ official: { groups: '' } }, 'official.groups: write a group search, or all'],
    [{ 'of.ficial': { groups: 'all' } }, 'a rule name has letters'],
    [{ official: { groups: 'all', concurrency: 0 } }, 'official.concurrency: write a whole number'],
    [{ official: { groups: 'all', backup: { keep: {} } } }, 'would keep nothing'],
    [{ official: { groups: 'all', schedule: { cron: '61 * * * *' } } }, 'official.schedule.cron'],
    [{ official: { groups: 'all', backup: { tags: ['x'] } } }, 'backup.tags: unknown setting'],
  ])('is checked: %j', (protect, problem) => {
    expect(problemsOf(withRules(protect))).toContain(problem);
  });

  it('changes the configuration mark', () => {
    const marks = [{ official }, { official: { ...official, groups: 'all' } }, {}].map((protect) =>
      configMark(load(protect)),
    );
    expect(new Set(marks).size).toBe(3);
  });
});
