import { afterEach, describe, expect, it } from '@jest/globals';
import { randomBytes } from 'node:crypto';
import { Readable } from 'node:stream';
import { setTimeout as sleep } from 'node:timers/promises';
import {
  addPackageItem,
  addPart,
  commit,
  listParts,
  readItemStatus,
  startMultipart,
} from '../../../../src/portal/resources/items/add-item';
import type { FileSource } from '../../../../src/portal/client';
import { PARTS_MAX } from '../../../../src/portal/http/limits';
import { goesInParts, partsOf } from '../../../../src/portal/resources/items/upload';
import { releaseFrom } from '../../../../src/portal/http/versions';
import { certificateFor } from '../../auth/certificates';
import { bearerOf, codeOf, inTurn, json, portalError, RawPortal } from '../../raw-portal';

let portal: RawPortal;
afterEach(() => portal?.stop());

const sourceOf = (bytes: Buffer): FileSource => ({
  size: bytes.length,
  open: (start, end) => Readable.from([bytes.subarray(start, end)]),
});

const item = {
  username: 'sync',
  title: 'run-1',
  tags: ['portolan', 'run-1'],
  filename: 'run-1.epk',
  itemIdToCreate: '0123456789abcdef0123456789abcdef',
  version: releaseFrom('11.4'),
};

/** Smallest part but the last. docs/reference/portal-interface.md, "Limits" */
const PART_BYTES_MIN = 5_000_000;

const file = randomBytes(1000);

const ADD = 'content/users/sync/addItem';
const added = json({ success: true, id: 'new', folder: null });
const upload = (source: FileSource) => addPackageItem(portal.client(), { ...item, file: source });

describe('a package in one request', () => {
  it('may take longer than any other call', async () => {
    portal = await RawPortal.start({
      [ADD]: async (seen, response) => {
        await sleep(1200);
        await added(seen, response);
      },
    });
    const client = portal.client({ responseTimeoutMs: 400 });
    expect(client.timeouts.call).toBeLessThan(1200);
    expect((await addPackageItem(client, { ...item, file: sourceOf(file) })).id).toBe('new');
  });

  it('is a multipart body of known length with the bytes of the file', async () => {
    portal = await RawPortal.start({
      [ADD]: added,
    });
    const progress: number[] = [];
    const answer = await addPackageItem(portal.client(), {
      ...item,
      filename: 'a "quoted"\r\nname.epk',
      file: sourceOf(file),
      onProgress: (sent) => progress.push(sent),
    });
    expect(answer).toEqual({ id: 'new' });
    const [seen] = portal.at(ADD);
    expect(seen?.headers['transfer-encoding']).toBeUndefined();
    expect(Number(seen?.headers['content-length'])).toBe(seen?.body.length);
    const boundary = /boundary=(.*)$/.exec(seen?.headers['content-type'] ?? '')?.[1] ?? '';
    const field = (name: string, value: string) =>
      `--${boundary}\r\nContent-Disposition: form-data; name="${name}"\r\n\r\n${value}\r\n`;
    const expected = Buffer.concat([
      Buffer.from(
        field('title', 'run-1') +
          field('type', 'Export Package') +
          field('typeKeywords', 'Export Package,epk') +
          field('tags', 'portolan,run-1') +
          field('filename', 'a "quoted"\r\nname.epk') +
          field('itemIdToCreate', '0123456789abcdef0123456789abcdef') +
          field('f', 'json') +
          `--${boundary}\r\nContent-Disposition: form-data; name="file"; filename="a %22quoted%22%0D%0Aname.epk"\r\n` +
          'Content-Type: application/octet-stream\r\n\r\n',
      ),
      file,
      Buffer.from(`\r\n--${boundary}--\r\n`),
    ]);
    expect(seen?.body.equals(expected)).toBe(true);
    expect(progress).toEqual([1000]);
  });

  it.each(['http', 'https'])('is sent over %s before its next piece is read', async (scheme) => {
    const tls = scheme === 'https' ? certificateFor('IP:127.0.0.1') : undefined;
    portal = await RawPortal.start({ [ADD]: added }, tls);
    const bytes = randomBytes(12_000_000);
    const only = Buffer.alloc(1_000_000);
    const overwritten: FileSource = {
      ...sourceOf(bytes),
      async *pieces() {
        for (let at = 0; at < bytes.length; at += only.length) {
          bytes.copy(only, 0, at);
          yield only;
        }
        only.fill(0);
      },
    };
    await addPackageItem(portal.client({ ca: tls?.cert }), { ...item, file: overwritten });
    expect(portal.at(ADD)[0]?.body.includes(bytes)).toBe(true);
  });

  it('is read again when the token is refused meanwhile', async () => {
    portal = await RawPortal.start({
      [ADD]: inTurn(portalError(498, 'Invalid token.'), added),
    });
    const answer = await upload(sourceOf(file));
    expect(answer).toEqual({ id: 'new' });
    const [first, second] = portal.at(ADD);
    expect(second?.body.length).toBe(first?.body.length);
    expect(second && bearerOf(second)).toBe('token-not-to-be-seen-2');
  });

  it.each([
    ['shorter', file.subarray(1)],
    ['longer', Buffer.concat([file, file])],
  ])('is not sent when its file is %s than announced', async (_title, bytes) => {
    portal = await RawPortal.start({ [ADD]: added });
    const source = { size: file.length, open: () => Readable.from([bytes]) };
    expect(await codeOf(upload(source))).toBe('STORE_BROKEN');
    expect(portal.at(ADD)).toHaveLength(0);
  });

  it('is refused above 5 GB before a byte is sent', async () => {
    portal = await RawPortal.start({});
    const source = { size: 6 * 1024 ** 3, open: () => Readable.from([]) };
    expect(await codeOf(upload(source))).toBe('PACKAGE_TOO_LARGE');
    expect(portal.seen).toHaveLength(0);
  });
});

describe('a package in parts', () => {
  const address = { username: 'sync', itemId: 'new' };

  it('starts without a file, sends numbered parts, and is committed', async () => {
    const base = 'content/users/sync/items/new';
    portal = await RawPortal.start({
      [ADD]: added,
      [`${base}/addPart`]: inTurn(json({ success: true, id: 'new' }), json({ status: 'success' })),
      [`${base}/parts`]: json({ parts: ['2', 1] }),
      [`${base}/commit`]: json({ success: true, id: 'new' }),
      [`${base}/status`]: inTurn(
        json({ status: 'null' }),
        json({ status: 'Failed', statusMessage: 'Disk.' }),
      ),
    });
    const client = portal.client();
    expect((await startMultipart(client, item)).id).toBe('new');
    await addPart(client, { ...address, partNum: 1, file: sourceOf(file), start: 0, end: 600 });
    await addPart(client, { ...address, partNum: 2, file: sourceOf(file), start: 600 });
    expect(await listParts(client, address)).toEqual([1, 2]);
    await commit(client, { ...address, title: item.title, tags: item.tags, filename: item.filename });
    expect((await readItemStatus(client, address)).phase).toBe('unknown');
    expect(await readItemStatus(client, address)).toEqual({
      phase: 'failed',
      status: 'Failed',
      statusMessage: 'Disk.',
    });

    const [started] = portal.at(ADD);
    expect(started?.body.toString()).toContain('name="multipart"\r\n\r\ntrue\r\n');
    expect(started?.body.toString()).not.toContain('name="file"');
    const parts = portal.at(`${base}/addPart`);
    expect(parts.map((part) => [...part.query])).toEqual([[['partNum', '1']], [['partNum', '2']]]);
    expect(parts.map((part) => part.body.includes(file.subarray(0, 600)))).toEqual([true, false]);
    expect(parts.map((part) => part.body.includes(file.subarray(600)))).toEqual([false, true]);
    expect(parts.map((part) => Number(part.headers['content-length']))).toEqual(
      parts.map((part) => part.body.length),
    );
    expect(Object.fromEntries(portal.at(`${base}/commit`)[0]?.form ?? [])).toMatchObject({
      id: 'new',
      type: 'Export Package',
      async: 'true',
    });
  });

  const GB = 1024 ** 3;
  it.each([1, 64 * 1024 ** 2, 5 * GB, 500 * GB])(
    'keeps the limits of parts and covers a file of %d bytes',
    (size) => {
      const parts = partsOf(size);
      expect(parts.length).toBeLessThanOrEqual(PARTS_MAX);
      expect(parts[0]).toMatchObject({ partNum: 1, start: 0 });
      expect(parts.at(-1)).toMatchObject({ partNum: parts.length, end: size });
      expect(parts.slice(1).every((part, index) => part.start === parts[index]?.end)).toBe(true);
      expect(parts.slice(0, -1).every((part) => part.end - part.start >= PART_BYTES_MIN)).toBe(true);
    },
  );

  it('is used for large files', () => {
    expect([goesInParts(1024), goesInParts(GB)]).toEqual([false, true]);
  });
});
