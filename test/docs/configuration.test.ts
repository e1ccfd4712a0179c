import { describe, expect, it } from '@jest/globals';
import { parse } from 'yaml';
import { configFile } from '../../src/config/schema';
import { readPage, spansOf } from './pages';
import { configKeys } from './written/configuration';

const example = /^```yaml\n([\s\S]*?)^```$/m.exec(readPage('README.md'))?.[1] ?? '';

/** The example with a value at a place; `NAME` is the first name there, and `[]` a list of one. */
function withSetting(content: unknown, place: readonly string[], value: unknown): unknown {
  const [key, ...below] = place;
  if (key === undefined) return value;
  if (key.endsWith('[]')) return { ...Object(content), [key.slice(0, -2)]: [withSetting({}, below, value)] };
  const object = (content ?? {}) as Record<string, unknown>;
  const at = key === 'NAME' ? (Object.keys(object)[0] ?? 'name') : key;
  return { ...object, [at]: withSetting(object[at], below, value) };
}

/** The example with as much of a schedule, and of a banner, as there must be. */
const withNeeded = (content: unknown): unknown =>
  withSetting(
    { ...Object(content), schedules: { nightly: { route: 'transport', cron: '0 3 * * *' } } },
    ['routes', 'NAME', 'banner', 'text'],
    'Soon',
  );

/** A store that is a bucket, with as much as there must be. */
const bucket = { type: 's3', bucket: 'our-backups', key: { env: 'STORE_KEY' } };

const keys = configKeys();

describe('a key of portolan.yaml', () => {
  it.each(keys)('says what it is, and when a change of it counts: $key', ({ meaning, effect, form }) => {
    expect(meaning).toMatch(/^[^A-Z].*[^.]$/);
    expect(['restart', 'next run', '`schedule apply`']).toContain(effect);
    expect(form).not.toBe('');
  });

  it.each(keys.filter(({ initial }) => /^`[^`]+`$/.test(initial)))(
    'has the default that the page says: $key, $initial',
    ({ key, initial, meaning }) => {
      const place = key.split('.');
      const needed = withNeeded(parse(example));
      const whole = meaning.startsWith('with `s3`') ? withSetting(needed, ['store'], bucket) : needed;
      const written = withSetting(whole, place, parse(spansOf(initial)[0] ?? ''));
      const left = key.includes('[]') ? withSetting(whole, place.slice(0, -1), {}) : whole;
      expect(configFile.parse(written)).toEqual(configFile.parse(left));
    },
  );
});
