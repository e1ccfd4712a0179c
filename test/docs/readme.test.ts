import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { parse } from 'yaml';
import { z } from 'zod';
import { itemTypes } from '../../src/domain/transfer/item-types';
import { loadConfig } from '../../src/config/load-config';
import { configFile } from '../../src/config/schema';
import { exitStatus } from '../../src/model/errors/error-codes';
import { keys } from '../../src/store/keys';
import { commands } from './commands';
import { readPage, sectionOf, spansOf, tableRows } from './pages';

const readme = readPage('README.md');
const everywhere = new Set(['--config', '--output']);

const flagsIn = (text: string): string[] => text.match(/(?<![\w-])--[a-z][a-z-]*/g) ?? [];

const commandRows = tableRows(sectionOf(readme, 'Commands')).filter(([cell]) =>
  cell?.startsWith('`portolan '),
);
const syncRows = tableRows(sectionOf(readme, 'Commands')).filter(([cell]) => cell?.startsWith('`--'));

/** The command of a row: `portolan run show RUN` is `portolan run show`. */
const commandOf = ([cell = '']: string[]): string => (spansOf(cell)[0] ?? '').replace(/ \[?[A-Z].*$/, '');

describe('the commands of the README', () => {
  it('are those of the program', () => {
    expect(commandRows.map(commandOf).sort()).toEqual(commands.map((command) => command.path).sort());
  });

  it('have the flags that it says', () => {
    const wrong = commandRows.flatMap((row) => {
      const known = new Set(commands.find((command) => command.path === commandOf(row))?.flags);
      return flagsIn(row.join(' ')).filter((flag) => !known.has(flag));
    });
    expect(wrong).toEqual([]);
  });

  it('have no flag of a sync that it leaves out', () => {
    const sync = commands.find((command) => command.path === 'portolan sync');
    const known = sync?.flags.filter((flag) => !everywhere.has(flag)) ?? [];
    const told = syncRows.flatMap(([cell = '']) => flagsIn(cell));
    expect([...new Set(told)].sort()).toEqual([...known].sort());
  });

  it('take every flag that it names anywhere', () => {
    const known = new Set(['--help', ...commands.flatMap(({ flags }) => flags)]);
    const ours = readme.split('\n').filter((line) => !line.includes('docker-compose'));
    expect(ours.flatMap(flagsIn).filter((flag) => !known.has(flag))).toEqual([]);
  });
});

describe('the page on the simulated portal', () => {
  it('names every flag of the command, and no other', () => {
    const known = commands.find((command) => command.path === 'portolan simulate')?.flags ?? [];
    const told = new Set(flagsIn(readPage('docs/internals/simulator.md')));
    expect([...told].sort()).toEqual([...known].sort());
  });
});

describe('the exit statuses of the README', () => {
  it('are those of the code', () => {
    const told = tableRows(sectionOf(readme, 'Exit statuses')).map(([status]) => Number(status));
    expect(told).toEqual(Object.values(exitStatus));
  });
});

/** What the walk over the schema needs of JSON Schema. */
interface Schema {
  readonly properties?: Record<string, Schema>;
  readonly additionalProperties?: Schema | boolean;
  readonly oneOf?: Schema[];
  readonly items?: Schema;
  readonly enum?: unknown[];
  readonly const?: unknown;
}

/** Keys of the schema with their schemas; `NAME` stands for a name that people choose, `[]` for each of a list. */
function settingsOf(schema: Schema, place: string[] = []): [string, Schema][] {
  const { properties, additionalProperties, oneOf, items } = schema;
  if (oneOf !== undefined) return oneOf.flatMap((each) => settingsOf(each, place));
  if (properties !== undefined) {
    return Object.entries(properties).flatMap(([key, below]) => settingsOf(below, [...place, key]));
  }
  if (typeof additionalProperties === 'object') return settingsOf(additionalProperties, [...place, 'NAME']);
  if (items?.properties !== undefined) return settingsOf(items, [...place.slice(0, -1), `${place.at(-1)}[]`]);
  return [[place.join('.'), schema]];
}

const settings = settingsOf(z.toJSONSchema(configFile, { io: 'input' }) as Schema);
const settingRows = tableRows(sectionOf(readme, 'Configuration')).map(
  ([key = '', type = '', initial = '']) => ({
    key: spansOf(key)[0] ?? '',
    type,
    initial,
  }),
);

const example = /^```yaml\n([\s\S]*?)^```$/m.exec(readme)?.[1] ?? '';

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

describe('the configuration in the README', () => {
  it('lists every key, and no other', () => {
    expect(settingRows.map(({ key }) => key).sort()).toEqual(
      [...new Set(settings.map(([key]) => key))].sort(),
    );
  });

  it('lists the words that a key takes', () => {
    const told = settingRows.map(({ key, type }) => [key, spansOf(type).sort()]);
    const known = settingRows.map(({ key }) => {
      const words = settings
        .filter(([each]) => each === key)
        .flatMap(([, schema]) => schema.enum ?? schema.items?.enum ?? schema.const ?? []);
      return [key, words.map(String).sort()];
    });
    expect(told).toEqual(known);
  });

  it.each(settingRows.filter(({ initial }) => /^`[^`]+`$/.test(initial)))(
    'has the default of $key right: $initial',
    ({ key, initial }) => {
      const place = key.split('.');
      const whole = withNeeded(parse(example));
      const written = withSetting(whole, place, parse(spansOf(initial)[0] ?? ''));
      const left = key.includes('[]') ? withSetting(whole, place.slice(0, -1), {}) : whole;
      expect(configFile.parse(written)).toEqual(configFile.parse(left));
    },
  );

  it('has an example of a dozen lines that is accepted as it is', () => {
    const folder = mkdtempSync(path.join(os.tmpdir(), 'portolan-readme-'));
    try {
      const file = path.join(folder, 'portolan.yaml');
      writeFileSync(file, example);
      expect([...loadConfig(file).routes.keys()]).toEqual(['transport']);
      expect(example.trim().split('\n')).toHaveLength(12);
    } finally {
      rmSync(folder, { recursive: true });
    }
  });
});

describe('the item types of the README', () => {
  it('are those that the code takes for exportable', () => {
    const [, list = ''] = /^Item types that an export takes: (.*)\.$/m.exec(readme) ?? [];
    const [all = '', once = ''] = list.split('; on 10.8.1 also ');
    const known = Object.entries(itemTypes).filter(([, { exportable }]) => exportable);
    const current = known.filter(([, { until }]) => until === undefined);
    expect(all.split(', ').sort()).toEqual(
      current.map(([type, { since }]) => (since === undefined ? type : `${type} (from ${since})`)).sort(),
    );
    expect(once.split(' and ')).toEqual(
      known.filter(([, { until }]) => until === '10.8.1').map(([type]) => type),
    );
  });
});

describe('the places in the store that the README names', () => {
  it('are where the code puts things', () => {
    const places = tableRows(sectionOf(readme, 'Where things lie')).map(
      ([cell = '']) => spansOf(cell)[0] ?? '',
    );
    const used = [
      keys.record('RUN'),
      keys.package('RUN'),
      keys.snapshotPackage('RUN-safeguard-N'),
      keys.storedPackages,
      'routes/',
    ];
    expect(places).toHaveLength(used.length);
    used.forEach((key, at) => expect(key.startsWith(places[at] ?? '?')).toBe(true));
  });
});
