import { readFileSync, readdirSync, readlinkSync } from 'node:fs';

const LISTENS = '0A';

/** Ports of IPv4 that a process of this machine listens on, by the address that it does so at. Linux. */
export function listenersOf(pid: number): { readonly host: string; readonly port: number }[] {
  const sockets = new Set(
    readdirSync(`/proc/${pid}/fd`).flatMap((fd) => {
      try {
        return /^socket:\[(\d+)\]$/.exec(readlinkSync(`/proc/${pid}/fd/${fd}`))?.[1] ?? [];
      } catch {
        return [];
      }
    }),
  );
  const [, ...rows] = readFileSync(`/proc/${pid}/net/tcp`, 'utf8').trim().split('\n');
  return rows.flatMap((row) => {
    const [, local = '', , state, , , , , , inode = ''] = row.trim().split(/\s+/);
    const [host = '', port = ''] = local.split(':');
    if (state !== LISTENS || !sockets.has(inode)) return [];
    // The address is a number as the processor has it: lowest byte first.
    const bytes = [...Buffer.from(host, 'hex')].reverse();
    return [{ host: bytes.join('.'), port: Number.parseInt(port, 16) }];
  });
}
