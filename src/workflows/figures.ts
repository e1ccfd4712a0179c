/** Bytes for people, in the units of portolan.yaml: `1.9 GB`, `64 MB`. */
export function bytesText(bytes: number): string {
  const units = ['bytes', 'KB', 'MB', 'GB'] as const;
  let figure = bytes;
  let unit = 0;
  while (figure >= 1024 && unit < units.length - 1) {
    figure /= 1024;
    unit += 1;
  }
  return `${unit === 0 || figure >= 100 ? Math.round(figure) : figure.toFixed(1)} ${units[unit]}`;
}
