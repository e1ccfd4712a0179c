import { describe, expect, it } from '@jest/globals';
import { parse } from 'node-html-parser';
import { Fragment, h } from 'preact';
import type { PipelineConfig } from '../../../src/config/config';
import type { StagedRelease } from '../../../src/model/release/promotion';
import type { StageView } from '../../../src/contract/pipelines';
import { renderPage } from '../../../src/serve/page/page-reply';
import { PipelinePage } from '../../../src/serve/page/pages/pipelines-page';
import { stageView } from '../../../src/service/promotion/read-stages';

const names = ['dev', 'staging', 'production'];
const pipeline = {
  name: 'transport',
  stages: names.map((name, at) => ({ name, portal: name, after: names[at - 1], soakMs: 0 })),
} as unknown as PipelineConfig;

const release = (id: string, verifiedAt?: number): StagedRelease => ({ release: id, sha256: id, verifiedAt });

/** Views of the stages; each previous stage has a newer release. */
const stagesOf = (staging: StagedRelease, half: readonly string[] = [], blocked: readonly string[] = []) => {
  const standings = new Map([
    ['dev', [release('three', 1)]],
    ['staging', [staging]],
    ['production', [release('one', 1)]],
  ]);
  return pipeline.stages.map((stage) =>
    stageView(pipeline, stage, standings, {
      now: 5,
      undone: new Set(),
      half: new Set(half),
      blocks: new Map(blocked.map((id) => [id, { release: id, who: 'ana@desk', reason: 'wrong sums' }])),
    }),
  );
};

const pageOf = (stages: readonly StageView[]) =>
  parse(
    renderPage(
      h(Fragment, null, h(PipelinePage, { pipeline: 'transport', stages, withDrift: false, isAway: false })),
    ),
  );

describe('a stage that holds a failed release', () => {
  it.each([
    ['failed there', stagesOf(release('two'))],
    ['half promoted, parked', stagesOf(release('two', 1), ['staging'])],
  ])('offers no promotion into it or from it: %s [P21]', (_what, stages) => {
    expect(stages.map(({ verified, next }) => [verified, next?.release])).toEqual([
      ['ok', undefined],
      ['failed', undefined],
      ['ok', undefined],
    ]);
    const page = pageOf(stages);
    expect(page.querySelectorAll('.good').map((each) => each.text)).toEqual(['ok', 'ok']);
    expect(page.text).not.toMatch(/Promote /);
  });

  it('offers promotions again once a verified release is there', () => {
    const [, staging, production] = stagesOf(release('two', 1));
    expect([staging?.next?.release, production?.next?.release]).toEqual(['three', 'two']);
  });
});

describe('a blocked release', () => {
  const stages = stagesOf(release('two', 1), [], ['three']);

  it('is shown as blocked, and the page promotes only others', () => {
    expect(stages.map(({ blocked, next }) => [blocked, next])).toEqual([
      ['by ana@desk: wrong sums', undefined],
      [undefined, { release: 'three', blocked: 'by ana@desk: wrong sums' }],
      [undefined, { release: 'two' }],
    ]);
    const page = pageOf(stages);
    expect(page.text).toContain('three is blocked by ana@desk: wrong sums');
    const commands = page.querySelectorAll('form').map((form) => form.getAttribute('data-command'));
    expect(commands.filter((each) => /promote \S+ --to|block/.test(each ?? ''))).toEqual([
      'portolan release unblock three',
      'portolan release block two',
      'portolan promote transport --to production --release two',
      'portolan release block one',
    ]);
  });
});
