/** A page that loads nothing else, for visitors who are not signed in. */
export const plainPage = (
  title: string,
  lines: readonly string[],
  link: { to: string; words: string },
): string =>
  `<!doctype html>
<html lang="en">
<head><meta charset="utf-8"><title>${escaped(title)}</title></head>
<body>
<main>
<h1>${escaped(title)}</h1>
${lines.map((line) => `<p>${escaped(line)}</p>`).join('\n')}
<p><a href="${escaped(link.to)}">${escaped(link.words)}</a></p>
</main>
</body>
</html>
`;

const escaped = (text: string): string => text.replace(/[&<>"']/g, (sign) => `&#${sign.charCodeAt(0)};`);
