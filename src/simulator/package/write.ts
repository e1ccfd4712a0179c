import { createReadStream, createWriteStream, existsSync } from 'node:fs';
import { Readable } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import { pipeline } from 'node:stream/promises';
import { ZipFile } from 'yazl';
import type { ItemRecord } from '../state/records';
import { inlineBelow } from '../state/files';
import type { World } from '../world';
import { entryNames, type Manifest } from './manifest';

/** Writes the package as a zip, streaming. @returns its size in bytes */
export async function writePackage(
  world: World,
  path: string,
  content: Manifest,
  items: readonly ItemRecord[],
  signal: AbortSignal,
): Promise<number> {
  const zip = new ZipFile();
  const file = createWriteStream(path, { highWaterMark: 4 * 1024 * 1024 });
  const writing = pipeline(zip.outputStream, file, { signal });
  const failed = new Promise<never>((_, reject) => void zip.on('error', reject));
  addJson(zip, entryNames.manifest, content);
  addStream(zip, entryNames.items, {}, () => Readable.from(recordLines(world, items)));
  for (const item of items) addItem(world, zip, item);
  zip.end();
  await Promise.race([writing, failed]);
  return file.bytesWritten;
}

function addJson(zip: ZipFile, name: string, value: unknown): void {
  zip.addBuffer(Buffer.from(JSON.stringify(value)), name);
}

/** Opens a stream only when it is written. Its error fails the package. */
function addStream(zip: ZipFile, name: string, options: object, open: () => Readable): void {
  zip.addReadStreamLazy(name, options, (done) => {
    const stream = open();
    stream.once('error', (error) => zip.emit('error', error));
    done(null, stream);
  });
}

/** Records of the items, including small data, because separate entries would cost far more. */
async function* recordLines(world: World, items: readonly ItemRecord[]): AsyncGenerator<string> {
  for (const item of items) {
    if (!item.data || item.size > inlineBelow) yield `${JSON.stringify(item)}\n`;
    else {
      const bytes = item.data.kind === 'inline' ? undefined : await buffer(world.files.readData(item));
      const data = bytes ? { kind: 'inline', base64: bytes.toString('base64') } : item.data;
      yield `${JSON.stringify({ ...item, data })}\n`;
    }
  }
}

/** Large data hardly compresses and would only take time. */
const compressBelow = 1024 * 1024;

function addItem(world: World, zip: ZipFile, item: ItemRecord): void {
  if (item.data && item.size > inlineBelow) {
    const options = { size: item.size, compress: item.size < compressBelow };
    addStream(zip, entryNames.data(item.id), options, () => world.files.readData(item));
  }
  for (const { itemId, resource } of world.resourcesOf(item.id)) {
    zip.addFile(world.files.resourcePath(itemId, resource), entryNames.resource(itemId, resource));
  }
  if (item.thumbnail) zip.addFile(world.files.thumbnailPath(item.id), entryNames.thumbnail(item.id));
  const service = world.services.find((one) => one.itemId === item.id);
  if (!service) return;
  addJson(zip, entryNames.service(item.id), service);
  for (const layer of [...service.layers, ...service.tables]) {
    const features = world.files.featuresPath(item.id, layer.id);
    if (!existsSync(features)) continue;
    addStream(zip, entryNames.features(item.id, layer.id), {}, () => createReadStream(features));
  }
}
