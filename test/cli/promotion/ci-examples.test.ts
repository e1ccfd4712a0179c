import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { expect, it } from '@jest/globals';
import { itLong } from '../../support/long';
import { commandsIn, itemsOn, openPipeline } from './a-pipeline';

const example = (name: string) =>
  readFileSync(path.join(__dirname, '..', '..', '..', 'examples', 'ci', name), 'utf8');
const linesOf = (name: string, pattern: RegExp) =>
  [...example(name).matchAll(pattern)].map(([, line = '']) => line);

/** What a shell types for a line on the machine of a job, which has nothing but these variables. */
function typedBy(line: string) {
  const names = ['GITHUB_RUN_ID', 'CI_PIPELINE_ID', 'BUILD_TAG', 'GITHUB_SHA', 'CI_COMMIT_SHA', 'GIT_COMMIT'];
  const variables = names.map((name) => [name, /SHA|COMMIT$/.test(name) ? 'f00d' : 'build-17']);
  const script = `date() { echo build-17; }; portolan() { printf '%s\\0' "$@"; echo; }\n${line}`;
  const typed = execFileSync('/bin/sh', ['-e', '-c', script], {
    encoding: 'utf8',
    env: { PATH: '/usr/bin:/bin', ...(Object.fromEntries(variables) as Record<string, string>) },
  });
  const lines = typed.split('\n').slice(0, -1);
  return lines.map((each) => each.split('\0').slice(0, -1));
}

const commands = [
  ['promote', 'transport', '--to', 'staging', '--plan-only'],
  ['release', 'create', 'transport', '--request-id', 'build-17', '--reason', 'f00d'],
  ['promote', 'transport', '--to', 'staging', '--yes', '--request-id', 'build-17-staging'],
  ['promote', 'transport', '--to', 'production', '--no-wait', '--request-id', 'build-17-production'],
];
const [, create = [], ...promotions] = commands;

it.each([
  ['github-actions.yml', /^ *run: (.*)$/gm, commands],
  ['gitlab-ci.yml', /^ *- (portolan .*)$/gm, commands],
  ['Jenkinsfile', /^ *sh '(.*)'$/gm, commands],
  // As cron reads a line: five fields, then what a shell is given, with `%` for `\%`.
  ['crontab', /^(?:[\d*,/-]+ ){5}(.*)$/gm, [[...create.slice(0, -1), 'each evening'], ...promotions]],
])('types one build of a pipeline: %s', (file, pattern, typed) => {
  const lines = linesOf(file, pattern);
  // What a job puts into a line before the shell reads it can be written by whoever names a branch.
  expect(lines.join('\n')).not.toContain('${{');
  expect(lines.flatMap((line) => typedBy(line.replaceAll('\\%', '%')))).toEqual(typed);
});

itLong('a build makes one release, promotes it, and leaves production for approval', async () => {
  const site = await openPipeline({ staging: { approval: 'none' }, live: { after: 'staging' } });
  try {
    const { run, json, recordOf, comesTo } = commandsIn(() => site);
    const here = commands.map((words) => words.map((word) => (word === 'production' ? 'live' : word)));
    // A stage before any release has nothing to plan.
    for (const words of [...here.slice(1), ...here])
      expect({ words, ...(await run(...words)) }).toMatchObject({ words, status: 0 });
    expect(await json('release list')).toMatchObject({ releases: [{ reason: 'f00d' }] });
    expect(itemsOn(site.target)).toHaveLength(3);
    const [, , , toProduction = []] = here;
    const { runId } = await recordOf(...toProduction);
    const { plan } = await comesTo(runId, 'waiting');
    await run(`run approve ${runId} --plan ${plan?.hash ?? ''}`);
    expect(await recordOf(`run watch ${runId}`)).toMatchObject({ status: 'succeeded' });
    expect(itemsOn(site.third)).toHaveLength(3);
  } finally {
    await site.close();
  }
});
