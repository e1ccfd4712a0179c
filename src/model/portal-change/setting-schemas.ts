import { z } from 'zod';
import { colourOf } from './colour';
import { noticeButtons, type SettingType } from './portal-settings';

const url = z
  .string('write a URL in quotes')
  .refine(isWebAddress, 'is not a URL; write it as https://HOST/PATH');

/** What a value of each kind is, in a file that people write. */
export const settingValue = {
  boolean: z.boolean('write true or false, without quotes'),
  text: z.string('write a text, in quotes where it looks like a number or a word of YAML'),
  buttons: z.enum(noticeButtons),
  colour: z
    .string('write a colour in quotes: a # begins a comment')
    .refine(
      (text) => colourOf(text) !== undefined,
      'is no colour; write a CSS name such as gold, or hexadecimal such as "#ffd700"',
    ),
  minutes: z
    .int('write a whole number of minutes, without quotes')
    .min(1, 'write a whole number of minutes, at least 1'),
  url,
  texts: z.array(z.string('write a text').min(1, 'is empty'), 'write a list, [ONE, OTHER]'),
  links: z.array(z.unknown(), 'write a list, [ONE, OTHER]'),
  'text or false': z.union(
    [z.string().min(1), z.literal(false)],
    'write a host name, or false without quotes',
  ),
} as const satisfies Record<SettingType, z.ZodType>;

function isWebAddress(text: string): boolean {
  return URL.canParse(text) && /^https?:$/.test(new URL(text).protocol) && !/\s/.test(text);
}
