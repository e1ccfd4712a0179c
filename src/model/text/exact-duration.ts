const units = [
  ['d', 86_400_000],
  ['h', 3_600_000],
  ['m', 60_000],
  ['s', 1_000],
] as const;

/** `90m`: a duration as portolan.yaml has it, in the largest unit that says it exactly. */
export function exactDuration(milliseconds: number): string {
  if (milliseconds === 0) return '0';
  const [unit, size] = units.find(([, each]) => milliseconds % each === 0) ?? ['ms', 1];
  return `${milliseconds / size}${unit}`;
}
