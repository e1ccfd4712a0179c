import { describe, expect, it } from '@jest/globals';
import { parse } from 'yaml';
import { configFile } from '../../src/config/config';
import { serverFile } from '../../src/client/server-address';
import { readPage, spansOf } from './pages';
import { configKeys } from './written/configuration';

const example = /^```yaml\n([\s\S]*?)^```$/m.exec(readPage('README.md'))?.[1] ?? '';

/** The example with a value at a place; `NAME` is the first name there, `[]` a list of one. */
function withSetting(content: unknown, place: readonly string[], value: unknown): unknown {
  const [key, ...below] = place;
  if (key === undefined) return value;
  if (key.endsWith('[]')) return { ...Object(content), [key.slice(0, -2)]: [withSetting({}, below, value)] };
  const object = (content ?? {}) as Record<string, unknown>;
  const at = key === 'NAME' ? (Object.keys(object)[0] ?? 'name') : key;
  return { ...object, [at]: withSetting(object[at], below, value) };
}

/** The example with the smallest schedule, rule, pipeline, keys, sign-in and banner. */
const withNeeded = (content: unknown): unknown =>
  withSetting(
    withSetting(
      {
        ...Object(content),
        serve: { keys: { ci: { sha256: '0'.repeat(64) } }, signIn: { portal: 'staging', appId: 'map' } },
        temporal: { encryption: { keys: [{ id: '2026-11', key: { env: 'KEY' } }] } },
        schedules: { nightly: { route: 'transport', cron: '0 3 * * *' } },
        pipelines: {
          traffic: { groups: ['roads'], stages: { staging: { portal: 'staging', groups: { roads: 'a' } } } },
        },
      },
      ['portals', 'NAME', 'protect', 'NAME'],
      { groups: 'all', schedule: { cron: '0 3 * * *' } },
    ),
    ['routes', 'NAME', 'banner', 'text'],
    'Soon',
  );

/** The smallest store in a bucket. */
const bucket = { type: 's3', bucket: 'our-backups', key: { env: 'STORE_KEY' } };

/** Keys that a window, or an entry of people, also needs. */
const besides: Readonly<Record<string, object>> = {
  allow: { cron: '0 20 * * *', for: '8h' },
  'people[]': { users: ['anna'] },
  deny: { from: '2026-12-18', to: '2027-01-04' },
};

const keys = configKeys();

describe('a key of portolan.yaml', () => {
  it.each(keys)('has a type, a meaning and an effect: $key', ({ meaning, effect, form }) => {
    expect(meaning).toMatch(/^(?![A-Z][a-z]+ [a-z]).*[^.]$/);
    expect(['restart', 'at once', 'next run', 'schedule apply']).toContain(effect);
    expect(form).not.toBe('');
  });

  it.each(keys.filter(({ initial }) => /^`[^`]+`$/.test(initial)))(
    'has the default of the page: $key, $initial',
    ({ key, initial, meaning }) => {
      const place = key.split('.');
      const needed = withNeeded(parse(example));
      const whole = meaning.startsWith('`s3`:') ? withSetting(needed, ['store'], bucket) : needed;
      const value: unknown = parse(spansOf(initial)[0] ?? '');
      const [last = '', ...above] = place.toReversed();
      const entry = above.toReversed();
      const needs = besides[entry.at(-1) ?? ''] ?? {};
      const inList = (fields: object): unknown => withSetting(whole, entry, { ...needs, ...fields });
      const isInList = key.includes('[]');
      const written = isInList ? inList({ [last]: value }) : withSetting(whole, place, value);
      if (key in serverFile.shape) {
        const asks = { server: 'https://portolan.example.com' };
        expect(serverFile.parse({ ...asks, [key]: value })).toEqual(serverFile.parse(asks));
        return;
      }
      expect(configFile.parse(written)).toEqual(configFile.parse(isInList ? inList({}) : whole));
    },
  );
});
