import { beforeAll, describe, expect, it } from '@jest/globals';
import { execFileSync } from 'node:child_process';
import { scripts } from '../../../src/cli/completion/shells';
import { indexRun } from '../../../src/domain/run/run-index';
import { keys } from '../../../src/store/keys';
import { openStore } from '../../../src/store/open-store';
import { inProcess } from '../../support/in-process';
import { runRecordOf } from '../run/records';
import { aFolder } from '../../support/folder';
import { aConfig } from '../../support/config';

const folder = aFolder();

beforeAll(async () => {
  const config = aConfig(
    `temporal: { address: "127.0.0.1:1" }
portals:
  staging: { url: "https://staging.example.com/portal/sharing/rest", auth: { type: token, token: { env: T } } }
  production: { url: "https://gis.example.com/portal/sharing/rest", auth: { type: token, token: { env: T } } }
routes:
  transport: { source: { portal: staging, group: g }, target: { portal: production, group: h } }
  basemaps: { source: { portal: staging, group: i }, target: { portal: production, group: j } }
schedules: { nightly: { route: basemaps, cron: "0 3 * * *" } }
`,
    folder,
  );
  const store = openStore(config);
  const record = runRecordOf({ runId: 'sync-transport-20261121T030000Z-k7q2' });
  await indexRun(store, record);
  await store.writeJson(keys.record(record.runId), record);
});

/** Suggestions for the last of these words. */
async function completed(...words: string[]) {
  const { stdout } = await inProcess(['__complete', ...words], { cwd: folder });
  return stdout
    .trimEnd()
    .split('\n')
    .map((line) => line.split('\t')[0] ?? '');
}

describe('completion', () => {
  it.each<[string[], string[]]>([
    [['wor'], ['worker']],
    [
      ['run', 're'],
      ['reject', 'resume', 'restart', 'retry'],
    ],
    [
      ['sync', ''],
      ['transport', 'basemaps'],
    ],
    [['sync', 'tr'], ['transport']],
    [
      ['sync', '--data', ''],
      ['keep', 'replace'],
    ],
    [['sync', 'transport', '--over'], ['--overwrite']],
    [
      ['run', 'show', ''],
      ['latest', 'k7q2', 'sync-transport-20261121T030000Z-k7q2'],
    ],
    [
      ['run', 'list', '--status', 'par'],
      ['parked', 'partial'],
    ],
    [
      ['snapshot', 'show', ''],
      ['latest', 'latest:transport', 'latest:basemaps'],
    ],
    [['restore', 'latest:b'], ['latest:basemaps']],
    [
      ['queue', 'release', 'prod'],
      ['production/export', 'production/import'],
    ],
    [
      ['completion', ''],
      ['bash', 'zsh', 'fish'],
    ],
    [['sync', 'transport', ''], ['']],
    [['sync', '--config', 'none.yaml', ''], ['']],
  ])('completes %j', async (words, found) => {
    expect(await completed(...words)).toEqual(found);
  });

  it('works in bash', () => {
    // Bash splits latest:ba at the colon, and completes what follows.
    const typed = `portolan() {
  local IFS=' '
  case "$*" in
    '__complete sync ba') printf 'basemaps\\twhat it is\\n';;
    '__complete restore latest:ba') printf 'latest:basemaps\\twhat it is\\n';;
  esac
}
${scripts.bash}
COMP_WORDS=(portolan sync ba); COMP_CWORD=2; _portolan; echo "\${COMPREPLY[@]}"
COMP_WORDBREAKS=$' \\t\\n:='; COMP_WORDS=(portolan restore latest : ba); COMP_CWORD=4; _portolan; echo "\${COMPREPLY[@]}"`;
    expect(execFileSync('bash', ['-c', typed], { encoding: 'utf8' })).toBe('basemaps\nbasemaps\n');
  });
});
