import { describe, expect, it } from '@jest/globals';
import { shapes, sides, titleOf } from './endpoints';
import { readUndisturbed } from './undisturbed';

const { endpoints, came } = readUndisturbed(process.env['PORTOLAN_TEST_FAULTS_FOLDER'] ?? '');

const ofBoth = [
  'POST token.generate',
  'GET portal.self',
  'GET group.content',
  'POST group.export',
  'GET job',
];
const ofSource = [
  ...['GET item.data, package', 'POST item.delete, package', 'POST group.export, of what changed'],
  ...['POST group.export', 'GET job', 'GET item.data, package', 'POST item.delete, package'].map(
    (call) => `${call}, second package`,
  ),
];
const ofTarget = [
  ...['POST item.add', 'POST item.add, in parts', 'POST item.addPart, package', 'GET item.parts, package'],
  ...['POST item.commit, package', 'GET item.status, package'],
  ...['POST group.import, previewOnly=true', 'GET group.importPreview'],
  ...[
    'POST group.import, previewOnly=false',
    'GET job, after import',
    'POST item.delete, package, after import',
  ],
  ...['group.content', 'service.read', 'layer.read'].map((call) => `GET ${call}, of what changed`),
  ...['POST group.export', 'POST group.import, previewOnly=false'].map((call) => `${call}, of what changed`),
  ...[
    ...[
      'POST item.add',
      'POST group.import, previewOnly=true',
      'GET group.importPreview',
      'POST group.export',
    ],
    ...['POST group.import, previewOnly=false', 'GET job, after import'],
    'POST item.delete, package, after import',
  ].map((call) => `${call}, second package`),
];

describe('the calls that meet the faults', () => {
  it('are at least those that carry a group from one portal to the other', () => {
    const [source, target] = sides.map((side) =>
      endpoints.filter((endpoint) => endpoint.side === side).map(titleOf),
    );
    expect(source).toEqual(expect.arrayContaining([...ofBoth, ...ofSource]));
    expect(target).toEqual(expect.arrayContaining([...ofBoth, ...ofTarget]));
  });

  it('are taken from syncs that succeeded', () => {
    const succeeded = { status: 'succeeded', packages: [], portalQueues: [] };
    expect(came).toMatchObject({
      small: { ...succeeded, parts: 1 },
      'in parts': { ...succeeded, parts: 1 },
      'what changed': { ...succeeded, parts: 1 },
      'two packages': { ...succeeded, parts: 2 },
    });
    expect(Object.keys(came)).toEqual([...shapes]);
    expect(came['what changed'].ledger['same']).not.toEqual([]);
    expect(came['two packages'].ledger).toEqual(came.small.ledger);
  });
});
