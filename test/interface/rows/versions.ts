import { expect } from '@jest/globals';
import { folderThere, newEnough, selfManaged } from '../../../src/domain/transfer/guards/portal';
import { importGroup } from '../../../src/portal/resources/group-import';
import { readSettings, type SettingObjects, writeSettings } from '../../../src/portal/resources/settings';
import { updateTaskRun } from '../../../src/portal/resources/tasks';
import type { Row, Section } from '../row';
import type { Site } from '../site';
import { csv, exported } from '../transfers';
import type { World } from '../world';
import { banner, notice, readBack, sent } from './settings';

const operation = 'settings.update';
const portalConfigProperties = { tokenExpiration: 45 };

const accepts = (statement: string, at: (world: World) => Promise<Site>, objects: SettingObjects): Row => ({
  statement,
  wire: {
    operation,
    params: Object.fromEntries(Object.keys(objects).map((name) => [name, /^\{.*\}$/])),
  },
  check: async (_site, world) => expect(await readBack(await at(world), objects)).toMatchObject(objects),
});

const refuses = (statement: string, at: (world: World) => Promise<Site>, objects: SettingObjects): Row => ({
  statement: `**Portolan** sends no \`${Object.keys(objects)[0]}\` ${statement}.`,
  wire: { unsent: operation },
  check: async (_site, world) =>
    expect(sent(await at(world), objects)).rejects.toMatchObject({ code: 'NOT_SUPPORTED' }),
});

const versions: readonly Row[] = [
  {
    statement: 'Exports, imports and changes task runs from 10.8.1 on.',
    wire: [
      { operation: 'group.export' },
      { operation: 'group.import', params: { itemId: /./ }, errorCode: 400 },
      { operation: 'taskRun.update' },
    ],
    check: async (_site, world) => {
      const site = await world.at('10.8.1');
      const { groupId } = await site.plant([csv]);
      expect((await exported(site, groupId)).phase).toBe('succeeded');
      // An import looks for the package, which is missing.
      const request = { itemId: 'f'.repeat(32), overwriteExistingItems: false, async: true };
      const started = importGroup(site.as('owner'), groupId, { ...request, version: site.version });
      await expect(started).rejects.toThrow('Item does not exist or is inaccessible.');
      await updateTaskRun(site.as('owner'), { ...site.task(), status: 'failed', result: '' });
    },
  },
  {
    statement: 'Changes no task run at 10.8.',
    wire: { operation: 'taskRun.update', errorCode: 404 },
    check: async (_site, world) => {
      const site = await world.at('10.8');
      const update = updateTaskRun(site.as('owner'), { ...site.task(), status: 'failed', result: '' });
      await expect(update).rejects.toMatchObject({ code: 'NOT_FOUND' });
    },
  },
  {
    statement: '**Portolan** refuses a portal below 10.8.1.',
    wire: [{ operation: 'portal.self' }, { unsent: 'group.export' }],
    check: async (_site, world) => {
      expect(newEnough(await (await world.at('10.8')).facts())).toMatchObject({
        verdict: 'refuse',
        code: 'VERSION_TOO_OLD',
        saw: expect.stringContaining('10.8'),
      });
      expect(newEnough(await (await world.at('10.8.1')).facts()).verdict).toBe('pass');
    },
  },
  {
    statement: '**Portolan** refuses a folder on a target below 10.9.',
    wire: { unsent: 'group.import' },
    check: async (_site, world) => {
      const site = await world.at('10.8.1');
      const result = await folderThere(site.as('owner'), { folderId: 'f'.repeat(32) }, await site.facts());
      expect(result).toMatchObject({ verdict: 'refuse', code: 'NOT_SUPPORTED' });
    },
  },
  accepts('Accepts `portalConfigProperties` from 11.0 on.', (world) => world.at('11.0'), {
    portalConfigProperties,
  }),
  refuses('to a portal below 11.0', (world) => world.at('10.9.1'), { portalConfigProperties }),
  refuses('with `iotViewerUrl` below 11.1', (world) => world.at('11.0'), {
    portalConfigProperties: { iotViewerUrl: 'https://iot.example.com' },
  }),
  accepts('Accepts notices and banner from 10.8.1 on.', (world) => world.at('10.8.1'), {
    anonymousAccessNotice: notice,
    informationalBanner: banner,
  }),
];

const deployments: readonly Row[] = [
  {
    statement: '**Portolan** refuses ArcGIS Online as source or target.',
    wire: [{ operation: 'portal.self' }, { unsent: 'group.export' }, { unsent: 'group.import' }],
    check: async (_site, world) => {
      expect(selfManaged(await (await world.hosted()).facts())).toMatchObject({
        verdict: 'refuse',
        code: 'NOT_SELF_MANAGED',
      });
      expect(selfManaged(await (await world.at()).facts()).verdict).toBe('pass');
    },
  },
  accepts('Accepts both notices and the banner on ArcGIS Online.', (world) => world.hosted(), {
    anonymousAccessNotice: notice,
    authenticatedAccessNotice: notice,
    informationalBanner: banner,
  }),
  refuses('to ArcGIS Enterprise', (world) => world.at(), { authenticatedAccessNotice: notice }),
  refuses('to ArcGIS Online', (world) => world.hosted(), { portalConfigProperties }),
  {
    statement: '**Portolan** sends settings to a portal of unknown deployment.',
    wire: { operation, params: { portalConfigProperties: /tokenExpiration/ } },
    check: async (site) => {
      const holder = { version: site.version };
      await writeSettings(site.as('admin'), site.orgId, { portalConfigProperties }, holder);
      expect(await readSettings(site.as('admin'), site.orgId)).toMatchObject({ portalConfigProperties });
    },
  },
];

export const versionSection: Section = { title: 'Releases', rows: versions };
export const deploymentSection: Section = { title: 'Deployments', rows: deployments };
