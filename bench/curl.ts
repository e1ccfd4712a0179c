import { spawn } from 'node:child_process';
import { text } from 'node:stream/consumers';

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
  const fields = {
    f: 'json',
    title: 'bench',
    type: 'Export Package',
    typeKeywords: 'Export Package,epk',
    tags: 'epk',
    file: `@${file}`,
  };
  const form = Object.entries(fields).flatMap(([name, value]) => ['-F', `${name}=${value}`]);
  const url = `${access.url}/content/users/${username}/addItem`;
  const { ms, output } = await timed('curl', [...headersFor(access), ...form, url]);
  const { id } = JSON.parse(output) as { id?: string };
  if (id === undefined) throw new Error(`addItem answered curl: ${output}`);
  return { ms, itemId: id };
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
