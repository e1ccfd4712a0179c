/** An address without the slashes that it ends in. By hand: `/\/+$/` takes the square of the time for slashes in the middle. */
export function withoutTrailingSlashes(address: string): string {
  let end = address.length;
  while (end > 0 && address[end - 1] === '/') end -= 1;
  return address.slice(0, end);
}
