import names from 'color-name';

/** Red, green and blue, 0 to 255. */
export type Color = readonly [red: number, green: number, blue: number];

/** A CSS color name, `#rgb` or `#rrggbb`, with or without alpha, in any case; undefined for anything else. */
export function colorOf(text: string): Color | undefined {
  const word = text.trim().toLowerCase();
  if (Object.hasOwn(names, word)) return names[word];
  const digits = /^#([0-9a-f]{3,4}|[0-9a-f]{6}|[0-9a-f]{8})$/.exec(word)?.[1];
  if (digits === undefined) return undefined;
  const wide = digits.length < 6 ? [...digits].map((digit) => digit + digit).join('') : digits;
  const part = (at: number): number => Number.parseInt(wide.slice(at, at + 2), 16);
  return [part(0), part(2), part(4)];
}

/** Below this, ordinary text on a ground is hard to read (WCAG 2, level AA). */
export const READABLE_CONTRAST = 4.5;

/** Contrast of two colors after WCAG 2, from 1 (none) to 21 (black on white). */
export function contrastOf(one: Color, other: Color): number {
  const [a, b] = [luminance(one), luminance(other)];
  return (Math.max(a, b) + 0.05) / (Math.min(a, b) + 0.05);
}

function luminance(color: Color): number {
  const [red = 0, green = 0, blue = 0] = color.map((value) => {
    const part = value / 255;
    return part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4;
  });
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
}
