import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { parse } from 'yaml';
import { jsonText, markdownText, oneLine, plainLines, visibleText } from '../../../src/model/text/plain-text';
import { yamlText } from '../../../src/model/text/yaml';

/** C0 without tabs and line ends, C1, bidi controls, zero-width characters and tags, separators of lines. */
const obeyed =
  /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u061c\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufeff\u{e0000}-\u{e007f}]/u;

const pieces = [
  ...[
    '\u001b[31m',
    '\u001b]0;title\u0007',
    '\u009b2J',
    '\r\n',
    '\n',
    '\t',
    '\u0000',
    '\u0085',
    '\u2028',
    '\u2029',
  ],
  ...[
    '\u202e',
    '\u2066',
    '\u200b',
    '\u200d',
    '\ufeff',
    '\u00ad',
    '\u{e0041}',
    '\ud800',
    '  ',
    '\u00a0 ',
    '\u2800\u2800',
  ],
  ...[
    '# ',
    '1. ',
    '[a](http://b)',
    '**',
    '`',
    '<img src=x>',
    '![](x)',
    '| a |',
    '&lt;',
    '\\',
    'www.a.b',
    '"',
    ': ',
    '- ',
  ],
];
/** Any text at all, and texts in which what matters stands close together. */
const texts = fc.oneof(
  fc.string({ unit: 'binary', maxLength: 60 }),
  fc
    .array(fc.oneof(fc.constantFrom(...pieces), fc.string({ unit: 'grapheme', maxLength: 4 })), {
      maxLength: 12,
    })
    .map((parts) => parts.join('')),
);

describe('a text from outside', () => {
  it('is one line without terminal control or runs of blanks [P16]', () => {
    fc.assert(
      fc.property(texts, (text) => {
        const shown = oneLine(text);
        expect(shown).not.toMatch(obeyed);
        expect(shown).not.toMatch(/[\n\t]|\s\s|\p{Cf}|\p{Cs}/u);
        expect(oneLine(shown)).toBe(shown);
      }),
    );
  });

  it('is unchanged when it is visible and controls nothing', () => {
    for (const text of ['Straßen "Nord" 2026', '道路', 'Ä é ñ – €', 'a\u0301 b', '🚧 roads'])
      expect(oneLine(text)).toBe(text);
    expect(oneLine('\u001b]0;mine\u0007  a\r\n\tb\u202ec\u200bd')).toBe(' ]0;mine a bcd');
  });

  it('keeps its lines or its blanks on request', () => {
    expect(plainLines('a\u001b[2J\r\n   b \u202e\nc')).toBe('a [2J\n b\nc');
    expect(visibleText('a   b\u001b[2J\n')).toBe('a   b [2J ');
    fc.assert(fc.property(texts, (text) => expect(visibleText(text)).not.toMatch(obeyed)));
  });

  it('is readable in Markdown, without markup or links', () => {
    fc.assert(
      fc.property(texts, (text) => {
        const shown = markdownText(text);
        expect(shown).not.toMatch(obeyed);
        // What is escaped is a letter like any other, also where it stands first.
        const left = shown.replace(/\\[!-/:-@[-`{-~]/g, 'x');
        expect(left).not.toMatch(/[\\`*_[\]()<>&!|~$@]|:\/\/|\bwww\.|^\s*(?:[#+=-]|\d+[.)])/i);
        expect(shown.replace(/\\([!-/:-@[-`{-~])/g, '$1')).toBe(oneLine(text));
      }),
    );
    expect(markdownText('[yes](http://x) <b>*a*</b>')).toBe(
      '\\[yes\\]\\(http\\://x\\) \\<b\\>\\*a\\*\\</b\\>',
    );
    expect([markdownText('# a'), markdownText('12) b')]).toEqual(['\\# a', '12\\) b']);
    expect(markdownText('- - ')).toBe('\\- - ');
  });
});

describe('a text for programs', () => {
  it('escapes terminal control in JSON, with the same value', () => {
    fc.assert(
      fc.property(fc.dictionary(texts, fc.array(texts, { maxLength: 3 }), { maxKeys: 3 }), (value) => {
        const text = jsonText(value);
        expect(text).not.toMatch(obeyed);
        expect(JSON.parse(text)).toEqual(JSON.parse(JSON.stringify(value)));
      }),
    );
    expect(jsonText({ a: '\u009b2J\u202e\u{e0041}' })).toBe('{"a":"\\u009b2J\\u202e\\udb40\\udc41"}');
    expect(jsonText([1], 2)).toBe('[\n  1\n]');
  });

  it('escapes terminal control in YAML, with the same value', () => {
    // Halves of characters are no text of YAML, nor of the UTF-8 in which a portal answers.
    const whole = texts.map((text) => text.replace(/\p{Cs}/gu, ''));
    fc.assert(
      fc.property(fc.dictionary(whole, fc.array(whole, { maxLength: 3 }), { maxKeys: 3 }), (value) => {
        const text = yamlText(value, ['of \u001b[2J a portal']);
        expect(text).not.toMatch(obeyed);
        expect(parse(text)).toEqual(JSON.parse(JSON.stringify(value)));
      }),
    );
  });
});

const much = (unit: string) => unit.repeat(Math.ceil(250_000 / unit.length));

it.each(['\u001b[', ' ', '\n', '\u200b', '[', 'http://', 'www.', '1', '\\'])(
  'a quarter of a megabyte of anything is shown and escaped in linear time: %j',
  (unit) => {
    const text = much(unit);
    // What is quadratic takes many minutes of that, and so never ends here.
    expect(oneLine(text).length).toBeLessThanOrEqual(text.length);
    expect(plainLines(text).length).toBeLessThanOrEqual(text.length);
    expect(markdownText(text).length).toBeLessThanOrEqual(2 * text.length);
    expect(JSON.parse(jsonText(text))).toBe(text);
  },
);
