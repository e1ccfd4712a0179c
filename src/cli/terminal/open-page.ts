import { spawn } from 'node:child_process';
import { PortolanError } from '../../model/errors/errors';

/** The program that opens a URL on this system; BROWSER overrides it. */
function opener(): readonly [program: string, ...args: string[]] {
  if (process.env.BROWSER) return [process.env.BROWSER];
  if (process.platform === 'darwin') return ['open'];
  return process.platform === 'win32' ? ['rundll32', 'url.dll,FileProtocolHandler'] : ['xdg-open'];
}

/** Opens a URL in a browser of this machine. Throws `USAGE` with the URL if that fails. */
export async function openPage(url: string): Promise<void> {
  const [program, ...args] = opener();
  const child = spawn(program, [...args, url], { detached: true, stdio: 'ignore' });
  await new Promise<void>((resolve, reject) => {
    child.once('spawn', resolve);
    child.once('error', () =>
      reject(
        new PortolanError('USAGE', `${program} cannot be started to open ${url}`, {
          hint: 'Open that address yourself, or set BROWSER to a browser.',
        }),
      ),
    );
  });
  child.unref();
}
