/** Bytes in words for people, such as `1.9 GB`, `84 MB` and `512 bytes`; units are powers of 1024, as in portolan.yaml. */
export function bytesText(bytes: number): string {
  const units = ['bytes', 'KB', 'MB', 'GB', 'TB'];
  let figure = bytes;
  let unit = 0;
  while (figure >= 1024 && unit < units.length - 1) {
    figure /= 1024;
    unit += 1;
  }
  const digits = unit === 0 || figure >= 100 ? 0 : 1;
  return `${figure.toFixed(digits).replace(/\.0$/, '')} ${units[unit]}`;
}
