import { createHash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import type { Simulator } from '../../../src/simulator/simulator';

const hashOf = async (path: string) => {
  const file = await readFile(path).catch(() => undefined);
  return file && createHash('sha256').update(file).digest('hex');
};

/** What a portal holds as its users see it: every item, and the bytes of its data or the rows of its layers. */
export const portrait = async ({ world }: Simulator): Promise<Record<string, unknown>> => {
  const seen = [...world.items.values()].map(async (item) => {
    const { id, type, title, owner, access, groups, ownerFolder, snippet, description, tags, size } = item;
    const sha256 = await hashOf(world.files.dataPath(id));
    const beside = {
      protected: item.protected,
      thumbnail: item.thumbnail && [item.thumbnail, await hashOf(world.files.thumbnailPath(id))],
      resources: await Promise.all(
        world
          .resourcesOf(id)
          .map(async ({ resource }) => [resource, await hashOf(world.files.resourcePath(id, resource))]),
      ),
    };
    const layers = [...world.services.values()].find((service) => service.itemId === id)?.layers;
    const rows = layers?.map(({ id: layerId, count }) => [layerId, count]);
    return [
      id,
      {
        type,
        title,
        owner,
        access,
        groups,
        ownerFolder,
        snippet,
        description,
        tags,
        size,
        sha256,
        rows,
        ...beside,
      },
    ];
  });
  return Object.fromEntries(await Promise.all(seen)) as Record<string, unknown>;
};
