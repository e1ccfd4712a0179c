import { spawn } from 'node:child_process';
import path from 'node:path';
import { text } from 'node:stream/consumers';
import { PARTS_AT_A_TIME, partsOf } from '../src/portal/resources/items/upload';

/** How curl reaches a portal: with the token and the referer that it is tied to. */
export interface CurlAccess {
  readonly url: string;
  readonly token: string;
  readonly referer: string;
}

/** `curl … | sha256sum` on an item's data. */
export async function curlDownload(
  access: CurlAccess,
  itemId: string,
): Promise<{ ms: number; sha256: string }> {
  const url = `${access.url}/content/items/${itemId}/data?f=json`;
  const { ms, output } = await timed('sh', ['-c', 'curl "$@" | sha256sum', 'sh', ...headersFor(access), url]);
  return { ms, sha256: output.split(' ')[0] ?? '' };
}

/** `curl -F file=@…` to addItem. */
export async function curlUpload(
  access: CurlAccess,
  username: string,
  file: string,
): Promise<{ ms: number; itemId: string }> {
  const form = formOf({ ...PACKAGE, file: `@${file}` });
  const { ms, output } = await timed('curl', [...headersFor(access), ...form, addItemOf(access, username)]);
  return { ms, itemId: idIn(output) };
}

/** A listing of a group, page by page over one connection. @returns how long it took, in milliseconds */
export async function curlPages(
  access: CurlAccess,
  groupId: string,
  items: number,
  page: number,
): Promise<number> {
  const starts = Array.from({ length: Math.ceil(items / page) }, (_, index) => 1 + index * page);
  const urls = starts.map(
    (start) => `${access.url}/content/groups/${groupId}?f=json&num=${page}&start=${start}`,
  );
  return (await timed('curl', [...headersFor(access), ...urls])).ms;
}

/** The parts of a file that we would send, each in a file of its own: curl sends no stretch of one. */
export async function cutIntoParts(file: string, bytes: number, folder: string): Promise<string[]> {
  const parts = partsOf(bytes);
  const size = String(parts[0]?.end ?? bytes);
  await timed('split', ['-d', '-a', '5', '-b', size, file, path.join(folder, 'part-')]);
  return parts.map((_, index) => path.join(folder, `part-${String(index).padStart(5, '0')}`));
}

/** The same parts as we send, and as many at a time: so many curls of which each sends its share one after the other. */
export async function curlParts(
  access: CurlAccess,
  username: string,
  parts: readonly string[],
): Promise<{ ms: number; itemId: string }> {
  const started = performance.now();
  const headers = headersFor(access);
  const begin = [...headers, ...formOf({ ...PACKAGE, multipart: 'true' }), addItemOf(access, username)];
  const itemId = idIn((await timed('curl', begin)).output);
  const item = `${access.url}/content/users/${username}/items/${itemId}`;
  const sends = parts.map((part, index) => [
    ...headers,
    ...formOf({ f: 'json', file: `@${part}` }),
    `${item}/addPart?partNum=${index + 1}`,
  ]);
  const shares = Array.from({ length: PARTS_AT_A_TIME }, (_, share) =>
    sends.filter((_send, index) => index % PARTS_AT_A_TIME === share),
  );
  await Promise.all(
    shares
      .filter((share) => share.length > 0)
      .map((share) =>
        timed(
          'curl',
          share.flatMap((send, index) => (index === 0 ? send : ['--next', ...send])),
        ),
      ),
  );
  await timed('curl', [...headers, ...formOf({ ...PACKAGE, id: itemId, async: 'true' }), `${item}/commit`]);
  return { ms: performance.now() - started, itemId };
}

const PACKAGE = {
  f: 'json',
  title: 'bench',
  type: 'Export Package',
  typeKeywords: 'Export Package,epk',
  tags: 'epk',
  filename: 'bench.epk',
};

const formOf = (fields: Readonly<Record<string, string>>): string[] =>
  Object.entries(fields).flatMap(([name, value]) => ['-F', `${name}=${value}`]);

const addItemOf = ({ url }: CurlAccess, username: string): string =>
  `${url}/content/users/${username}/addItem`;

function idIn(output: string): string {
  const { id } = JSON.parse(output) as { id?: string };
  if (id === undefined) throw new Error(`addItem answered curl: ${output}`);
  return id;
}

const headersFor = ({ token, referer }: CurlAccess): string[] => [
  '--silent',
  '--show-error',
  '--fail',
  '--header',
  `X-Esri-Authorization: Bearer ${token}`,
  '--header',
  `Referer: ${referer}`,
];

async function timed(command: string, args: readonly string[]): Promise<{ ms: number; output: string }> {
  const started = performance.now();
  const child = spawn(command, args, { stdio: ['ignore', 'pipe', 'inherit'] });
  const [output, status] = await Promise.all([
    text(child.stdout),
    new Promise<number | null>((resolve, reject) => child.once('error', reject).once('close', resolve)),
  ]);
  if (status !== 0) throw new Error(`${command} ended with ${status}`);
  return { ms: performance.now() - started, output };
}
